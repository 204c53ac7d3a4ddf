// Rows in chunks: threads give what one thread gives, to the last bit, and small problems stay on the calling thread.
#include "expect.h"

#include "sddmm.h"
#include "spmm.h"
#include "spmv.h"

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

namespace {

std::atomic<int64_t> tasksRun{0};

/// Runs the tasks on four threads, backwards.
void onThreads(void *, int64_t tasks, void (*task)(void *, int64_t), void *closure) {
  std::atomic<int64_t> next{tasks};
  auto work = [&] {
    for (int64_t index; (index = --next) >= 0;) {
      task(closure, index);
      ++tasksRun;
    }
  };
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
}

/// Row i has i % 7 entries, so that some rows are empty.
struct Matrix {
  std::vector<int32_t> pointers{0}, indices;
  std::vector<double> values;
  int64_t rows, columns;

  Matrix(int64_t m, int64_t n) : rows(m), columns(n) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t e = 0; e < i % 7; ++e) {
        indices.push_back(int32_t((i + e * 11) % 5 + e * 5));
        values.push_back(0.1 * double(i + 1) / double(e + 3));
      }
      pointers.push_back(int32_t(indices.size()));
    }
  }
  spc_csr_f64_i32 argument() {
    return {rows, columns, int64_t(values.size()), pointers.data(), indices.data(), values.data()};
  }
};

std::vector<double> ramp(int64_t count) {
  std::vector<double> values;
  for (int64_t n = 0; n < count; ++n)
    values.push_back(1.0 / double(n + 1));
  return values;
}

spc_context threaded() {
  spc_context context = spc_default_context();
  context.parallel_for = onThreads;
  return context;
}

bool same(const std::vector<double> &a, const std::vector<double> &b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void testSpmv(int64_t rows, bool expectTasks) {
  Matrix matrix(rows, 40);
  spc_csr_f64_i32 a = matrix.argument();
  std::vector<double> x = ramp(40), serial(rows, -1), parallel(rows, -2);
  spc_dense1_f64 xs = spc_dense1_f64_make(x.data(), 40);
  spc_dense1_f64 ys = spc_dense1_f64_make(serial.data(), rows);
  spc_dense1_f64 yp = spc_dense1_f64_make(parallel.data(), rows);
  const spc_context context = threaded();
  EXPECT_STATUS(SPC_OK, spmv_ctx(nullptr, &a, &xs, &ys));
  tasksRun = 0;
  EXPECT_STATUS(SPC_OK, spmv_ctx(&context, &a, &xs, &yp));
  EXPECT((tasksRun > 1) == expectTasks);
  EXPECT(same(serial, parallel));
  // The default context: OpenMP's threads where this file is compiled with OpenMP.
  std::vector<double> plain(rows, -3);
  spc_dense1_f64 yd = spc_dense1_f64_make(plain.data(), rows);
  EXPECT_STATUS(SPC_OK, spmv(&a, &xs, &yd));
  EXPECT(same(serial, plain));
}

void testSpmm(int64_t rows) {
  Matrix matrix(rows, 40);
  spc_csr_f64_i32 a = matrix.argument();
  std::vector<double> b = ramp(40 * 9), serial(rows * 9, -1), parallel(rows * 9, -2);
  spc_dense2_f64 bs = spc_dense2_f64_make(b.data(), 40, 9);
  spc_dense2_f64 cs = spc_dense2_f64_make(serial.data(), rows, 9);
  spc_dense2_f64 cp = spc_dense2_f64_make(parallel.data(), rows, 9);
  const spc_context context = threaded();
  EXPECT_STATUS(SPC_OK, spmm_ctx(nullptr, &a, &bs, &cs));
  tasksRun = 0;
  EXPECT_STATUS(SPC_OK, spmm_ctx(&context, &a, &bs, &cp));
  EXPECT(tasksRun > 1);
  EXPECT(same(serial, parallel));
}

void testSddmm(int64_t rows) {
  Matrix matrix(rows, 40);
  std::vector<float> values(matrix.values.begin(), matrix.values.end());
  const int64_t stored = int64_t(values.size());
  spc_csr_f32_i32 s = {rows, 40, stored, matrix.pointers.data(), matrix.indices.data(), values.data()};
  std::vector<float> a(rows * 5, 0.3f), b(40 * 5, 0.7f), serial(values.size(), -1), parallel(values.size(), -2);
  for (int64_t n = 0; n < rows * 5; ++n)
    a[n] /= float(n + 1);
  spc_dense2_f32 as = spc_dense2_f32_make(a.data(), rows, 5);
  spc_dense2_f32 bs = spc_dense2_f32_make(b.data(), 40, 5);
  spc_csr_f32_i32 ds = {}, dp = {};
  ds.values = serial.data();
  dp.values = parallel.data();
  const spc_context context = threaded();
  EXPECT_STATUS(SPC_OK, sddmm_ctx(nullptr, &s, &as, &bs, &ds));
  tasksRun = 0;
  EXPECT_STATUS(SPC_OK, sddmm_ctx(&context, &s, &as, &bs, &dp));
  EXPECT(tasksRun > 1);
  EXPECT(std::memcmp(serial.data(), parallel.data(), serial.size() * sizeof(float)) == 0);
}

} // namespace

int main() {
  testSpmv(3, false);
  testSpmv(511, false);
  testSpmv(512, true);
  testSpmv(1000, true);
  testSpmv(4099, true);
  testSpmm(1537);
  testSddmm(2048);
  return failures != 0;
}
