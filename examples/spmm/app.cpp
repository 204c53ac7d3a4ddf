// Neighbourhood sums of vertex features on a graph: C = A B by spc's kernel, checked against a plain loop.
// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include "matrix_market.h"
#include "spmm.h"

#include <exception>

static int run(const char *path) {
  matrix_market::Csr matrix = matrix_market::read(path);
  const std::size_t rows = static_cast<std::size_t>(matrix.nrows), cols = static_cast<std::size_t>(matrix.ncols);
  const std::size_t features = 4;
  std::vector<double> b(cols * features), c(rows * features);
  for (std::size_t k = 0; k < b.size(); ++k)
    b[k] = static_cast<double>(k / features + 1) / static_cast<double>(k % features + 1);

  spc_csr_f64_i32 A = {matrix.nrows,          matrix.ncols,          matrix.nnz(),
                       matrix.row_ptr.data(), matrix.col_ind.data(), matrix.values.data()};
  spc_dense2_f64 B = spc_dense2_f64_make(b.data(), matrix.ncols, static_cast<std::int64_t>(features));
  spc_dense2_f64 C = spc_dense2_f64_make(c.data(), matrix.nrows, static_cast<std::int64_t>(features));
  spc_status status = spmm(&A, &B, &C);
  if (status != SPC_OK) {
    std::fprintf(stderr, "spmm: %s\n", spc_status_string(status));
    return 1;
  }

  std::vector<double> expected(c.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::int32_t p = matrix.row_ptr[i]; p < matrix.row_ptr[i + 1]; ++p)
      for (std::size_t j = 0; j < features; ++j)
        expected[i * features + j] += matrix.values[p] * b[matrix.col_ind[p] * features + j];

  std::printf("C = A B, first rows (%s):\n", path);
  for (std::size_t i = 0; i < std::min<std::size_t>(rows, 5); ++i) {
    for (std::size_t j = 0; j < features; ++j)
      std::printf("  %10.4f", c[i * features + j]);
    std::printf("\n");
  }
  return check("spmm", c, expected);
}

int main(int argc, char **argv) {
  try {
    return run(argc > 1 ? argv[1] : "../data/karate.mtx");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
