// Generated kernels against hand-written loops, in one process: `spc_bench [--rounds N] MATRIX.mtx[.gz]...`
//
// One thread, pinned. Each round runs both contenders back to back, the order alternating; a row gives the median time
// of each and the median of the rounds' ratios (hand / spc: above 1 means that the generated kernel is faster). Results
// are compared before anything is timed.
#include "hand_loops.h"
#include "harness.h"

#include "sddmm.h"
#include "spmm.h"
#include "spmv.h"

#include "tensor/files.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

struct Csr {
  int64_t rows = 0, columns = 0;
  std::vector<int32_t> pointers, indices;
  std::vector<double> values;

  CsrView view() const { return {rows, columns, pointers.data(), indices.data(), values.data()}; }
  spc_csr_f64_i32 asArgument() {
    return {rows, columns, int64_t(values.size()), pointers.data(), indices.data(), values.data()};
  }
};

bool load(const std::string &path, Csr &matrix) {
  spc::Diagnostics diagnostics;
  auto entries = spc::tensor::readTensor(path, std::nullopt, diagnostics);
  if (!entries || entries->order() != 2)
    return false;
  spc::tensor::sortAndSum(*entries);
  matrix.rows = entries->shape[0];
  matrix.columns = entries->shape[1];
  matrix.pointers.assign(matrix.rows + 1, 0);
  for (size_t e = 0; e < entries->size(); ++e) {
    ++matrix.pointers[entries->coordinates[2 * e] + 1];
    matrix.indices.push_back(int32_t(entries->coordinates[2 * e + 1]));
  }
  for (int64_t i = 0; i < matrix.rows; ++i)
    matrix.pointers[i + 1] += matrix.pointers[i];
  matrix.values = std::move(entries->values);
  return true;
}

/// Times both and prints one row.
void printRow(const std::string &matrix, const char *kernel, int rounds, const std::function<void()> &hand,
              const std::function<void()> &generated) {
  Comparison times = compare(rounds, hand, generated);
  std::printf("%-24s %-12s %12.1f %12.1f %8.2f\n", matrix.c_str(), kernel, times.reference * 1e6, times.candidate * 1e6,
              times.ratio);
}

void benchSpmv(const std::string &name, Csr &matrix, int rounds) {
  std::vector<double> x = randomValues(matrix.columns, 1), expected(matrix.rows), y(matrix.rows, NAN);
  spc_csr_f64_i32 a = matrix.asArgument();
  spc_dense1_f64 xArgument = spc_dense1_f64_make(x.data(), matrix.columns);
  spc_dense1_f64 yArgument = spc_dense1_f64_make(y.data(), matrix.rows);
  auto hand = [&] { handSpmv(matrix.view(), x.data(), expected.data()); };
  auto generated = [&] { check(spmv(&a, &xArgument, &yArgument) == SPC_OK, "spmv returned an error"); };
  hand(), generated();
  check(largestDifference(y, expected) < 1e-12, "spmv is wrong");
  printRow(name, "SpMV", rounds, hand, generated);
}

void benchSpmm(const std::string &name, Csr &matrix, int64_t k, int rounds) {
  std::vector<double> b = randomValues(matrix.columns * k, 2), expected(matrix.rows * k), c(matrix.rows * k, NAN);
  spc_csr_f64_i32 a = matrix.asArgument();
  spc_dense2_f64 bArgument = spc_dense2_f64_make(b.data(), matrix.columns, k);
  spc_dense2_f64 cArgument = spc_dense2_f64_make(c.data(), matrix.rows, k);
  auto hand = [&] { handSpmm(matrix.view(), b.data(), expected.data(), k); };
  auto generated = [&] { check(spmm(&a, &bArgument, &cArgument) == SPC_OK, "spmm returned an error"); };
  hand(), generated();
  check(largestDifference(c, expected) < 1e-12, "spmm is wrong");
  printRow(name, ("SpMM K=" + std::to_string(k)).c_str(), rounds, hand, generated);
}

void benchSddmm(const std::string &name, Csr &matrix, int64_t k, int rounds) {
  std::vector<double> a = randomValues(matrix.rows * k, 3), b = randomValues(matrix.columns * k, 4);
  std::vector<double> expected(matrix.values.size()), out(matrix.values.size(), NAN);
  spc_csr_f64_i32 s = matrix.asArgument();
  spc_dense2_f64 aArgument = spc_dense2_f64_make(a.data(), matrix.rows, k);
  spc_dense2_f64 bArgument = spc_dense2_f64_make(b.data(), matrix.columns, k);
  spc_csr_f64_i32 d = {};
  d.values = out.data();
  auto hand = [&] { handSddmm(matrix.view(), a.data(), b.data(), expected.data(), k); };
  auto generated = [&] { check(sddmm(&s, &aArgument, &bArgument, &d) == SPC_OK, "sddmm returned an error"); };
  hand(), generated();
  check(largestDifference(out, expected) < 1e-12, "sddmm is wrong");
  printRow(name, ("SDDMM K=" + std::to_string(k)).c_str(), rounds, hand, generated);
}

} // namespace

int main(int argc, char **argv) {
  int rounds = 21;
  std::vector<std::string> paths;
  for (int n = 1; n < argc; ++n) {
    if (!std::strcmp(argv[n], "--rounds") && n + 1 < argc)
      rounds = std::max(1, std::atoi(argv[++n]));
    else
      paths.push_back(argv[n]);
  }
  check(!paths.empty(), "usage: spc_bench [--rounds N] MATRIX.mtx[.gz]...");
  pinToOneCore();
  std::printf("%-24s %-12s %12s %12s %8s\n", "matrix", "kernel", "hand [us]", "spc [us]", "hand/spc");
  for (const std::string &path : paths) {
    Csr matrix;
    check(load(path, matrix), ("cannot read " + path).c_str());
    std::string name = path.substr(path.find_last_of('/') + 1);
    name = name.substr(0, name.find('.'));
    benchSpmv(name, matrix, rounds);
    benchSpmm(name, matrix, 32, rounds);
    benchSpmm(name, matrix, 128, rounds);
    benchSddmm(name, matrix, 64, rounds);
  }
}
