// A call that is large enough to find out for itself whether prefetches pay gives what one without any gives, to the
// last bit, on one thread and on several.
#include "expect.h"
#include "workers.h"

#include "spmm.h"
#include "spmm_on_plain_loops.h"
#include "spmv.h"
#include "spmv_on_plain_loops.h"

#include <cstring>
#include <vector>

namespace {

constexpr int64_t kRows = 8192, kColumns = 128;
constexpr int64_t kFew = 32;   ///< entries of a row: 2^25 multiplications by a matrix
constexpr int64_t kMany = 128; ///< 2^20 by a vector

void onThreads(void *user, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
  static_cast<Workers *>(user)->run(tasks, task, closure);
}

/// Columns that lie all over the operand.
struct Matrix {
  std::vector<int32_t> pointers{0}, columns;
  std::vector<double> values;

  explicit Matrix(int64_t length) {
    uint32_t state = 1;
    for (int64_t i = 0; i < kRows; ++i) {
      for (int64_t e = 0; e < length; ++e) {
        state = state * 1664525 + 1013904223;
        columns.push_back(int32_t(e * (kRows / length) + state % (kRows / length)));
        values.push_back(1.0 / double(state % 97 + 1));
      }
      pointers.push_back(int32_t(columns.size()));
    }
  }

  spc_csr_f64_i32 view() {
    return {kRows, kRows, int64_t(columns.size()), pointers.data(), columns.data(), values.data()};
  }
};

std::vector<double> operandOf(int64_t size) {
  std::vector<double> operand;
  for (int64_t e = 0; e < size; ++e)
    operand.push_back(1.0 / double(e % 1009 + 1));
  return operand;
}

template <typename Kernel> std::vector<double> timesMatrix(Kernel kernel, const spc_context &context) {
  static Matrix matrix(kFew);
  std::vector<double> operand = operandOf(kRows * kColumns), result(kRows * kColumns, -1);
  const spc_csr_f64_i32 a = matrix.view();
  const spc_dense2_f64 b = {{kRows, kColumns}, {kColumns, 1}, operand.data()};
  spc_dense2_f64 c = {{kRows, kColumns}, {kColumns, 1}, result.data()};
  EXPECT(kernel(&context, &a, &b, &c) == SPC_OK);
  return result;
}

template <typename Kernel> std::vector<double> timesVector(Kernel kernel, const spc_context &context) {
  static Matrix matrix(kMany);
  std::vector<double> operand = operandOf(kRows), result(kRows, -1);
  const spc_csr_f64_i32 a = matrix.view();
  const spc_dense1_f64 x = {kRows, 1, operand.data()};
  spc_dense1_f64 y = {kRows, 1, result.data()};
  EXPECT(kernel(&context, &a, &x, &y) == SPC_OK);
  return result;
}

bool areSame(const std::vector<double> &one, const std::vector<double> &other) {
  return std::memcmp(one.data(), other.data(), one.size() * sizeof(double)) == 0;
}

} // namespace

int main() {
  spc_context alone = spc_default_context();
  alone.parallel_for = nullptr;
  Workers workers;
  spc_context threads = alone;
  threads.user = &workers;
  threads.parallel_for = onThreads;
  const std::vector<double> matrix = timesMatrix(spmm_on_plain_loops_ctx, alone);
  EXPECT(matrix.back() > 0);
  EXPECT(areSame(matrix, timesMatrix(spmm_ctx, alone)));
  EXPECT(areSame(matrix, timesMatrix(spmm_ctx, threads)));
  const std::vector<double> vector = timesVector(spmv_on_plain_loops_ctx, alone);
  EXPECT(vector.back() > 0);
  EXPECT(areSame(vector, timesVector(spmv_ctx, alone)));
  EXPECT(areSame(vector, timesVector(spmv_ctx, threads)));
  return failures == 0 ? 0 : 1;
}
