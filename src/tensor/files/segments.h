// Matrices as csr, csc and coo list them, for files that hold these. Private to this folder.
#pragma once

#include "tensor/tensor.h"

#include <cstdint>
#include <vector>

namespace spc::tensor {

/// How large a matrix is, a vector being one column, and which of its dimensions has pointers.
struct MatrixLists {
  int64_t rowCount = 1, columnCount = 1;
  bool byRow = false;    ///< csr: entries ascend by row, then column, and rows are not many more than entries
  bool byColumn = false; ///< csc, where it is not csr; coo where it is neither
};

/// Requires order 1 or 2.
MatrixLists matrixLists(const Coordinates &entries);

/// The places where the entries of each row begin, or of each column, whichever has pointers, and where the last ones
/// end.
std::vector<int64_t> pointersOf(const Coordinates &entries, const MatrixLists &lists);

/// How long a dimension may be that has pointers: not many times as long as there are entries.
int64_t mostPointers(int64_t entries);

} // namespace spc::tensor
