// Random derivatives against finite differences. Of one program in so many, the derivatives are also compiled and
// called.
#include "grad/compiled_gradient.h"
#include "grad/gradient_programs.h"

#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>

using namespace spc::testing;

namespace {

constexpr uint64_t kTrials = 3;

struct Counts {
  uint64_t written = 0, smooth = 0, comparisons = 0, compiled = 0, wrong = 0;
  std::map<std::string, uint64_t> refusals;
};

/// What is wrong with one program's derivatives; the empty string where nothing is.
std::string examine(const GradientCase &given, uint64_t seed, bool compiles, Counts &counts) {
  const GradientUnderTest kernel(given);
  if (!kernel.isWritten()) {
    counts.refusals[kernel.refusal().refusal] += kernel.refusal().problem.empty();
    return kernel.refusal().problem;
  }
  ++counts.written;
  bool isSmooth = false;
  for (uint64_t trial = 0; trial < kTrials; ++trial) {
    const GradientOutcome outcome = kernel.check(seed * kTrials + trial);
    ++counts.comparisons;
    isSmooth |= outcome.isSmooth;
    if (!outcome.problem.empty())
      return outcome.problem;
  }
  counts.smooth += isSmooth;
  for (const WrittenDerivative *derivative : {&kernel.reverse(), &kernel.forwardMode()}) {
    bool isCompiled = false;
    std::string problem = compiles ? checkCompiled(*derivative, given, seed, isCompiled) : "";
    counts.compiled += isCompiled;
    if (!problem.empty())
      return problem;
  }
  return "";
}

void print(uint64_t seed, const GradientCase &given, const std::string &problem) {
  std::cout << "seed " << seed;
  for (const std::string &name : given.of)
    std::cout << " of " << name;
  for (const std::string &name : given.wrt)
    std::cout << " by " << name;
  std::cout << "\n" << given.text << "\n" << problem << "\n";
}

} // namespace

int main(int count, char **arguments) {
  if (count < 3) {
    std::cerr << "gradients FIRST-SEED COUNT [COMPILED-ONE-IN]\n";
    return 2;
  }
  const auto numberAt = [&](int k) { return std::strtoull(arguments[k], nullptr, 10); };
  const uint64_t first = numberAt(1), seeds = numberAt(2), compiledOneIn = count > 3 ? numberAt(3) : 0;
  Counts counts;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    const GradientCase given = randomGradientCase(seed);
    const std::string problem = examine(given, seed, compiledOneIn > 0 && seed % compiledOneIn == 0, counts);
    if (problem.empty())
      continue;
    ++counts.wrong;
    print(seed, given, problem);
  }
  std::cout << seeds << " programs, " << counts.written << " differentiated, " << counts.smooth
            << " compared with finite differences, " << counts.comparisons << " trials, " << counts.compiled
            << " derivatives compiled, " << counts.wrong << " wrong";
  for (const auto &[id, times] : counts.refusals)
    if (times > 0)
      std::cout << "; " << times << " " << id;
  std::cout << "; " << static_cast<double>(std::clock()) / CLOCKS_PER_SEC << " s of processor time\n";
  return counts.wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
