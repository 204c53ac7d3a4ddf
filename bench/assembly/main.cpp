// Kernels that assemble their output, in one process, against Eigen, SuiteSparse:GraphBLAS, SciPy's algorithms and
// loops written by hand. README.md says how to run it and what it prints.
#include "reference.h"
#include "task.h"

#include "harness.h"
#include "options.h"
#include "report.h"

#include <algorithm>
#include <malloc.h>
#include <omp.h>
#include <string>
#include <type_traits>
#include <vector>

using spc::tensor::Coordinates;

namespace assembly {
namespace {

template <class T>
void bench(Row row, Operation operation, const Input<T> &input, const Csr<double> &expected, int rounds,
           Report &report) {
  omp_set_num_threads(row.threads);
  checkThreadsApart(row.threads);
  std::vector<Job> jobs;
  for (auto make : {spcContender<T>, spcPoolContender<T>, handContender<T>, eigenContender<T>, mklContender<T>,
                    graphblasContender<T>, mlirContender<T>, tacoLoopsContender<T>, scipyContender<T>}) {
    std::optional<Contender<T>> contender = make(operation, input, row.threads);
    if (!contender)
      continue;
    contender->run();
    check(agrees(contender->result(), expected), (row.variant + " of " + contender->name + " is wrong").c_str());
    contender->release();
    row.contenders.push_back(contender->name);
    jobs.push_back({contender->run, contender->release});
  }
  row.measured = measureTogether(rounds, jobs);
  report.add(row);
}

template <class T>
void bench(const std::string &name, const Coordinates &matrix, const Options &options, Report &report) {
  for (Operation operation : kOperations) {
    if (!isDefined(operation, matrix.shape[0], matrix.shape[1]) ||
        (!options.wants(kernelOf(operation)) && !options.wants(spelling(operation))))
      continue;
    const Input<T> input = makeInput<T>(operation, matrix);
    Row row;
    row.kernel = kernelOf(operation);
    row.variant = spelling(operation);
    row.matrix = name;
    row.type = std::is_same_v<T, double> ? "f64" : "f32";
    row.rows = matrix.shape[0];
    row.columns = matrix.shape[1];
    row.entries = int64_t(matrix.size());
    const Csr<double> expected = expectedResult(operation, input);
    const Cost cost = costOf(operation, input, expected);
    row.flops = cost.flops;
    row.bytes = cost.bytes;
    for (int threads : options.threads) {
      row.threads = threads;
      bench(row, operation, input, expected, options.rounds, report);
    }
  }
}

/// Memory that is freed stays with the process. Else whether a result's pages are there already would depend on what
/// the contenders before have freed in which order, and that on the sizes of the input.
void keepMemory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
}

int run(int argc, char **argv) {
  std::vector<std::string> kernels;
  for (Operation operation : kOperations)
    for (std::string name : {kernelOf(operation), spelling(operation)})
      if (std::find(kernels.begin(), kernels.end(), name) == kernels.end())
        kernels.push_back(std::move(name));
  pinThreads(argv);
  const Options options = parseOptions(argc, argv, kernels);
  if (!options.defaultMalloc)
    keepMemory();
  Report report(options.csv, options.least);
  for (const std::string &path : options.inputs) {
    const Coordinates matrix = loadInput(path, options.entries);
    if (matrix.order() != 2)
      continue;
    bench<double>(shortName(path), matrix, options, report);
    bench<float>(shortName(path), matrix, options, report);
  }
  report.printSummary();
  return 0;
}

} // namespace
} // namespace assembly

int main(int argc, char **argv) {
  return assembly::run(argc, argv);
}
