// The same calls without threads, on OpenMP's and on the pool of spc/pool.h, from 100 entries on: whether threads ever
// cost time. README.md says how to run it and what it prints.
#include <spc/pool.h>

#include "csr.h"
#include "harness.h"
#include "options.h"
#include "sample_matrices.h"

#include "threads_add.h"
#include "threads_add_transposed.h"
#include "threads_coo_to_csr.h"
#include "threads_csr_to_csc.h"
#include "threads_multiply.h"
#include "threads_spmm.h"
#include "threads_spmv.h"
#include "threads_spmv_csc.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <omp.h>
#include <string>
#include <vector>

namespace {

constexpr int64_t kWidth = 32; ///< of the dense operand of SpMM

/// A context's hook that counts calls and tasks on its way to another one.
struct Counted {
  spc_context inner;
  int64_t calls = 0, tasks = 0;

  static void parallelFor(void *user, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
    auto &self = *static_cast<Counted *>(user);
    ++self.calls;
    self.tasks += tasks;
    self.inner.parallel_for(self.inner.user, tasks, task, closure);
  }
};

/// One matrix in the forms that the kernels read, and room for their results.
struct Problem {
  explicit Problem(const spc::tensor::Coordinates &matrix)
      : rows(csrOf<double>(matrix)), x(randomValues(rows.columns, 1)), B(randomValues(rows.columns * kWidth, 2)),
        y(rows.rows), C(rows.rows * kWidth) {
    for (int64_t row = 0; row < rows.rows; ++row)
      rowOf.insert(rowOf.end(), rows.pointers[row + 1] - rows.pointers[row], int32_t(row));
  }

  spc_csr_f64_i32 csr() {
    return {rows.rows, rows.columns, rows.entries(), rows.pointers.data(), rows.indices.data(), rows.values.data()};
  }
  /// The transpose.
  spc_csc_f64_i32 csc() {
    return {rows.columns, rows.rows, rows.entries(), rows.pointers.data(), rows.indices.data(), rows.values.data()};
  }
  spc_coo2_f64_i32 coo() {
    return {rows.rows, rows.columns, rows.entries(), rowOf.data(), rows.indices.data(), rows.values.data()};
  }

  Csr<double> rows;
  std::vector<int32_t> rowOf;
  std::vector<double> x, B, y, C;
};

struct Kernel {
  const char *name;
  /// Calls it once, and releases what it assembled.
  spc_status (*call)(const spc_context *context, Problem &problem);
};

/// A kernel that assembles a C from what `call` passes it.
template <class Output, class Call, class Release>
spc_status assembled(const spc_context *context, Call call, Release release) {
  Output output{};
  const spc_status status = call(&output);
  if (status == SPC_OK)
    release(context, &output);
  return status;
}

spc_status multiplyVector(const spc_context *context, Problem &problem) {
  const auto a = problem.csr();
  const auto x = spc_dense1_f64_make(problem.x.data(), a.ncols);
  auto y = spc_dense1_f64_make(problem.y.data(), a.nrows);
  return threads_spmv_ctx(context, &a, &x, &y);
}

spc_status scatterVector(const spc_context *context, Problem &problem) {
  const auto a = problem.csc();
  const auto x = spc_dense1_f64_make(problem.x.data(), a.ncols);
  auto y = spc_dense1_f64_make(problem.y.data(), a.nrows);
  return threads_spmv_csc_ctx(context, &a, &x, &y);
}

spc_status multiplyRows(const spc_context *context, Problem &problem) {
  const auto a = problem.csr();
  const auto b = spc_dense2_f64_make(problem.B.data(), a.ncols, kWidth);
  auto c = spc_dense2_f64_make(problem.C.data(), a.nrows, kWidth);
  return threads_spmm_ctx(context, &a, &b, &c);
}

spc_status add(const spc_context *context, Problem &problem) {
  const auto a = problem.csr();
  return assembled<spc_csr_f64_i32>(
      context, [&](auto *c) { return threads_add_ctx(context, &a, &a, c); }, threads_add_free_ctx);
}

spc_status addTransposed(const spc_context *context, Problem &problem) {
  const auto a = problem.csr();
  return assembled<spc_csr_f64_i32>(
      context, [&](auto *c) { return threads_add_transposed_ctx(context, &a, c); }, threads_add_transposed_free_ctx);
}

spc_status multiply(const spc_context *context, Problem &problem) {
  const auto a = problem.csr();
  return assembled<spc_csr_f64_i32>(
      context, [&](auto *c) { return threads_multiply_ctx(context, &a, &a, c); }, threads_multiply_free_ctx);
}

spc_status toRows(const spc_context *context, Problem &problem) {
  const auto a = problem.coo();
  return assembled<spc_csr_f64_i32>(
      context, [&](auto *c) { return threads_coo_to_csr_ctx(context, &a, c); }, threads_coo_to_csr_free_ctx);
}

spc_status toColumns(const spc_context *context, Problem &problem) {
  const auto a = problem.csr();
  return assembled<spc_csc_f64_i32>(
      context, [&](auto *c) { return threads_csr_to_csc_ctx(context, &a, c); }, threads_csr_to_csc_free_ctx);
}

const Kernel kKernels[] = {
    {"spmv", multiplyVector}, {"spmv-csc", scatterVector}, {"spmm", multiplyRows}, {"A+B", add},
    {"A+A'", addTransposed},  {"A*A", multiply},           {"coo>csr", toRows},    {"csr>csc", toColumns},
};

/// Other threads go to sleep meanwhile.
void waitAlone(double seconds) {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds) {
  }
}

std::vector<std::string> namesOfKernels() {
  std::vector<std::string> names;
  for (const Kernel &kernel : kKernels)
    names.emplace_back(kernel.name);
  return names;
}

/// Takes `--idle N` out of the command line; the seconds, 0 where it is not there.
double takeIdle(int &argc, char **argv) {
  double seconds = 0;
  for (int n = 1; n + 1 < argc; ++n)
    if (std::string(argv[n]) == "--idle") {
      seconds = std::atof(argv[n + 1]) * 1e-6;
      std::copy(argv + n + 2, argv + argc, argv + n);
      argc -= 2;
    }
  return seconds;
}

/// Times a kernel on a matrix without threads and with each kind of them, and prints a line.
void compareThreads(const Kernel &kernel, const char *matrix, Problem &problem, int rounds, double idle) {
  const spc_context openmp = spc_default_context(), pool = spc_pool_context();
  const spc_context serial = [&] {
    spc_context alone = openmp;
    alone.parallel_for = nullptr;
    return alone;
  }();
  spc_context counting = openmp;
  Counted counted{openmp};
  counting.user = &counted;
  counting.parallel_for = Counted::parallelFor;
  counting.parallel_cost = nullptr;
  check(kernel.call(&counting, problem) == SPC_OK, "a kernel returned an error");
  std::vector<Job> jobs;
  for (const spc_context *context : {&serial, &openmp, &pool})
    jobs.push_back(
        {[&kernel, &problem, context] { check(kernel.call(context, problem) == SPC_OK, "a kernel returned an error"); },
         [idle] { waitAlone(idle); }});
  const std::vector<std::vector<double>> times =
      timeTogether(idle > 0 ? 40 * rounds : rounds, jobs, idle > 0 ? 0 : 2e-3);
  const auto ratio = [&](size_t job) {
    std::vector<double> ratios;
    for (size_t round = 0; round < times[job].size(); ++round)
      ratios.push_back(times[job][round] / times[0][round]);
    return median(ratios);
  };
  std::printf("%-9s %-12s %9ld %12.2f %10.2f %10.2f %6ld %6ld\n", kernel.name, matrix, problem.rows.entries(),
              median(times[0]) * 1e6, ratio(1), ratio(2), counted.calls, counted.tasks);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  const double idle = takeIdle(argc, argv);
  const Options options = parseOptions(argc, argv, namesOfKernels());
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  std::printf("%-9s %-12s %9s %12s %10s %10s %6s %6s\n", "kernel", "matrix", "entries", "us alone", "openmp", "pool",
              "calls", "tasks");
  for (const Kernel &kernel : kKernels) {
    if (!options.wants(kernel.name))
      continue;
    for (int64_t entries : {100, 300, 1000, 3000, 10000, 30000, 100000, 300000, 1000000}) {
      if (entries > options.entries)
        break;
      for (bool isStencil : {false, true}) {
        Problem problem(isStencil ? fivePointStencil(entries) : anyColumns(entries));
        compareThreads(kernel, isStencil ? "five-points" : "uniform", problem, options.rounds, idle);
      }
    }
  }
}
