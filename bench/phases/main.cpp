// Calls in two phases against calls in one, without threads: each phase by itself, with a plan and without one.
// README.md says how to run it and what it prints.
#include "csr.h"
#include "harness.h"
#include "options.h"

#include "phases_add.h"
#include "phases_from_list.h"
#include "phases_from_repeats.h"
#include "phases_multiply.h"
#include "phases_transpose.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <malloc.h>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

using Coordinates = spc::tensor::Coordinates;

spc_csr_f64_i32 viewOf(Csr<double> &matrix) {
  return {matrix.rows,           matrix.columns,      matrix.entries(), matrix.pointers.data(),
          matrix.indices.data(), matrix.values.data()};
}

Csr<double> transposeOf(const Csr<double> &matrix) {
  Csr<double> made{matrix.columns, matrix.rows, std::vector<int32_t>(matrix.columns + 1, 0), {}, {}};
  for (int32_t column : matrix.indices)
    ++made.pointers[column + 1];
  std::partial_sum(made.pointers.begin(), made.pointers.end(), made.pointers.begin());
  std::vector<int32_t> next(made.pointers);
  made.indices.resize(matrix.indices.size());
  made.values.resize(matrix.values.size());
  for (int64_t row = 0; row < matrix.rows; ++row)
    for (int32_t e = matrix.pointers[row]; e < matrix.pointers[row + 1]; ++e) {
      const int32_t place = next[matrix.indices[e]]++;
      made.indices[place] = int32_t(row);
      made.values[place] = matrix.values[e];
    }
  return made;
}

/// Coordinates of a matrix, each `times` times: in order, or in blocks of some rows that follow one another in any
/// order, as elements of a mesh do.
struct List {
  std::vector<int32_t> rows, columns;
  std::vector<double> values;

  List(const Csr<double> &matrix, int times, bool isInOrder) {
    constexpr int64_t kBlock = 64;
    std::vector<int64_t> blocks((matrix.rows + kBlock - 1) / kBlock);
    std::iota(blocks.begin(), blocks.end(), 0);
    if (!isInOrder)
      std::shuffle(blocks.begin(), blocks.end(), std::mt19937_64(1));
    for (int time = 0; time < times; ++time)
      for (int64_t block : blocks)
        for (int64_t row = block * kBlock; row < std::min(matrix.rows, (block + 1) * kBlock); ++row)
          for (int32_t e = matrix.pointers[row]; e < matrix.pointers[row + 1]; ++e) {
            rows.push_back(int32_t(row));
            columns.push_back(matrix.indices[e]);
            values.push_back(matrix.values[e]);
          }
  }
};

/// A matrix in the forms that the kernels read.
struct Problem {
  explicit Problem(const Coordinates &matrix)
      : own(csrOf<double>(matrix)), transposed(transposeOf(own)), list(own, 1, true), repeats(own, 3, false) {}

  Csr<double> own, transposed;
  List list, repeats;
};

/// The phases of one kernel on one matrix.
struct Phases {
  std::vector<Job> jobs; ///< one phase; symbolic and numeric without a plan; symbolic and numeric with one
  std::function<int64_t()> planBytes, resultBytes;
};

template <class Output, class Once, class Symbolic, class Numeric, class Free>
Phases phasesOf(Once once, Symbolic symbolic, Numeric numeric, Free release) {
  struct State {
    Output whole{}, pattern{}, made{};
    spc_plan plan{}, other{};
  };
  auto state = std::make_shared<State>();
  const auto right = [](spc_status status) { check(status == SPC_OK, "a kernel returned an error"); };
  right(symbolic(&state->pattern, &state->plan));
  right(once(&state->whole));
  right(numeric(&state->pattern, &state->plan));
  check(state->whole.nnz == state->pattern.nnz &&
            std::memcmp(state->whole.values, state->pattern.values, state->whole.nnz * sizeof(double)) == 0,
        "a plan gives another result");
  const auto freeMade = [=] { release(&state->made); };
  return {{
              {[=] { right(once(&state->made)); }, freeMade},
              {[=] { right(symbolic(&state->made, nullptr)); }, freeMade},
              {[=] { right(numeric(&state->pattern, nullptr)); }, [] {}},
              {[=] { right(symbolic(&state->made, &state->other)); },
               [=] {
                 freeMade();
                 spc_plan_free(&state->other);
               }},
              {[=] { right(numeric(&state->pattern, &state->plan)); }, [] {}},
          },
          [=] { return state->plan.bytes; },
          [=] { return state->whole.nnz * int64_t(sizeof(double) + sizeof(int32_t)); }};
}

#define PHASES(kernel, Output, ...)                                                                                    \
  phasesOf<Output>(                                                                                                    \
      [=](Output *c) { return kernel##_ctx(nullptr, __VA_ARGS__, c); },                                                \
      [=](Output *c, spc_plan *plan) { return kernel##_symbolic_ctx(nullptr, __VA_ARGS__, c, plan); },                 \
      [=](Output *c, const spc_plan *plan) { return kernel##_numeric_ctx(nullptr, __VA_ARGS__, c, plan); },            \
      [](Output *c) { (void)kernel##_free_ctx(nullptr, c); })

/// The operands outlive what is made.
struct Operands {
  explicit Operands(Problem &problem)
      : a(viewOf(problem.own)), b(viewOf(problem.transposed)),
        list{
            a.nrows, a.ncols, a.nnz, problem.list.rows.data(), problem.list.columns.data(), problem.list.values.data()},
        repeats{{a.nrows, a.ncols},
                int64_t(problem.repeats.values.size()),
                problem.repeats.rows.data(),
                problem.repeats.columns.data(),
                problem.repeats.values.data()} {}

  spc_csr_f64_i32 a, b;
  spc_coo2_f64_i32 list;
  spc_cusnu_f64_i32 repeats;
};

struct Kernel {
  const char *name;
  Phases (*phases)(const Operands &operands);
};

const Kernel kKernels[] = {
    {"A*B", [](const Operands &of) { return PHASES(phases_multiply, spc_csr_f64_i32, &of.a, &of.b); }},
    {"A+2B", [](const Operands &of) { return PHASES(phases_add, spc_csr_f64_i32, &of.a, &of.b); }},
    {"csr>csc", [](const Operands &of) { return PHASES(phases_transpose, spc_csc_f64_i32, &of.a); }},
    {"coo>csr", [](const Operands &of) { return PHASES(phases_from_list, spc_csr_f64_i32, &of.list); }},
    {"repeats", [](const Operands &of) { return PHASES(phases_from_repeats, spc_csr_f64_i32, &of.repeats); }},
};

void printLine(const Kernel &kernel, const std::string &matrix, int rounds, const Phases &phases) {
  const std::vector<std::vector<double>> times = timeTogether(rounds, phases.jobs, 2e-3);
  std::printf("%-8s %-22s %10.3f", kernel.name, matrix.c_str(), median(times[0]) * 1e3);
  for (size_t job = 1; job < times.size(); ++job) {
    std::vector<double> ratios;
    for (size_t round = 0; round < times[job].size(); ++round)
      ratios.push_back(times[job][round] / times[0][round]);
    std::printf(" %9.2f", median(ratios));
  }
  std::printf(" %9.2f %9.2f\n", double(phases.planBytes()) * 1e-6, double(phases.resultBytes()) * 1e-6);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> names;
  for (const Kernel &kernel : kKernels)
    names.emplace_back(kernel.name);
  const Options options = parseOptions(argc, argv, names);
  pinToOneCore();
  if (!options.defaultMalloc) {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
  }
  std::printf("%-8s %-22s %10s %9s %9s %9s %9s %9s %9s\n", "kernel", "matrix", "ms once", "symbolic", "numeric",
              "make plan", "by plan", "plan MB", "result MB");
  for (const std::string &input : options.inputs) {
    const Coordinates matrix = loadInput(input, options.entries);
    if (matrix.order() != 2)
      continue;
    Problem problem(matrix);
    const Operands operands(problem);
    for (const Kernel &kernel : kKernels) {
      const bool isSquare = problem.own.rows == problem.own.columns;
      if (options.wants(kernel.name) && (isSquare || std::strcmp(kernel.name, "A+2B") != 0))
        printLine(kernel, shortName(input), options.rounds, kernel.phases(operands));
    }
  }
}
