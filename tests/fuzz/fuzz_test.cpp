// Differential fuzzing: random kernels, formats and shapes against the dense evaluator.
//
// SPC_FUZZ_COUNT sets the number of kernels, SPC_FUZZ_SEED the first seed. A failure prints a reproducer that has been
// made smaller by dropping statements, formats and extents as long as it still fails.
#include "fuzz/generator.h"
#include "harness/kernel_under_test.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <map>
#include <sstream>

using namespace spc::testing;

namespace {

constexpr int kTrialsPerKernel = 8;

uint64_t numberFrom(const char *variable, uint64_t fallback) {
  const char *text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : fallback;
}

/// What is wrong with a kernel: the empty string where nothing is, or where it is refused properly.
struct Finding {
  std::string problem;
  std::string refusal; ///< the error's id
  Trial trial;
};

Finding examine(const KernelSpec &spec, uint64_t seed) {
  const KernelUnderTest kernel(spec);
  if (kernel.outcome() == KernelUnderTest::Outcome::Broken)
    return {"the compiler broke:\n" + kernel.diagnostics(), "", {}};
  if (kernel.outcome() == KernelUnderTest::Outcome::Refused)
    return {"", kernel.firstError(), {}};
  for (int k = 0; k < kTrialsPerKernel; ++k) {
    const Trial trial = generateTrial(kernel.extentClasses(), seed * kTrialsPerKernel + static_cast<uint64_t>(k));
    if (!kernel.canStore(trial))
      continue;
    if (const std::string problem = kernel.check(trial); !problem.empty())
      return {problem, "", trial};
  }
  return {};
}

/// All specs that are one step simpler.
std::vector<KernelSpec> simplerSpecs(const KernelSpec &spec) {
  std::vector<KernelSpec> result;
  std::vector<std::string> lines;
  std::istringstream text(spec.statements);
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  for (size_t dropped = 0; lines.size() > 1 && dropped < lines.size(); ++dropped) {
    result.push_back(spec);
    result.back().statements.clear();
    for (size_t kept = 0; kept < lines.size(); ++kept)
      if (kept != dropped)
        result.back().statements += (result.back().statements.empty() ? "" : "\n") + lines[kept];
  }
  for (const auto &entry : spec.formats) {
    result.push_back(spec);
    result.back().formats.erase(entry.first);
  }
  for (const auto &entry : spec.types) {
    result.push_back(spec);
    result.back().types.erase(entry.first);
  }
  result.push_back(spec);
  result.back().index = {};
  result.push_back(spec);
  result.back().typesAreGiven = false;
  if (spec.optLevel > 0) {
    result.push_back(spec);
    result.back().optLevel = 0;
  }
  return result;
}

bool isSame(const KernelSpec &a, const KernelSpec &b) {
  return describe(a) == describe(b);
}

std::string reproducer(KernelSpec spec, Finding finding, uint64_t seed) {
  for (bool isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const KernelSpec &simpler : simplerSpecs(spec)) {
      if (isSame(simpler, spec))
        continue;
      Finding again = examine(simpler, seed);
      if (again.problem.empty())
        continue;
      spec = simpler;
      finding = again;
      isSmaller = true;
      break;
    }
  }
  const std::string trial = finding.trial.extents.empty() ? "" : describe(finding.trial) + "\n";
  return describe(spec) + "\n" + trial + finding.problem;
}

} // namespace

TEST_CASE("random kernels compute what the evaluator computes", "[random]") {
  const uint64_t count = numberFrom("SPC_FUZZ_COUNT", 500);
  const uint64_t first = numberFrom("SPC_FUZZ_SEED", 1);
  uint64_t refused = 0;
  std::map<std::string, int> refusals;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    KernelSpec spec = generateKernel(seed);
    if (seed % 6 == 0)
      giveTypes(spec);
    if (seed % 7 == 3)
      takeConstant(spec, seed);
    INFO("seed " << seed << "\n" << describe(spec));
    const Finding finding = examine(spec, seed);
    if (!finding.refusal.empty()) {
      ++refused;
      ++refusals[finding.refusal];
    }
    if (!finding.problem.empty())
      FAIL_CHECK(reproducer(spec, finding, seed));
  }
  std::ostringstream reasons;
  for (const auto &[id, times] : refusals)
    reasons << "\n" << id << ": " << times;
  INFO(refused << " of " << count << " kernels were refused" << reasons.str());
  CHECK(refused * 2 < count);
}

TEST_CASE("mangled kernels are refused or compiled, never worse", "[mangled]") {
  const uint64_t count = numberFrom("SPC_FUZZ_COUNT", 300);
  uint64_t compiled = 0;
  for (uint64_t seed = 1; seed <= 4 * count; ++seed) {
    KernelSpec spec = generateKernel(seed);
    spec.declares = false;
    spec.optLevel = 0;
    Random random(seed);
    const int64_t kind = random.below(5);
    const char *declaration = kind == 0   ? "tensor A0(m, n): f32, sparse\n"
                              : kind == 1 ? "type T = f32\ntensor A0(m, n): T, sparse\n"
                              : kind == 2 ? "const A0(2, 2): f32 = [[1, 0.5], [-2, inf]]\n"
                                          : "";
    spec.statements = mutate(declaration + spec.statements, random);
    INFO("seed " << seed << "\n" << describe(spec));
    const KernelUnderTest kernel(spec);
    INFO(kernel.diagnostics());
    CHECK(kernel.outcome() != KernelUnderTest::Outcome::Broken);
    compiled += kernel.outcome() == KernelUnderTest::Outcome::Compiled;
  }
  INFO(compiled << " of " << 4 * count << " mangled kernels compiled");
  CHECK(compiled > count / 10);
}
