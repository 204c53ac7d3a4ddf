// Scores of a graph's edges from vertex features, as in graph attention: D = S .* (A B^T) by spc's kernel, checked
// against a plain loop.
// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include "matrix_market.h"
#include "sddmm.h"

#include <exception>

static int run(const char *path) {
  matrix_market::Csr matrix = matrix_market::read(path);
  const std::size_t rows = static_cast<std::size_t>(matrix.nrows), cols = static_cast<std::size_t>(matrix.ncols);
  const std::size_t features = 4;
  std::vector<double> a(rows * features), b(cols * features), d(matrix.values.size());
  for (std::size_t k = 0; k < a.size(); ++k)
    a[k] = 1.0 / static_cast<double>(k % 7 + 1);
  for (std::size_t k = 0; k < b.size(); ++k)
    b[k] = static_cast<double>(k % 5) - 2.0;

  spc_csr_f64_i32 S = {matrix.nrows,          matrix.ncols,          matrix.nnz(),
                       matrix.row_ptr.data(), matrix.col_ind.data(), matrix.values.data()};
  spc_dense2_f64 A = spc_dense2_f64_make(a.data(), matrix.nrows, static_cast<std::int64_t>(features));
  spc_dense2_f64 B = spc_dense2_f64_make(b.data(), matrix.ncols, static_cast<std::int64_t>(features));
  // D has the pattern of S: its structure is left NULL, and the kernel points it to that of S.
  spc_csr_f64_i32 D = {matrix.nrows, matrix.ncols, matrix.nnz(), nullptr, nullptr, d.data()};
  spc_status status = sddmm(&S, &A, &B, &D);
  if (status != SPC_OK) {
    std::fprintf(stderr, "sddmm: %s\n", spc_status_string(status));
    return 1;
  }

  std::vector<double> expected(d.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::int32_t p = matrix.row_ptr[i]; p < matrix.row_ptr[i + 1]; ++p) {
      double product = 0;
      for (std::size_t k = 0; k < features; ++k)
        product += a[i * features + k] * b[matrix.col_ind[p] * features + k];
      expected[p] = matrix.values[p] * product;
    }

  std::printf("D = S .* (A B^T), first entries (%s):\n", path);
  for (std::int64_t p = 0; rows > 0 && p < std::min<std::int64_t>(D.row_ptr[1], 8); ++p)
    std::printf("  D(1, %d) = %g\n", D.col_ind[p] + 1, D.values[p]);
  return check("sddmm", d, expected);
}

int main(int argc, char **argv) {
  try {
    return run(argc > 1 ? argv[1] : "../data/karate.mtx");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
