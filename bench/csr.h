// A matrix in CSR as the benchmarks keep it, and what is common to the ways of making it.
#pragma once

#include "tensor/tensor.h"

#include <cstdint>
#include <numeric>
#include <vector>

/// A matrix in CSR; columns ascend in each row and do not repeat.
template <class T> struct Csr {
  int64_t rows = 0, columns = 0;
  std::vector<int32_t> pointers, indices;
  std::vector<T> values;

  int64_t entries() const { return int64_t(values.size()); }
};

/// Requires entries that are sorted and distinct.
template <class T> Csr<T> csrOf(const spc::tensor::Coordinates &entries) {
  Csr<T> matrix{entries.shape[0], entries.shape[1], std::vector<int32_t>(entries.shape[0] + 1, 0), {}, {}};
  matrix.indices.reserve(entries.size());
  for (size_t e = 0; e < entries.size(); ++e) {
    ++matrix.pointers[entries.coordinates[2 * e] + 1];
    matrix.indices.push_back(int32_t(entries.coordinates[2 * e + 1]));
  }
  std::partial_sum(matrix.pointers.begin(), matrix.pointers.end(), matrix.pointers.begin());
  matrix.values.assign(entries.values.begin(), entries.values.end());
  return matrix;
}
