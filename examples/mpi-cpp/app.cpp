/// C = A B and E = A' D on processes, each of which has some rows of everything: spc's kernels, and spc/mpi.hpp for the
/// rows that they read of others or add to others. A is the matrix of a grid whose points are divided among processes;
/// the program checks that C . D = B . E. SPDX-License-Identifier: Apache-2.0
#include "spmm.h"
#include "transposed.h"

#include <spc/mpi.hpp>
#include <spc/spc.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace {

/// Rows of a matrix in CSR; columns are those of the whole.
struct Rows {
  std::vector<int32_t> pointers{0}, columns;
  std::vector<double> values;
};

/// Points `begin` to `end` - 1 of a grid of n x n, each of which has weights for itself and the four beside it.
Rows grid(int32_t n, int32_t begin, int32_t end) {
  Rows rows;
  for (int32_t point = begin; point < end; ++point) {
    const int32_t i = point / n, j = point % n;
    const auto add = [&](int32_t column, bool inside) {
      if (!inside)
        return;
      rows.columns.push_back(column);
      rows.values.push_back(1.0 + (point + 3 * column) % 10);
    };
    add(point - n, i > 0);
    add(point - 1, j > 0);
    add(point, true);
    add(point + 1, j < n - 1);
    add(point + n, i < n - 1);
    rows.pointers.push_back(static_cast<int32_t>(rows.columns.size()));
  }
  return rows;
}

double dot(const std::vector<double> &a, const std::vector<double> &b, size_t count) {
  const double mine = std::inner_product(a.begin(), a.begin() + static_cast<ptrdiff_t>(count), b.begin(), 0.0);
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/// Some rows of C = A B. Rows of A that lie behind each other are a matrix of the same arrays.
void multiply(const Rows &A, spc::mpi::run run, const std::vector<double> &B, std::vector<double> &C, int64_t width) {
  const int64_t columns = static_cast<int64_t>(B.size()) / width;
  const spc_csr_f64_i32 slice = {run.end - run.begin,
                                 columns,
                                 A.pointers[static_cast<size_t>(run.end)],
                                 &A.pointers[static_cast<size_t>(run.begin)],
                                 A.columns.data(),
                                 A.values.data()};
  const spc_dense2_f64 read = spc_dense2_f64_make(B.data(), columns, width);
  spc_dense2_f64 written = spc_dense2_f64_make(&C[static_cast<size_t>(run.begin * width)], slice.nrows, width);
  spc::check(spmm(&slice, &read, &written), "spmm");
}

int run(int32_t n, int64_t width) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto points = static_cast<int64_t>(n) * n;
  const auto begin = static_cast<int32_t>(points * rank / size), end = static_cast<int32_t>(points * (rank + 1) / size);
  Rows A = grid(n, begin, end);

  const auto rows = spc::mpi::owners::ranges(MPI_COMM_WORLD, end - begin);
  spc::mpi::halo halo(rows, A.columns);
  A.columns = halo.renumber(A.columns);
  const spc::mpi::runs runs = spc::mpi::split(A.pointers, A.columns, halo.own());

  const auto own = static_cast<size_t>(halo.own() * width), all = static_cast<size_t>(halo.size() * width);
  std::vector<double> B(all), C(own), D(own), E(all);
  for (size_t k = 0; k < own; ++k) {
    const size_t place = static_cast<size_t>(begin * width) + k;
    B[k] = std::sin(static_cast<double>(place));
    D[k] = std::cos(static_cast<double>(place));
  }
  halo.start(B.data(), width);
  for (const spc::mpi::run part : runs.interior)
    multiply(A, part, B, C, width);
  halo.finish();
  for (const spc::mpi::run part : runs.boundary)
    multiply(A, part, B, C, width);

  const auto a = spc::csr(halo.own(), halo.size(), A.pointers, A.columns, A.values);
  spc::check(transposed(a, spc::dense(D, halo.own(), width), spc::dense(E, halo.size(), width)), "transposed");
  halo.start_sum(E.data(), width);
  halo.finish_sum(E.data());

  const double one = dot(C, D, own), other = dot(B, E, own);
  if (rank == 0)
    std::printf("%d processes, %lld rows of the halo at the first: C . D = %.12g, B . E = %.12g\n", size,
                static_cast<long long>(halo.ghosts()), one, other);
  return std::abs(one - other) <= 1e-9 * (1 + std::abs(one)) ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int result = run(argc > 1 ? std::atoi(argv[1]) : 100, 16);
  MPI_Finalize();
  return result;
}
