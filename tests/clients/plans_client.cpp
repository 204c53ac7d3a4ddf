// Plans: what NAME_symbolic leaves to NAME_numeric. With one the numeric phase gives the bits of a call in one phase,
// for any values, on any threads, and refuses structures that the plan is not of, or stays within the result.
#include "blend.h"
#include "converted_on_csc.h"
#include "converted_on_dup.h"
#include "excess.h"
#include "spadd.h"
#include "spgemm.h"

#include "counting_heap.h"
#include "expect.h"
#include "workers.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr int64_t kSize = 120; // index arrays below 4 KiB, of which all is compared

using Csr = spc_csr_f64_i32;

Workers &workers() {
  static Workers one;
  return one;
}

counting_heap heap;

void parallelFor(void *, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
  workers().run(tasks, task, closure);
}

/// Counts memory; on one thread, or on several whatever they cost.
spc_context contextOf(bool isParallel, int64_t failing = -1) {
  heap = {0, 0, failing, 0};
  static int32_t cost = 0;
  spc_context context = spc_default_context();
  context.user = &heap;
  context.allocate = counting_allocate;
  context.deallocate = counting_deallocate;
  context.parallel_for = isParallel ? parallelFor : nullptr;
  context.parallel_cost = isParallel ? &cost : nullptr;
  return context;
}

/// Rows of 0 to 9 entries.
struct Arrays {
  std::vector<int32_t> pointers = {0}, columns;
  std::vector<double> values;

  explicit Arrays(int64_t seed) {
    for (int64_t row = 0; row < kSize; ++row) {
      int64_t column = (row * 7 + seed) % 31;
      for (int64_t k = 0; k < (row * seed) % 10 && column < kSize; ++k, column += 1 + (row + k * seed) % 37)
        columns.push_back(static_cast<int32_t>(column));
      pointers.push_back(static_cast<int32_t>(columns.size()));
    }
    setValues(seed);
  }

  void setValues(int64_t seed) {
    values.resize(columns.size());
    for (size_t e = 0; e < values.size(); ++e)
      values[e] = static_cast<double>(static_cast<int64_t>(e) * seed % 17 - 8) / 3;
  }

  Csr view() {
    return {kSize, kSize, static_cast<int64_t>(columns.size()), pointers.data(), columns.data(), values.data()};
  }
};

/// Every place several times, in order.
struct Repeats {
  std::vector<int32_t> rows, columns;
  std::vector<double> values;

  explicit Repeats(Arrays &from) {
    for (int64_t row = 0; row < kSize; ++row)
      for (int32_t e = from.pointers[static_cast<size_t>(row)]; e < from.pointers[static_cast<size_t>(row) + 1]; ++e)
        for (int64_t k = 0; k <= e % 3; ++k) {
          rows.push_back(static_cast<int32_t>(row));
          columns.push_back(from.columns[static_cast<size_t>(e)]);
          values.push_back(from.values[static_cast<size_t>(e)] * static_cast<double>(k + 1) / 7);
        }
  }

  spc_csn_f64_i32 view() {
    return {{kSize, kSize}, static_cast<int64_t>(values.size()), rows.data(), columns.data(), values.data()};
  }
};

template <typename Output> bool sameValues(const Output &one, const Output &other) {
  return one.nnz == other.nnz && std::memcmp(one.values, other.values, static_cast<size_t>(one.nnz) * 8) == 0;
}

void release(const spc_context &context, Csr &A) {
  spc_csr_f64_i32_free_ctx(&context, &A);
}
void release(const spc_context &context, spc_csc_f64_i32 &A) {
  spc_csc_f64_i32_free_ctx(&context, &A);
}

/// A kernel whose operands are bound, but for their values' seed.
template <typename Output, typename Once, typename Symbolic, typename Numeric> struct Case {
  Once once;
  Symbolic symbolic;
  Numeric numeric;

  /// The bits of a call in one phase, whatever the values.
  template <typename Change> void testValues(const Change &change) const {
    for (const bool isParallel : {false, true}) {
      const spc_context context = contextOf(isParallel);
      Output P{};
      spc_plan plan;
      EXPECT_STATUS(SPC_OK, symbolic(&context, &P, &plan));
      EXPECT(P.values == nullptr && plan.memory != nullptr && plan.bytes > 0);
      for (int64_t round = 1; round < 4; ++round) {
        change(round);
        Output A{};
        EXPECT_STATUS(SPC_OK, once(&context, &A));
        EXPECT_STATUS(SPC_OK, numeric(&context, &P, &plan));
        EXPECT(A.nnz > 0 && sameValues(A, P));
        release(context, A);
      }
      const spc_plan none = {};
      for (const spc_plan *other : {static_cast<const spc_plan *>(nullptr), &none})
        EXPECT_STATUS(SPC_OK, numeric(&context, &P, other));
      spc_plan_free_ctx(&context, &plan);
      EXPECT(plan.memory == nullptr && plan.bytes == 0);
      spc_plan_free_ctx(&context, &plan);
      release(context, P);
      EXPECT(heap.alive == 0 && heap.refused == 0);
    }
  }

  /// Each allocation of the symbolic phase fails once: nothing is kept, and neither the output nor the plan is set.
  void testMemory() const {
    const Output before{};
    for (int64_t failing = 0;; ++failing) {
      const spc_context context = contextOf(false, failing);
      Output P{};
      spc_plan plan = {&heap, 7};
      const spc_status status = symbolic(&context, &P, &plan);
      if (status == SPC_OK) {
        spc_plan_free_ctx(&context, &plan);
        release(context, P);
        EXPECT(heap.alive == 0);
        if (heap.allocations <= failing)
          return;
        continue; // memory for a faster way alone
      }
      EXPECT_STATUS(SPC_ERROR_MEMORY, status);
      EXPECT(heap.alive == 0 && plan.memory == &heap && plan.bytes == 7);
      EXPECT(std::memcmp(&P, &before, sizeof P) == 0);
    }
  }

  /// While `spoil` holds, structures are others than the plan's, and no value is written.
  template <typename Spoil, typename Mend> void testOthers(const Spoil &spoil, const Mend &mend) const {
    const spc_context context = contextOf(false);
    Output P{};
    spc_plan plan;
    EXPECT_STATUS(SPC_OK, symbolic(&context, &P, &plan));
    EXPECT_STATUS(SPC_OK, numeric(&context, &P, &plan));
    std::vector<double> kept(P.values, P.values + P.nnz);
    spoil(P);
    EXPECT_STATUS(SPC_ERROR_PATTERN, numeric(&context, &P, &plan));
    EXPECT(std::memcmp(P.values, kept.data(), kept.size() * sizeof(double)) == 0);
    mend(P);
    EXPECT_STATUS(SPC_OK, numeric(&context, &P, &plan));
    spc_plan_free_ctx(&context, &plan);
    release(context, P);
  }
};

template <typename Output, typename Once, typename Symbolic, typename Numeric>
Case<Output, Once, Symbolic, Numeric> makeCase(Once once, Symbolic symbolic, Numeric numeric) {
  return {once, symbolic, numeric};
}

/// Two operands.
#define BINARY(kernel)                                                                                                 \
  makeCase<Csr>(                                                                                                       \
      [&](const spc_context *ctx, Csr *A) { return kernel##_ctx(ctx, &B, &C, A); },                                    \
      [&](const spc_context *ctx, Csr *A, spc_plan *plan) { return kernel##_symbolic_ctx(ctx, &B, &C, A, plan); },     \
      [&](const spc_context *ctx, Csr *A, const spc_plan *plan) {                                                      \
        return kernel##_numeric_ctx(ctx, &B, &C, A, plan);                                                             \
      })
/// One operand.
#define UNARY(kernel, Output)                                                                                          \
  makeCase<Output>(                                                                                                    \
      [&](const spc_context *ctx, Output *A) { return kernel##_ctx(ctx, &B, A); },                                     \
      [&](const spc_context *ctx, Output *A, spc_plan *plan) { return kernel##_symbolic_ctx(ctx, &B, A, plan); },      \
      [&](const spc_context *ctx, Output *A, const spc_plan *plan) { return kernel##_numeric_ctx(ctx, &B, A, plan); })

void testBinary() {
  Arrays b(3), c(7);
  Csr B = b.view(), C = c.view();
  const auto change = [&](int64_t round) {
    b.setValues(round);
    c.setValues(round + 5);
  };
  const auto test = [&](const auto &binary) {
    binary.testValues(change);
    binary.testMemory();
    int32_t &column = b.columns[b.columns.size() / 2];
    binary.testOthers([&](Csr &) { ++column; }, [&](Csr &) { --column; }); // in place
    const auto middleOf = [](Csr &P) -> int32_t & { return const_cast<int32_t *>(P.col_ind)[P.nnz / 2]; };
    binary.testOthers([&](Csr &P) { ++middleOf(P); }, [&](Csr &P) { --middleOf(P); });
    Arrays other(5);
    binary.testOthers([&](Csr &) { C = other.view(); }, [&](Csr &) { C = c.view(); });
  };
  test(BINARY(spgemm));
  test(BINARY(spadd));
  test(BINARY(blend)); // with products, which might be fused with the additions
  test(BINARY(excess));
}

/// A plan of one kernel is none of another's, though all structures are the same.
void testOtherKernel() {
  Arrays b(3), c(7);
  const Csr B = b.view(), C = c.view();
  Csr sum{}, product{};
  spc_plan plan;
  EXPECT_STATUS(SPC_OK, spgemm_symbolic(&B, &C, &product, &plan));
  EXPECT_STATUS(SPC_OK, spadd_symbolic(&B, &C, &sum, nullptr));
  EXPECT_STATUS(SPC_ERROR_PATTERN, spadd_numeric(&B, &C, &sum, &plan));
  EXPECT(sum.values == nullptr);
  spc_plan_free(&plan);
  spc_csr_f64_i32_free(&sum);
  spc_csr_f64_i32_free(&product);
}

void testConversions() {
  Arrays b(3);
  {
    Csr B = b.view();
    const auto transposition = UNARY(converted_on_csc, spc_csc_f64_i32);
    transposition.testValues([&](int64_t round) { b.setValues(round); });
    transposition.testMemory();
    int32_t &column = b.columns[b.columns.size() / 2];
    transposition.testOthers([&](spc_csc_f64_i32 &) { ++column; }, [&](spc_csc_f64_i32 &) { --column; });
  }
  Repeats repeats(b);
  const spc_csn_f64_i32 B = repeats.view();
  const auto assembly = UNARY(converted_on_dup, Csr);
  assembly.testValues([&](int64_t round) {
    for (double &value : repeats.values)
      value = value * static_cast<double>(round) + 0.1;
  });
  assembly.testMemory();
}

/// Rows 30 to 89 of a matrix, whose positions are those in the whole.
void testSlices() {
  Arrays b(3), c(7);
  const auto sliceOf = [](Arrays &of) {
    return Csr{60, kSize, of.pointers[90], of.pointers.data() + 30, of.columns.data(), of.values.data()};
  };
  Csr B = sliceOf(b), C = c.view();
  BINARY(spgemm).testValues([&](int64_t round) { b.setValues(round); });
  C = sliceOf(c);
  BINARY(spadd).testValues([&](int64_t round) { c.setValues(round); });
  UNARY(converted_on_csc, spc_csc_f64_i32).testValues([&](int64_t round) { b.setValues(round); });
}

/// Of long arrays a plan's fingerprint looks at a sample: where the rows of an operand are others elsewhere, nothing is
/// written outside of the result all the same.
void testUnseen() {
  constexpr int64_t rows = 2048, line = 16, behind = 16;
  std::vector<int32_t> all(rows + 1), half(rows + 1), columns(rows, 0);
  for (int64_t row = 0; row <= rows; ++row) {
    all[static_cast<size_t>(row)] = static_cast<int32_t>(row);
    half[static_cast<size_t>(row)] = static_cast<int32_t>(row / 2);
  }
  std::vector<double> ones(rows, 1.0), values(rows + behind);
  const Csr B{rows, 1, rows, all.data(), columns.data(), ones.data()};
  for (std::vector<int32_t> *pointers : {&all, &half}) {
    const Csr C{rows, 1, pointers->back(), pointers->data(), columns.data(), ones.data()};
    Csr P{};
    spc_plan plan;
    EXPECT_STATUS(SPC_OK, spadd_symbolic(&B, &C, &P, &plan));
    P.values = values.data();
    int64_t unseen = 0;
    for (int64_t first = line; first < rows; first += line) {
      const std::vector<int32_t> kept = all;
      std::fill_n(all.begin() + first, line, all[static_cast<size_t>(first) - 1]);
      std::fill(values.begin(), values.end(), -7.0);
      const spc_status status = spadd_numeric(&B, &C, &P, &plan);
      EXPECT(status == SPC_OK || status == SPC_ERROR_PATTERN);
      unseen += status == SPC_OK ? 1 : 0;
      EXPECT(std::count(values.begin() + rows, values.end(), -7.0) == behind);
      all = kept;
    }
    EXPECT(unseen > 0);
    P.values = nullptr;
    spc_plan_free(&plan);
    spc_csr_f64_i32_free(&P);
  }
}

/// Several threads go by one plan at once.
void testThreads() {
  Arrays b(3), c(7);
  const Csr B = b.view(), C = c.view();
  Csr P{};
  spc_plan plan;
  EXPECT_STATUS(SPC_OK, spgemm_symbolic(&B, &C, &P, &plan));
  std::vector<double> results[3];
  std::vector<std::thread> threads;
  for (std::vector<double> &result : results)
    threads.emplace_back([&, values = &result] {
      values->resize(static_cast<size_t>(P.nnz));
      Csr own = P;
      own.values = values->data();
      if (spgemm_numeric(&B, &C, &own, &plan) != SPC_OK)
        values->clear();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT(!results[0].empty() && results[0] == results[1] && results[0] == results[2]);
  spc_plan_free(&plan);
  spc_csr_f64_i32_free(&P);
}

} // namespace

int main() {
  testBinary();
  testOtherKernel();
  testConversions();
  testSlices();
  testUnseen();
  testThreads();
  return failures == 0 ? 0 : 1;
}
