// Matrices as csr, csc and coo list them, for files that hold these. Private to this folder.
#pragma once

#include "tensor/tensor.h"

#include <cstdint>
#include <vector>

namespace spc::tensor {

/// The coordinates of a matrix, or of a vector as one column, and which of its dimensions has pointers.
struct MatrixLists {
  int64_t rowCount = 1, columnCount = 1;
  std::vector<int64_t> rows, columns; ///< one an entry
  bool byRow = false;    ///< csr: entries ascend by row, then column, and rows are not many more than entries
  bool byColumn = false; ///< csc, where it is not csr; coo where it is neither
};

/// Requires order 1 or 2.
MatrixLists matrixLists(const Coordinates &entries);

/// Where the entries of each coordinate begin, of entries that ascend by it, and where the last ones end.
std::vector<int64_t> pointersOf(const std::vector<int64_t> &major, int64_t extent);

} // namespace spc::tensor
