// spc/spc.hpp: outputs that share a pattern, owners of what is assembled, errors, threads and memory. Included ahead of
// the headers of kernels.
#include <spc/memory_pool.hpp>

#include <spc/spc.hpp>

#include "converted_on_csr.h"
#include "converted_on_hyb.h"
#include "converted_on_nm.h"
#include "converted_on_ragged_lengths.h"
#include "sddmm.h"
#include "spgemm.h"
#include "spmv.h"
#include "ttm.h"

#include "band.h"
#include "expect.h"

#include <array>
#include <csignal>
#include <memory_resource>
#include <numeric>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

// Owners know all fields of their structs.
template <typename S> constexpr bool owns = sizeof(spc::owner<S>) > sizeof(S);
static_assert(owns<spc_coo2_f64_i32> && owns<spc_csf3_f64_i32> && owns<spc_dia_f64_i32> && owns<spc_ell8_f64_i32> &&
              owns<spc_nm2of4_f64_u8> && owns<spc_ragged_len_f64_p32>);

namespace {

void testSharedPattern() {
  const std::array<int32_t, 3> pointers{0, 1, 2}, columns{1, 0};
  const std::array<float, 2> values{2, 3};
  const std::array<float, 4> a{1, 2, 3, 4}, b{5, 6, 7, 8};
  std::array<float, 2> d{};
  const auto s = spc::csr(2, 2, pointers, std::span(columns).first(2), values);
  spc::check(sddmm(s, spc::dense(a, 2, 2), spc::dense(b, 2, 2), spc::values(d)));
  EXPECT(d[0] == 2 * (1 * 7 + 2 * 8) && d[1] == 3 * (3 * 5 + 4 * 6));
  EXPECT_STATUS(SPC_ERROR_COUNT,
                sddmm(s, spc::dense(a, 2, 2), spc::dense(b, 2, 2), spc::values(std::span(d).first(1))));
}

template <typename F> spc_status thrown(F &&function) {
  try {
    function();
  } catch (const spc::error &error) {
    return error.status();
  }
  return SPC_OK;
}

/// A slice of rows has the whole matrix' indices and values.
void testSlices() {
  const std::array<int32_t, 5> pointers{0, 2, 3, 5, 6};
  const std::array<int32_t, 6> all{0, 1, 1, 0, 1, 0};
  const std::array<double, 6> values{1, 2, 3, 4, 5, 6};
  const std::array<double, 2> x{10, 100};
  std::array<double, 2> y{};
  const auto rows = std::span(pointers).subspan(1, 3);
  spc::check(spmv(spc::csr(2, 2, rows, all, values), spc::dense(x), spc::dense(y)));
  EXPECT(y[0] == 300 && y[1] == 540);
  EXPECT_STATUS(SPC_ERROR_POINTERS, thrown([&] { (void)spc::csr(2, 2, rows, std::span(all).first(4), values); }));
  EXPECT_STATUS(SPC_ERROR_POINTERS, thrown([&] { (void)spc::csr(2, 2, std::span(pointers).first(3), all, values); }));
}

template <typename F> bool aborts(F &&function) {
  const pid_t child = fork();
  if (child == 0) {
    std::freopen("/dev/null", "w", stderr);
    function();
    execl("/bin/true", "", nullptr);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/// Values for an output that the kernel allocates end the program; arrays of another context than the owner's do, where
/// assertions are on.
void testMisuse() {
  const Band a(3);
  EXPECT(aborts([&] {
    std::vector<double> values(a.values);
    (void)spgemm(a.view(), a.view(), spc::values(values));
  }));
  std::pmr::unsynchronized_pool_resource memory, more;
  const spc::context context(&memory), another(&more);
  const spc::memory_pool pool;
  const spc_context serial = spc::serial_context();
  const spc_context *const contexts[] = {nullptr, &serial, context, another, pool};
  for (const spc_context *const allocates : contexts)
    for (const spc_context *const releases : contexts) {
      const bool isKnown =
          (allocates == nullptr || allocates == &serial) && (releases == nullptr || releases == &serial);
      EXPECT(aborts([&] {
               Matrix square(releases);
               (void)spgemm_ctx(allocates, a.view(), a.view(), square.out());
               square.reset();
             }) == (allocates != releases && !isKnown));
      EXPECT(aborts([&] {
               Matrix square(allocates);
               spc::plan plan(releases);
               (void)spgemm_symbolic_ctx(allocates, a.view(), a.view(), square.out(), plan.out());
               plan.reset();
             }) == (allocates != releases && !isKnown));
    }
}

void testOwners() {
  const Band a(100);
  Matrix square;
  for (int times = 0; times < 2; ++times) {
    spc::check(spgemm(a.view(), a.view(), square.out()));
    EXPECT(isSquare(square, 100));
  }
  Matrix moved(std::move(square));
  EXPECT(isSquare(moved, 100) && square->values == nullptr && square->nnz == 0);
  square = std::move(moved);
  EXPECT(isSquare(square, 100));
  const std::span<const double> values = static_cast<const Matrix &>(square).values();
  EXPECT(std::accumulate(values.begin(), values.end(), 0.0) == 4 * 98 + 3 + 1);

  // As an operand, and in two phases with the values twice.
  Matrix fourth;
  spc::check(spgemm_symbolic(square, square, fourth.out()));
  EXPECT(fourth->nnz > 0 && fourth.values().empty());
  EXPECT(fourth->values == nullptr && fourth->nnz > 0);
  for (int times = 0; times < 2; ++times) {
    spc::check(spgemm_numeric(square, square, fourth.inout()));
    EXPECT(fourth->values[2] == 6);
  }

  // What a caller does with the arrays itself.
  const Matrix adopted(fourth.release(), nullptr);
  EXPECT(fourth->row_ptr == nullptr && adopted->values[2] == 6);
  Matrix failed;
  const Band other(3);
  EXPECT_STATUS(SPC_ERROR_SHAPE, spgemm(a.view(), other.view(), failed.out()));
}

/// Not synchronised, counts what is out, and checks sizes.
class Counting : public std::pmr::memory_resource {
public:
  int64_t bytes = 0, blocks = 0, left = 1 << 20;

private:
  void *do_allocate(size_t size, size_t alignment) override {
    if (left-- <= 0)
      throw std::bad_alloc();
    EXPECT(alignment == 64); // what kernels ask for
    bytes += int64_t(size);
    ++blocks;
    return std::pmr::new_delete_resource()->allocate(size, alignment);
  }
  void do_deallocate(void *memory, size_t size, size_t alignment) override {
    bytes -= int64_t(size);
    std::pmr::new_delete_resource()->deallocate(memory, size, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }
};

template <typename Context> void testMemory(const Context &threads) {
  const Band a(20000);
  Counting memory;
  {
    const spc::context context(threads, &memory);
    Matrix square(context);
    spc::check(spgemm_ctx(context, a.view(), a.view(), square.out()));
    EXPECT(isSquare(square, a.size()) && memory.bytes > int64_t(sizeof(double)) * square->nnz);
    spc::check(spgemm_ctx(square.context(), a.view(), a.view(), square.out()));
    EXPECT(isSquare(square, a.size()));
  }
  EXPECT(memory.bytes == 0 && memory.blocks >= 6);
  for (memory.left = 0; memory.left < 3;) {
    const int64_t left = memory.left;
    const spc::context context(threads, &memory);
    Matrix square(context);
    EXPECT_STATUS(SPC_ERROR_MEMORY, spgemm_ctx(context, a.view(), a.view(), square.out()));
    EXPECT(memory.bytes == 0);
    memory.left = left + 1;
  }
}

void testResources() {
  const Band a(50);
  std::pmr::synchronized_pool_resource synchronised;
  std::pmr::monotonic_buffer_resource arena;
  for (std::pmr::memory_resource *memory :
       {static_cast<std::pmr::memory_resource *>(&synchronised), static_cast<std::pmr::memory_resource *>(&arena),
        std::pmr::new_delete_resource()}) {
    const spc::context context(memory);
    Matrix square(context);
    spc::check(spgemm_ctx(context, a.view(), a.view(), square.out()));
    EXPECT(isSquare(square, 50));
  }
  const spc::context refusing(std::pmr::null_memory_resource());
  Matrix square(refusing);
  EXPECT_STATUS(SPC_ERROR_MEMORY, spgemm_ctx(refusing, a.view(), a.view(), square.out()));
}

void testThreads(const spc_context *threads) {
  const Band a(50000);
  const std::vector<double> x(50000, 1);
  std::vector<double> y(50000), serial(50000);
  const spc_context one = spc::serial_context();
  spc::check(spmv_ctx(&one, a.view(), spc::dense(x), spc::dense(serial)));
  spc::check(spmv_ctx(threads, a.view(), spc::dense(x), spc::dense(y)));
  EXPECT(y == serial && y[0] == 2);
}

void testThreadPool() {
  spc::thread_pool pool(3), alone(1);
  EXPECT(pool.threads() == 3 && alone.context().parallel_for == nullptr);
  testThreads(pool);
  testThreads(alone);
  testMemory(pool.context());
  // Several callers, and calls from within tasks.
  std::vector<std::thread> callers;
  for (int n = 0; n < 3; ++n)
    callers.emplace_back([&] { testThreads(pool); });
  for (std::thread &caller : callers)
    caller.join();
  std::atomic<int> runs{0};
  std::pair<spc::thread_pool *, std::atomic<int> *> closure(&pool, &runs);
  const spc_context &context = pool.context();
  context.parallel_for(
      context.user, 5,
      [](void *outer, int64_t) {
        const auto &[inner, count] = *static_cast<std::pair<spc::thread_pool *, std::atomic<int> *> *>(outer);
        const spc_context &again = inner->context();
        again.parallel_for(
            again.user, 7, [](void *number, int64_t) { ++*static_cast<std::atomic<int> *>(number); }, count);
      },
      &closure);
  EXPECT(runs == 35);
}

void testErrors() {
  const Band a(3), b(4);
  Matrix c;
#ifdef __cpp_lib_expected
  const auto call = [&] { return spgemm(a.view(), b.view(), c.out()); };
  EXPECT(spc::expected(SPC_OK).has_value());
  EXPECT(spc::expected(call(), "spgemm").error().status() == SPC_ERROR_SHAPE);
  EXPECT(spc::attempt(call).error().status() == SPC_ERROR_SHAPE);
  EXPECT(spc::attempt([&] { return a.view(); }).has_value());
  EXPECT(spc::attempt([&] { return spc::csr(9, 9, a.pointers, a.columns, a.values); }).error().status() ==
         SPC_ERROR_POINTERS);
  EXPECT(!spc::attempt([&] { spc::check(call()); }).has_value());
#endif
  try {
    spc::check(spgemm(a.view(), b.view(), c.out()), "spgemm");
    EXPECT(false);
  } catch (const spc::error &error) {
    EXPECT(error.status() == SPC_ERROR_SHAPE);
    EXPECT(error.what() == std::string("spgemm: argument 2 (C): nrows is 4, where ncols of B is 3"));
    EXPECT(error.problem().argument == 1 && error.problem().found == 4 && error.problem().wanted == 3);
  }
  try { // of another context, and about something else
    const spc_context context = spc::serial_context();
    spc::check(spgemm_ctx(&context, a.view(), b.view(), c.out()), "a step");
    EXPECT(false);
  } catch (const spc::error &error) {
    EXPECT(error.what() == std::string("a step: spgemm: argument 2 (C): nrows is 4, where ncols of B is 3"));
  }
}

} // namespace

int main() {
  testMisuse();
  testSharedPattern();
  testSlices();
  testOwners();
  testMemory(spc::serial_context());
#ifdef _OPENMP
  const spc_context openmp = spc::openmp_context();
  testMemory(openmp);
  testThreads(&openmp);
#endif
  testResources();
  testThreadPool();
  testErrors();
  return failures != 0;
}
