// Kernels of every kind, with integers, windows, semirings and formats that have no gradients: differentiated, or
// refused with an error that says why.
#include "fuzz/generator.h"
#include "grad/gradient_check.h"
#include "harness/kernel_text.h"
#include "syntax/parser.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>

using namespace spc;
using namespace spc::testing;

namespace {

/// A random kernel with one of its outputs and all operands of floats; without any where it has none.
GradientCase caseFrom(uint64_t seed) {
  const KernelSpec spec = generateKernel(seed);
  SourceManager sources;
  Diagnostics ignored;
  const syntax::Kernel tree = syntax::parse(sources.add("statements", literalStatements(spec)), ignored);
  const ExtentClasses classes = findExtentClasses(tree);
  GradientCase given{kernelText(spec, classes), spec.formats, {}, {}};
  std::vector<std::string> targets;
  for (const syntax::Statement &statement : tree.statements) {
    targets.push_back(statement.target.tensor.text);
    if (!statement.isTemporary && sema::isFloat(typeOf(spec, targets.back())))
      given.of = {targets.back()};
  }
  for (const std::string &tensor : classes.tensors)
    if (std::find(targets.begin(), targets.end(), tensor) == targets.end() && sema::isFloat(typeOf(spec, tensor)))
      given.wrt.push_back(tensor);
  const bool hasStructures = std::any_of(spec.formats.begin(), spec.formats.end(),
                                         [](const auto &format) { return format.second.starts_with("structure of"); });
  if (hasStructures || spec.type != sema::ValueType::F64 || !spec.types.empty())
    given.of.clear();
  return given;
}

} // namespace

TEST_CASE("kernels of every kind are differentiated or refused") {
  const char *count = std::getenv("SPC_FUZZ_COUNT");
  const uint64_t seeds = count ? std::strtoull(count, nullptr, 10) : 600;
  int written = 0, smooth = 0;
  std::map<std::string, int> refusals;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const GradientCase given = caseFrom(seed);
    if (given.of.empty() || given.wrt.empty())
      continue;
    const GradientUnderTest kernel(given);
    INFO("seed " << seed << "\n" << given.text << kernel.diagnostics());
    CHECK(kernel.refusal().problem == "");
    ++refusals[kernel.refusal().refusal];
    if (!kernel.isWritten())
      continue;
    ++written;
    const GradientOutcome outcome = kernel.check(seed);
    CHECK(outcome.problem == "");
    smooth += outcome.isSmooth;
  }
  std::string all;
  for (const auto &[id, times] : refusals)
    all += " " + id + ": " + std::to_string(times);
  INFO(written << " written, " << smooth << " compared, refused:" << all);
  CHECK(smooth * 20 > static_cast<int>(seeds));
}
