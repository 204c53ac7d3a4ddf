// Kernels that assemble their output, in one process, against Eigen, SuiteSparse:GraphBLAS, SciPy's algorithms and
// loops written by hand. README.md says how to run it and what it prints.
#include "reference.h"
#include "report.h"
#include "task.h"

#include "harness.h"
#include "sample_matrices.h"

#include "tensor/files.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <omp.h>
#include <string>
#include <type_traits>
#include <unistd.h>
#include <vector>

using spc::tensor::Coordinates;

namespace assembly {
namespace {

struct Options {
  int rounds = 11;
  std::vector<int> threads;
  int64_t entries = int64_t(1) << 19;
  std::vector<Operation> operations;
  std::string csv;
  std::vector<std::string> matrices;
};

const std::map<std::string, Coordinates (*)(int64_t)> kSamples = {
    {"power-law", powerLaw}, {"uniform", anyColumns}, {"five-points", fivePointStencil}, {"blocks", denseBlocks}};

const char kUsage[] = "usage: spc_assembly_bench [--rounds N] [--threads N]... [--entries N] [--only OPERATION]... "
                      "[--csv FILE] [power-law|uniform|five-points|blocks|MATRIX.mtx[.gz]]...";

Options parse(int argc, char **argv) {
  Options options;
  for (int n = 1; n < argc; ++n) {
    const std::string name = argv[n];
    if (name.substr(0, 2) != "--") {
      options.matrices.push_back(name);
      continue;
    }
    check(n + 1 < argc, kUsage);
    const char *value = argv[++n];
    if (name == "--only") {
      auto found = std::find_if(std::begin(kOperations), std::end(kOperations),
                                [&](Operation operation) { return !std::strcmp(spelling(operation), value); });
      check(found != std::end(kOperations), kUsage);
      options.operations.push_back(*found);
    } else if (name == "--csv") {
      options.csv = value;
    } else {
      const int64_t number = std::atoll(value);
      check(number > 0 && (name == "--rounds" || name == "--threads" || name == "--entries"), kUsage);
      if (name == "--rounds")
        options.rounds = int(number);
      else if (name == "--threads")
        options.threads.push_back(int(number));
      else
        options.entries = number;
    }
  }
  if (options.threads.empty())
    options.threads = {1, omp_get_num_procs()};
  if (options.operations.empty())
    options.operations.assign(std::begin(kOperations), std::end(kOperations));
  if (options.matrices.empty())
    for (const auto &[name, make] : kSamples)
      options.matrices.push_back(name);
  return options;
}

/// OpenMP's threads stay on a core each; the library reads that from the environment as it is loaded.
void pinThreads(char **argv) {
  if (std::getenv("OMP_PROC_BIND"))
    return;
  setenv("OMP_PROC_BIND", "true", 1);
  setenv("OMP_PLACES", "cores", 1);
  execv("/proc/self/exe", argv);
}

/// The matrix, sorted and without repeats, with values drawn at random: those of a graph are all the same, which
/// GraphBLAS stores as one.
Coordinates load(const std::string &name, int64_t entries) {
  auto sample = kSamples.find(name);
  spc::Diagnostics diagnostics;
  auto matrix =
      sample != kSamples.end() ? sample->second(entries) : spc::tensor::readTensor(name, std::nullopt, diagnostics);
  check(matrix && matrix->order() == 2, ("cannot read " + name).c_str());
  spc::tensor::sortAndSum(*matrix);
  matrix->values = randomValues(matrix->size(), 5);
  return std::move(*matrix);
}

template <class T> void bench(Row row, Operation operation, const Input<T> &input, int rounds, Report &report) {
  const Csr<double> expected = expectedResult(operation, input);
  row.resultEntries = int64_t(expected.values.size());
  omp_set_num_threads(row.threads);
  std::vector<Job> jobs;
  for (auto make : {spcContender<T>, handContender<T>, eigenContender<T>, graphblasContender<T>, scipyContender<T>}) {
    std::optional<Contender<T>> contender = make(operation, input, row.threads);
    if (!contender)
      continue;
    contender->run();
    check(agrees(contender->result(), expected), (row.operation + " of " + contender->name + " is wrong").c_str());
    contender->release();
    row.contenders.push_back(contender->name);
    jobs.push_back({contender->run, contender->release});
  }
  row.seconds = timeTogether(rounds, jobs);
  report.add(row);
}

template <class T>
void bench(const std::string &name, const Coordinates &matrix, const Options &options, Report &report) {
  for (Operation operation : options.operations) {
    if (!isDefined(operation, matrix.shape[0], matrix.shape[1]))
      continue;
    const Input<T> input = makeInput<T>(operation, matrix);
    for (int threads : options.threads)
      bench(Row{name,
                spelling(operation),
                std::is_same_v<T, double> ? "f64" : "f32",
                threads,
                matrix.shape[0],
                matrix.shape[1],
                int64_t(matrix.size()),
                0,
                {},
                {}},
            operation, input, options.rounds, report);
  }
}

int run(int argc, char **argv) {
  const Options options = parse(argc, argv);
  pinThreads(argv);
  Report report(options.csv);
  for (const std::string &path : options.matrices) {
    const Coordinates matrix = load(path, options.entries);
    std::string name = path.substr(path.find_last_of('/') + 1);
    name = name.substr(0, name.find('.'));
    bench<double>(name, matrix, options, report);
    bench<float>(name, matrix, options, report);
  }
  report.printSummary();
  return 0;
}

} // namespace
} // namespace assembly

int main(int argc, char **argv) {
  return assembly::run(argc, argv);
}
