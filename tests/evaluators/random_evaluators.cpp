// evaluators FIRST COUNT [COMPILED-ONE-IN]: random kernels through both evaluators, some trials each; of the kernels
// one of so many is compiled, and compared with what --check expects. Prints what they disagree on, and how many there
// were of what; exits with 1 where one was wrong.
#include "evaluators/agreement.h"
#include "fuzz/generator.h"
#ifdef SPC_HAS_COMPILER
#include "evaluators/compiled_agreement.h"
#endif

#include <cstdio>
#include <cstdlib>

using namespace spc;
using namespace spc::testing;

namespace {

constexpr uint64_t kTrials = 6;

struct Counts {
  int64_t kernels = 0, refused = 0, trials = 0, notChecked = 0, compared = 0, uncertain = 0, nonFinite = 0, wrong = 0;
  int64_t compiled = 0, calls = 0;
};

void report(const KernelSpec &spec, const Trial &trial, uint64_t seed, const std::string &problem, Counts &counts) {
  ++counts.wrong;
  std::printf("seed %llu: %s\n%s\n%s\n\n", static_cast<unsigned long long>(seed), problem.c_str(),
              describe(spec).c_str(), describe(trial).c_str());
}

Trial trialFor(int extentClasses, uint64_t seed, uint64_t k) {
  Trial trial = generateTrial(extentClasses, seed * kTrials + k);
  trial.nonFinite = k % 2 == 1;
  return trial;
}

#ifdef SPC_HAS_COMPILER
void compile(const KernelSpec &spec, uint64_t seed, Counts &counts) {
  const KernelUnderTest kernel(spec);
  if (kernel.outcome() != KernelUnderTest::Outcome::Compiled)
    return;
  ++counts.compiled;
  for (uint64_t k = 0; k < kTrials; ++k) {
    const Trial trial = trialFor(kernel.extentClasses(), seed, k);
    if (!kernel.canStore(trial))
      continue;
    ++counts.calls;
    if (const std::string problem = compareCompiled(kernel, trial); !problem.empty())
      return report(spec, trial, seed, "compiled: " + problem, counts);
  }
}
#else
void compile(const KernelSpec &, uint64_t, Counts &) {}
#endif

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
    const Trial trial = trialFor(analyzed.classes.count, seed, k);
    if (!canStore(analyzed, trial))
      continue;
    ++counts.trials;
    const Agreement agreement = compareEvaluators(analyzed, trial);
    counts.notChecked += agreement.notChecked.empty() ? 0 : 1;
    counts.compared += agreement.compared;
    counts.uncertain += agreement.uncertain;
    counts.nonFinite += agreement.nonFinite;
    if (!agreement.problem.empty())
      return report(spec, trial, seed, agreement.problem, counts);
  }
}

} // namespace

int main(int argc, char **argv) {
  const uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  const uint64_t compiledOneIn = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  Counts counts;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    KernelSpec spec = generateKernel(seed);
    if (seed % 7 == 3)
      takeConstant(spec, seed);
    examine(spec, seed, counts);
    if (compiledOneIn > 0 && seed % compiledOneIn == 0)
      compile(spec, seed, counts);
  }
  std::printf("%lld kernels (%lld refused), %lld trials, %lld not checked; %lld elements compared, %lld of them no "
              "numbers, %lld uncertain; %lld compiled, %lld calls; %lld wrong\n",
              static_cast<long long>(counts.kernels), static_cast<long long>(counts.refused),
              static_cast<long long>(counts.trials), static_cast<long long>(counts.notChecked),
              static_cast<long long>(counts.compared), static_cast<long long>(counts.nonFinite),
              static_cast<long long>(counts.uncertain), static_cast<long long>(counts.compiled),
              static_cast<long long>(counts.calls), static_cast<long long>(counts.wrong));
  return counts.wrong > 0 ? 1 : 0;
}
