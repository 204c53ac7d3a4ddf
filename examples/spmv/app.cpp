// One step of counting walks on a graph: y = A x by spc's kernel, checked against a plain loop.
// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include "matrix_market.h"
#include "spmv.h"

#include <exception>

static int run(const char *path) {
  matrix_market::Csr matrix = matrix_market::read(path);
  std::vector<double> x_values(static_cast<std::size_t>(matrix.ncols), 1.0);
  std::vector<double> y_values(static_cast<std::size_t>(matrix.nrows));

  spc_csr_f64_i32 A = {matrix.nrows,          matrix.ncols,          matrix.nnz(),
                       matrix.row_ptr.data(), matrix.col_ind.data(), matrix.values.data()};
  spc_dense1_f64 x = spc_dense1_f64_make(x_values.data(), matrix.ncols);
  spc_dense1_f64 y = spc_dense1_f64_make(y_values.data(), matrix.nrows);
  spc_status status = spmv(&A, &x, &y);
  if (status != SPC_OK) {
    std::fprintf(stderr, "spmv: %s\n", spc_status_string(status));
    return 1;
  }

  std::vector<double> expected(y_values.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::int32_t p = matrix.row_ptr[i]; p < matrix.row_ptr[i + 1]; ++p)
      expected[i] += matrix.values[p] * x_values[matrix.col_ind[p]];

  std::printf("y = A x, the sums of A's rows (%s):\n", path);
  for (std::size_t i = 0; i < std::min<std::size_t>(y_values.size(), 10); ++i)
    std::printf("  y(%zu) = %g\n", i + 1, y_values[i]);
  return check("spmv", y_values, expected);
}

int main(int argc, char **argv) {
  try {
    return run(argc > 1 ? argv[1] : "../data/karate.mtx");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
