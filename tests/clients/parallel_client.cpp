// Loops in chunks: rows give what one thread gives to the last bit, sums over everything are near and always the same,
// and small problems stay on the calling thread.
#include "expect.h"

#include "mttkrp.h"
#include "sddmm.h"
#include "spmm.h"
#include "spmv.h"
#include "spmv_on_coo.h"
#include "spmv_on_csc.h"
#include "spmv_on_dcsr.h"
#include "spmv_on_tiny_chunks.h"
#include "total.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

std::atomic<int64_t> tasksRun{0};

/// Runs the tasks on four threads, backwards.
void onThreads(void *, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
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

std::vector<double> ramp(int64_t count) {
  std::vector<double> values;
  for (int64_t n = 0; n < count; ++n)
    values.push_back(1.0 / double(n % 91 + 1));
  return values;
}

/// How many entries a row has.
using Lengths = int64_t (*)(int64_t row, int64_t rows);

int64_t someEmpty(int64_t row, int64_t) {
  return row % 7;
}
int64_t oneFull(int64_t row, int64_t rows) {
  return row == rows / 3 ? 30000 : row % 3;
}
int64_t onlyLast(int64_t row, int64_t rows) {
  return row + 3 >= rows ? 40000 : 0;
}
int64_t none(int64_t, int64_t) {
  return 0;
}

constexpr int64_t kColumns = 40000;

/// A matrix in several storages.
struct Matrix {
  std::vector<int32_t> pointers{0}, rowOf, columns, full, fullPointers{0};
  std::vector<double> values;
  std::vector<int32_t> columnPointers, rowsOfColumns;
  std::vector<double> valuesOfColumns;
  int64_t rows;

  Matrix(int64_t m, Lengths lengths) : rows(m) {
    for (int64_t i = 0; i < m; ++i) {
      const int64_t length = lengths(i, m), step = length > 0 ? kColumns / length : 1;
      for (int64_t e = 0; e < length; ++e) {
        rowOf.push_back(int32_t(i));
        columns.push_back(int32_t(e * step + (i * 7 + e) % step));
        values.push_back(0.1 * double(i % 13 + 1) / double(e % 5 + 3));
      }
      pointers.push_back(int32_t(values.size()));
      if (length > 0) {
        full.push_back(int32_t(i));
        fullPointers.push_back(int32_t(values.size()));
      }
    }
    transpose();
  }

  void transpose() {
    columnPointers.assign(kColumns + 1, 0);
    for (int32_t column : columns)
      ++columnPointers[size_t(column) + 1];
    for (size_t column = 0; column < size_t(kColumns); ++column)
      columnPointers[column + 1] += columnPointers[column];
    std::vector<int32_t> next(columnPointers);
    rowsOfColumns.resize(columns.size());
    valuesOfColumns.resize(columns.size());
    for (size_t e = 0; e < columns.size(); ++e) {
      const auto place = size_t(next[size_t(columns[e])]++);
      rowsOfColumns[place] = rowOf[e];
      valuesOfColumns[place] = values[e];
    }
  }

  int64_t stored() const { return int64_t(values.size()); }
  spc_csr_f64_i32 csr() { return {rows, kColumns, stored(), pointers.data(), columns.data(), values.data()}; }
  spc_coo2_f64_i32 coo() { return {rows, kColumns, stored(), rowOf.data(), columns.data(), values.data()}; }
  spc_dcsr_f64_i32 dcsr() {
    return {{rows, kColumns},    stored(),       int64_t(full.size()), full.data(),
            fullPointers.data(), columns.data(), values.data()};
  }
  spc_csc_f64_i32 csc() {
    return {rows, kColumns, stored(), columnPointers.data(), rowsOfColumns.data(), valuesOfColumns.data()};
  }
};

/// Threads that cost nothing.
spc_context threaded() {
  static int32_t cost = 0;
  spc_context context = spc_default_context();
  context.parallel_for = onThreads;
  context.parallel_cost = &cost;
  return context;
}

bool same(const std::vector<double> &a, const std::vector<double> &b) {
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

bool near(const std::vector<double> &a, const std::vector<double> &b) {
  for (size_t n = 0; n < a.size(); ++n)
    if (!(fabs(a[n] - b[n]) <= 1e-12 * (1 + fabs(a[n]))))
      return false;
  return true;
}

/// y of a kernel on one thread and on several.
template <typename Kernel> void testRows(int64_t rows, bool expectTasks, const Kernel &kernel) {
  std::vector<double> serial(size_t(rows), -1), parallel(size_t(rows), -2), plain(size_t(rows), -3);
  const spc_context context = threaded(), standard = spc_default_context();
  EXPECT_STATUS(SPC_OK, kernel(nullptr, serial));
  tasksRun = 0;
  EXPECT_STATUS(SPC_OK, kernel(&context, parallel));
  EXPECT((tasksRun > 1) == expectTasks);
  EXPECT(same(serial, parallel));
  // OpenMP's threads where this file is compiled with OpenMP.
  EXPECT_STATUS(SPC_OK, kernel(&standard, plain));
  EXPECT(same(serial, plain));
}

void testSpmv(int64_t rows, Lengths lengths, bool expectTasks) {
  Matrix matrix(rows, lengths);
  std::vector<double> x = ramp(kColumns);
  const spc_dense1_f64 xs = spc_dense1_f64_make(x.data(), kColumns);
  const auto dense = [](std::vector<double> &y) { return spc_dense1_f64_make(y.data(), int64_t(y.size())); };
  testRows(rows, expectTasks, [&](const spc_context *context, std::vector<double> &y) {
    const spc_csr_f64_i32 a = matrix.csr();
    spc_dense1_f64 ys = dense(y);
    return spmv_ctx(context, &a, &xs, &ys);
  });
  testRows(rows, expectTasks, [&](const spc_context *context, std::vector<double> &y) {
    const spc_dcsr_f64_i32 a = matrix.dcsr();
    spc_dense1_f64 ys = dense(y);
    return spmv_on_dcsr_ctx(context, &a, &xs, &ys);
  });
  testRows(rows, expectTasks, [&](const spc_context *context, std::vector<double> &y) {
    const spc_coo2_f64_i32 a = matrix.coo();
    spc_dense1_f64 ys = dense(y);
    return spmv_on_coo_ctx(context, &a, &xs, &ys);
  });
}

void *noMemory(void *, int64_t, int64_t) noexcept {
  return nullptr;
}
void noRelease(void *, void *) noexcept {}

/// Columns add to any row: each chunk has a copy of y, and without memory for these there is one chunk.
void testScatter() {
  Matrix matrix(3000, [](int64_t row, int64_t) -> int64_t { return row % 90; });
  const spc_csc_f64_i32 a = matrix.csc();
  std::vector<double> x = ramp(kColumns), serial(3000, -1), parallel(3000, -2), again(3000, -3), poor(3000, -4);
  const spc_dense1_f64 xs = spc_dense1_f64_make(x.data(), kColumns);
  const auto run = [&](const spc_context *context, std::vector<double> &y) {
    spc_dense1_f64 ys = spc_dense1_f64_make(y.data(), 3000);
    tasksRun = 0;
    EXPECT_STATUS(SPC_OK, spmv_on_csc_ctx(context, &a, &xs, &ys));
  };
  spc_context context = threaded();
  run(nullptr, serial);
  run(&context, parallel);
  EXPECT(tasksRun > 1);
  EXPECT(near(serial, parallel));
  run(&context, again);
  EXPECT(same(parallel, again));
  int32_t dear = 1000000000; // roundings do not depend on what was measured
  context.parallel_cost = &dear;
  run(&context, again);
  EXPECT(same(parallel, again));
  context.allocate = noMemory;
  context.deallocate = noRelease;
  run(&context, poor);
  EXPECT(tasksRun == 0);
  EXPECT(same(serial, poor));

  // A schedule that wants a chunk for each element gets no more copies than others.
  context = threaded();
  tasksRun = 0;
  spc_dense1_f64 ys = spc_dense1_f64_make(poor.data(), 3000);
  EXPECT_STATUS(SPC_OK, spmv_on_tiny_chunks_ctx(&context, &a, &xs, &ys));
  EXPECT(tasksRun > 1 && tasksRun <= 16);
  EXPECT(near(serial, poor));
}

void testTotal() {
  Matrix matrix(30000, oneFull);
  const spc_csr_f64_i32 a = matrix.csr();
  std::vector<double> x = ramp(30000), z = ramp(kColumns), sums(3, -1);
  const spc_dense1_f64 xs = spc_dense1_f64_make(x.data(), 30000), zs = spc_dense1_f64_make(z.data(), kColumns);
  const spc_context context = threaded();
  EXPECT_STATUS(SPC_OK, total_ctx(nullptr, &a, &xs, &zs, &sums[0]));
  tasksRun = 0;
  EXPECT_STATUS(SPC_OK, total_ctx(&context, &a, &xs, &zs, &sums[1]));
  EXPECT(tasksRun > 1);
  EXPECT_STATUS(SPC_OK, total_ctx(&context, &a, &xs, &zs, &sums[2]));
  EXPECT(fabs(sums[0] - sums[1]) <= 1e-12 * fabs(sums[0]));
  EXPECT(sums[1] == sums[2]);
}

void testSpmm(int64_t rows) {
  Matrix matrix(rows, someEmpty);
  const spc_csr_f64_i32 a = matrix.csr();
  std::vector<double> b = ramp(kColumns * 19);
  const spc_dense2_f64 bs = spc_dense2_f64_make(b.data(), kColumns, 19);
  testRows(rows * 19, true, [&](const spc_context *context, std::vector<double> &c) {
    spc_dense2_f64 cs = spc_dense2_f64_make(c.data(), rows, 19);
    return spmm_ctx(context, &a, &bs, &cs);
  });
}

void testSddmm(int64_t rows) {
  Matrix matrix(rows, someEmpty);
  std::vector<float> values(matrix.values.begin(), matrix.values.end());
  const auto stored = size_t(matrix.stored());
  const spc_csr_f32_i32 s = {rows,         kColumns, int64_t(stored), matrix.pointers.data(), matrix.columns.data(),
                             values.data()};
  std::vector<float> a(size_t(rows * 8), 0.3f), b(kColumns * 8, 0.7f), serial(stored, -1), parallel(stored, -2);
  for (size_t n = 0; n < a.size(); ++n)
    a[n] /= float(n + 1);
  const spc_dense2_f32 as = spc_dense2_f32_make(a.data(), rows, 8), bs = spc_dense2_f32_make(b.data(), kColumns, 8);
  spc_csr_f32_i32 ds = {}, dp = {};
  ds.values = serial.data();
  dp.values = parallel.data();
  const spc_context context = threaded();
  EXPECT_STATUS(SPC_OK, sddmm_ctx(nullptr, &s, &as, &bs, &ds));
  tasksRun = 0;
  EXPECT_STATUS(SPC_OK, sddmm_ctx(&context, &s, &as, &bs, &dp));
  EXPECT(tasksRun > 1);
  EXPECT(std::memcmp(serial.data(), parallel.data(), stored * sizeof(float)) == 0);
}

/// Every third slice is empty; slice i has i % 5 fibers of i % 4 entries.
void testMttkrp(int64_t slices) {
  std::vector<int32_t> i0, p1{0}, i1, p2{0}, i2;
  for (int64_t i = 0; i < slices; ++i) {
    if (i % 3 == 0 || i % 5 == 0)
      continue;
    i0.push_back(int32_t(i));
    for (int64_t j = 0; j < i % 5; ++j) {
      i1.push_back(int32_t(j * 2));
      for (int64_t k = 0; k < i % 4; ++k)
        i2.push_back(int32_t(k * 3));
      p2.push_back(int32_t(i2.size()));
    }
    p1.push_back(int32_t(i1.size()));
  }
  std::vector<double> values = ramp(int64_t(i2.size())), b = ramp(10 * 16), c = ramp(12 * 16);
  const spc_csf3_f64_i32 t = {{slices, 10, 12}, int64_t(i2.size()), int64_t(i0.size()), int64_t(i1.size()),
                              i0.data(),        p1.data(),          i1.data(),          p2.data(),
                              i2.data(),        values.data()};
  const spc_dense2_f64 bs = spc_dense2_f64_make(b.data(), 10, 16), cs = spc_dense2_f64_make(c.data(), 12, 16);
  testRows(slices * 16, true, [&](const spc_context *context, std::vector<double> &m) {
    spc_dense2_f64 ms = spc_dense2_f64_make(m.data(), slices, 16);
    return mttkrp_ctx(context, &t, &bs, &cs, &ms);
  });
}

/// How many tasks SpMV on a matrix of three entries a row starts.
int64_t tasksOf(const spc_context &context, int64_t rows) {
  Matrix matrix(rows, [](int64_t, int64_t) -> int64_t { return 3; });
  const spc_csr_f64_i32 a = matrix.csr();
  std::vector<double> x = ramp(kColumns), y(size_t(rows), -1);
  const spc_dense1_f64 xs = spc_dense1_f64_make(x.data(), kColumns);
  spc_dense1_f64 ys = spc_dense1_f64_make(y.data(), rows);
  tasksRun = 0;
  EXPECT_STATUS(SPC_OK, spmv_ctx(&context, &a, &xs, &ys));
  return tasksRun;
}

/// The number of tasks follows from the work, and whether there are any from what they cost.
void testCosts() {
  spc_context context = threaded();
  int32_t cost = 0;
  context.parallel_cost = &cost;
  EXPECT(tasksOf(context, 25) == 0);
  EXPECT(tasksOf(context, 2500) == 0);
  int64_t before = 2;
  for (const int64_t rows : {5000, 20000, 60000}) {
    const int64_t tasks = tasksOf(context, rows);
    EXPECT(tasks >= before && tasks <= rows / 1000 && tasks <= 128);
    before = tasks;
  }
  EXPECT(tasksOf(context, 500000) == 128);

  // What is not worth its cost lessens it, until it is tried again.
  cost = 1000000;
  EXPECT(tasksOf(context, 25) == 0 && cost == 1000000);
  EXPECT(tasksOf(context, 20000) == 0 && cost < 1000000 && cost > 990000);
  cost = 10000;
  int calls = 1;
  while (calls < 100 && tasksOf(context, 20000) == 0)
    ++calls;
  EXPECT(calls > 1 && calls < 100 && cost > 0);
  cost = 100;
  EXPECT(tasksOf(context, 20000) > 1 && cost == 100);

  // Contexts of programs that know no cost, or do not say it.
  context.parallel_cost = nullptr;
  EXPECT(tasksOf(context, 5000) == 0 && tasksOf(context, 60000) > 1);
  cost = 1000000;
  context.parallel_cost = &cost;
  context.struct_size = int64_t(offsetof(spc_context, parallel_cost));
  EXPECT(tasksOf(context, 5000) == 0 && tasksOf(context, 60000) > 1 && cost == 1000000);
}

} // namespace

int main() {
  testSpmv(0, none, false);
  testSpmv(3, someEmpty, false);
  testSpmv(1000, someEmpty, false);
  testSpmv(40000, someEmpty, true);
  testSpmv(50000, oneFull, true);
  testSpmv(20000, onlyLast, true);
  testSpmv(100000, none, true);
  testScatter();
  testTotal();
  testSpmm(1537);
  testSddmm(4099);
  testMttkrp(4000);
  testCosts();
  return failures != 0;
}
