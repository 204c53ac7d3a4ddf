// Kernels that compute values of a known structure, in one process, against libraries, MLIR's own pipeline and kernels
// written by hand. ../README.md says how to run it and what it prints.
#include "problem.h"

#include "harness.h"
#include "options.h"
#include "report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <omp.h>
#include <type_traits>

using spc::tensor::Coordinates;

namespace values {
namespace {

template <class T> constexpr const char *kType = std::is_same_v<T, double> ? "f64" : "f32";
template <class T> constexpr double kTolerance = std::is_same_v<T, double> ? 1e-12 : 1e-4;

/// Runs a contender once and compares what it computes.
template <class T>
void checkResult(const Contender<T> &contender, const Problem<T> &problem, const std::vector<double> &expected) {
  std::fill(problem.result.begin(), problem.result.end(), std::numeric_limits<T>::quiet_NaN());
  contender.run();
  const Elements<T> copy = contender.result ? contender.result() : Elements<T>();
  const Elements<T> &result = contender.result ? copy : problem.result;
  const std::string name = contender.name + (contender.variant.empty() ? "" : " (" + contender.variant + ")");
  check(result.size() == expected.size() && largestDifference(result, expected) < kTolerance<T>,
        (std::string(spelling(problem.kernel)) + " of " + name + " is wrong").c_str());
}

template <class T> std::vector<Job> jobsOf(const Contenders<T> &contenders) {
  std::vector<Job> jobs;
  for (const Contender<T> &contender : contenders)
    jobs.push_back({contender.run, [] {}});
  return jobs;
}

/// Times those contenders that share a name with others, and of those with one name leaves the ones that take less than
/// `factor` times as long as the fastest of them, and that one. `time(contenders)` gives the seconds of each.
template <class T, class Time> Contenders<T> fastest(double factor, const Contenders<T> &contenders, const Time &time) {
  std::map<std::string, int> sharers;
  for (const Contender<T> &contender : contenders)
    ++sharers[contender.name];
  Contenders<T> rivals;
  std::copy_if(contenders.begin(), contenders.end(), std::back_inserter(rivals),
               [&](const Contender<T> &contender) { return sharers[contender.name] > 1; });
  const std::vector<double> seconds = time(rivals);
  std::map<std::string, double> least;
  for (size_t n = 0; n < rivals.size(); ++n) {
    double &known = least.emplace(rivals[n].name, seconds[n]).first->second;
    known = std::min(known, seconds[n]);
  }
  Contenders<T> kept;
  size_t rival = 0;
  for (const Contender<T> &contender : contenders) {
    const bool alone = sharers[contender.name] == 1;
    const double mine = alone ? 0 : seconds[rival++];
    if (alone || mine == least[contender.name] || mine < factor * least[contender.name])
      kept.push_back(contender);
  }
  return kept;
}

/// Of the contenders with one name the one that is fastest in a few rounds, in which those take part that are not far
/// behind in a call or two.
template <class T> Contenders<T> fastestVariants(const Contenders<T> &contenders) {
  const Contenders<T> close = fastest(1.4, contenders, [](const Contenders<T> &rivals) {
    std::vector<double> seconds;
    for (const Job &job : jobsOf(rivals))
      seconds.push_back(shorterOfTwo(job));
    return seconds;
  });
  return fastest(1, close, [](const Contenders<T> &rivals) {
    std::vector<double> seconds;
    for (const std::vector<double> &rounds : timeTogether(3, jobsOf(rivals), 1e-3))
      seconds.push_back(median(rounds));
    return seconds;
  });
}

template <class T> void bench(Row row, const Problem<T> &problem, const Options &options, Report &report) {
  const std::vector<double> expected = expectedResult(problem);
  const Cost cost = costOf(problem);
  row.flops = cost.flops;
  row.bytes = cost.bytes;
  for (int threads : options.threads) {
    omp_set_num_threads(threads);
    checkThreadsApart(threads);
    Contenders<T> contenders;
    for (auto add : {addSpc<T>, addHand<T>, addEigen<T>, addMkl<T>, addGraphblas<T>, addRsb<T>, addMlir<T>, addTaco<T>,
                     addTacoLoops<T>})
      add(contenders, problem, threads);
    for (const Contender<T> &contender : contenders)
      checkResult(contender, problem, expected);
    if (!options.allVariants)
      contenders = fastestVariants(contenders);
    row.threads = threads;
    row.contenders.clear();
    for (const Contender<T> &contender : contenders)
      row.contenders.push_back(contender.name +
                               (options.allVariants && !contender.variant.empty() ? ":" + contender.variant : ""));
    row.measured = measureTogether(options.rounds, jobsOf(contenders));
    report.add(row);
  }
}

/// The widths that a kernel is measured at: those of the command line only where the kernel has any.
std::vector<int64_t> widthsOf(Kernel kernel, const Options &options) {
  std::vector<int64_t> widths = defaultWidths(kernel);
  return widths == std::vector<int64_t>{1} || options.widths.empty() ? widths : options.widths;
}

template <class T>
void bench(const std::string &name, const Coordinates &input, const Options &options, Report &report) {
  const Storage<T> storage = storageOf<T>(input);
  for (Kernel kernel : kKernels) {
    if (!options.wants(spelling(kernel)))
      continue;
    for (int64_t width : widthsOf(kernel, options)) {
      if (!fits(kernel, storage, width))
        continue;
      Row row;
      row.kernel = spelling(kernel);
      row.variant = caseOf(kernel, width);
      row.matrix = name;
      row.type = kType<T>;
      row.rows = input.shape[0];
      row.columns = input.shape[1] * (input.order() == 3 ? input.shape[2] : 1);
      row.entries = int64_t(input.size());
      bench<T>(row, makeProblem(kernel, storage, width), options, report);
    }
  }
}

int run(int argc, char **argv) {
  std::vector<std::string> kernels;
  for (Kernel kernel : kKernels)
    kernels.push_back(spelling(kernel));
  pinThreads(argv);
  const Options options = parseOptions(argc, argv, kernels);
  Report report(options.csv, options.least);
  for (const std::string &path : options.inputs) {
    const Coordinates input = loadInput(path, options.entries);
    bench<double>(shortName(path), input, options, report);
    bench<float>(shortName(path), input, options, report);
  }
  report.printSummary();
  return 0;
}

} // namespace
} // namespace values

int main(int argc, char **argv) {
  return values::run(argc, argv);
}
