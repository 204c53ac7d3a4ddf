// Sorting of coordinate lists.
#pragma once

#include "tensor/tensor.h"

#include <cstdint>
#include <vector>

namespace spc::tensor {

/// Entries by columns: `columns[k][e]` is the coordinate of entry e in the k-th sorted dimension.
struct SortedEntries {
  std::vector<std::vector<int64_t>> columns;
  std::vector<double> values;
  std::vector<double> imaginary; ///< as many, or empty where all are 0

  size_t size() const { return values.size(); }
};

/// The entries sorted by the dimensions `dims`, the first of them most significant, with repeats summed in the order in
/// which they stand in `entries`. Requires coordinates within the shape, and `dims` a permutation of the dimensions.
SortedEntries sortedBy(const Coordinates &entries, const std::vector<int> &dims);

} // namespace spc::tensor
