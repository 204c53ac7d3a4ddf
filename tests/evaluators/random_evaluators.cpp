// evaluators FIRST COUNT: random kernels through both evaluators, some trials each. Prints what they disagree on, and
// how many there were of what; exits with 1 where one was wrong.
#include "evaluators/agreement.h"
#include "fuzz/generator.h"

#include <cstdio>
#include <cstdlib>

using namespace spc;
using namespace spc::testing;

namespace {

constexpr uint64_t kTrials = 6;

struct Counts {
  int64_t kernels = 0, refused = 0, trials = 0, notChecked = 0, compared = 0, uncertain = 0, nonFinite = 0, wrong = 0;
};

void examine(const KernelSpec &spec, uint64_t seed, Counts &counts) {
  SourceManager sources;
  Diagnostics diagnostics;
  const AnalyzedKernel analyzed = analyze(spec, sources, diagnostics);
  if (!analyzed.kernel || diagnostics.hasErrors()) {
    ++counts.refused;
    return;
  }
  ++counts.kernels;
  for (uint64_t k = 0; k < kTrials; ++k) {
    Trial trial = generateTrial(analyzed.classes.count, seed * kTrials + k);
    trial.nonFinite = k % 2 == 1;
    if (!canStore(analyzed, trial))
      continue;
    ++counts.trials;
    const Agreement agreement = compareEvaluators(analyzed, trial);
    counts.notChecked += agreement.notChecked.empty() ? 0 : 1;
    counts.compared += agreement.compared;
    counts.uncertain += agreement.uncertain;
    counts.nonFinite += agreement.nonFinite;
    if (!agreement.problem.empty()) {
      ++counts.wrong;
      std::printf("seed %llu: %s\n%s\n%s\n\n", static_cast<unsigned long long>(seed), agreement.problem.c_str(),
                  describe(spec).c_str(), describe(trial).c_str());
      return;
    }
  }
}

} // namespace

int main(int argc, char **argv) {
  const uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  Counts counts;
  for (uint64_t seed = first; seed < first + count; ++seed)
    examine(generateKernel(seed), seed, counts);
  std::printf("%lld kernels (%lld refused), %lld trials, %lld not checked; %lld elements compared, %lld of them no "
              "numbers, %lld uncertain; %lld wrong\n",
              static_cast<long long>(counts.kernels), static_cast<long long>(counts.refused),
              static_cast<long long>(counts.trials), static_cast<long long>(counts.notChecked),
              static_cast<long long>(counts.compared), static_cast<long long>(counts.nonFinite),
              static_cast<long long>(counts.uncertain), static_cast<long long>(counts.wrong));
  return counts.wrong > 0 ? 1 : 0;
}
