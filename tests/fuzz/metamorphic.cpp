// Metamorphic fuzzing: each random kernel, and variants of it that mean the same, against what the dense evaluator
// makes of the original. What ran is written as JSON; metamorphic.py adds it up.
#include "fuzz/generator.h"
#include "fuzz/variants.h"
#include "syntax/parser.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>

using namespace spc::testing;

namespace {

constexpr uint64_t kTrials = 2;

struct Counts {
  int64_t compiled = 0, refused = 0, comparisons = 0, mismatches = 0;

  nlohmann::ordered_json json() const {
    return {{"compiled", compiled}, {"refused", refused}, {"comparisons", comparisons}, {"mismatches", mismatches}};
  }
};

/// Compares a kernel with what `meaning` means.
void compare(const KernelSpec &spec, const KernelUnderTest &kernel, const Meaning *meaning, uint64_t seed,
             Counts &counts) {
  const auto report = [&](const std::string &trial, const std::string &problem) {
    ++counts.mismatches;
    std::cout << "MISMATCH seed " << seed << "\n" << describe(spec) << "\n" << trial << "\n" << problem << std::endl;
    if (meaning)
      for (const spc::syntax::Statement &statement : meaning->tree.statements)
        std::cout << "meant: " << spc::syntax::toSource(statement) << std::endl;
  };
  if (kernel.outcome() == KernelUnderTest::Outcome::Broken)
    return report("", kernel.diagnostics());
  if (kernel.outcome() == KernelUnderTest::Outcome::Refused) {
    ++counts.refused;
    return;
  }
  ++counts.compiled;
  for (uint64_t k = 0; k < kTrials; ++k) {
    const Trial trial = generateTrial(kernel.extentClasses(), seed * kTrials + k);
    if (!kernel.canStore(trial))
      continue;
    ++counts.comparisons;
    if (const std::string problem = kernel.check(trial, meaning); !problem.empty())
      return report(describe(trial), problem);
  }
}

} // namespace

int main(int count, char **arguments) {
  if (count < 3) {
    std::cerr << "metamorphic FIRST-SEED COUNT [OUTPUT.json]\n";
    return 2;
  }
  const uint64_t first = std::strtoull(arguments[1], nullptr, 10), seeds = std::strtoull(arguments[2], nullptr, 10);
  spc::pipeline::Workshop workshop;
  Counts originals;
  std::map<std::string, Counts> variants;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    KernelSpec spec = generateKernel(seed);
    spec.optLevel = 0;
    const KernelUnderTest kernel(spec, &workshop);
    compare(spec, kernel, nullptr, seed, originals);
    if (kernel.outcome() != KernelUnderTest::Outcome::Compiled)
      continue;
    Random random(seed);
    for (const Variation variation : kVariations) {
      const std::optional<Variant> variant = vary(spec, kernel, variation, random);
      if (!variant)
        continue;
      spc::SourceManager sources;
      spc::Diagnostics ignored;
      const Meaning meaning = {spc::syntax::parse(sources.add("original", variant->meaning), ignored),
                               variant->dimensions, variant->lacksTemporary};
      compare(variant->spec, KernelUnderTest(variant->spec, &workshop), &meaning, seed, variants[spelling(variation)]);
    }
  }
  nlohmann::ordered_json report = {{"seeds", seeds}, {"originals", originals.json()}};
  int64_t compilations = originals.compiled, mismatches = originals.mismatches;
  for (const auto &[name, counts] : variants) {
    report["variants"][name] = counts.json();
    compilations += counts.compiled;
    mismatches += counts.mismatches;
  }
  const double seconds = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  report["processor seconds"] = seconds;
  std::cout << compilations << " compilations, " << mismatches << " mismatches, " << seconds << " s of processor time, "
            << 1000 * seconds / static_cast<double>(compilations) << " ms each\n";
  if (count > 3)
    std::ofstream(arguments[3]) << report.dump(1) << "\n";
  return mismatches == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
