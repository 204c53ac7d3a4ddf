// A matrix whose square is known, for clients of kernels that multiply in C++. Included behind spc/spc.hpp and
// spgemm.h.
#pragma once

#include "spgemm.h"

#include <cstdint>
#include <vector>

using Matrix = spc::owner<spc_csr_f64_i32>;

/// n x n with ones on the diagonal and right of it.
struct Band {
  std::vector<int32_t> pointers{0}, columns;
  std::vector<double> values;

  explicit Band(int32_t n) {
    for (int32_t row = 0; row < n; ++row) {
      columns.push_back(row);
      if (row + 1 < n)
        columns.push_back(row + 1);
      pointers.push_back(int32_t(columns.size()));
    }
    values.assign(columns.size(), 1);
  }

  [[nodiscard]] int64_t size() const { return int64_t(pointers.size()) - 1; }
  [[nodiscard]] auto view() const { return spc::csr(size(), size(), pointers, columns, values); }
};

/// The square has 1, 2, 1 in each row but the last two.
inline bool isSquare(const Matrix &square, int64_t n) {
  bool is = square->nrows == n && square->ncols == n && square->nnz == 3 * n - 3;
  for (int64_t row = 0; is && row + 2 < n; ++row)
    is = square->row_ptr[row] == 3 * row && square->values[3 * row + 1] == 2;
  return is;
}
