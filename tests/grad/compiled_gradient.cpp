#include "grad/compiled_gradient.h"

#include "harness/kernel_under_test.h"
#include "syntax/parser.h"

namespace spc::testing {
namespace {

constexpr int kTrials = 3;

bool isDense(const WrittenDerivative &derivative, const std::string &name) {
  for (const sema::Tensor &tensor : derivative.checked->tensors)
    if (tensor.name == name)
      return tensor.format.isDense();
  return false;
}

/// The derivative as tests describe kernels; nullopt where its formats have no spelling.
std::optional<KernelSpec> specOf(const WrittenDerivative &derivative, const GradientCase &given) {
  KernelSpec spec;
  for (const syntax::Statement &statement : derivative.tree.statements)
    spec.statements += (spec.statements.empty() ? "" : "\n") + syntax::toSource(statement);
  for (const grad::StoredLike &one : derivative.stored) {
    if (one.sharesStructure)
      spec.formats[one.name] = "structure of " + one.like;
    else if (given.formats.contains(one.like))
      spec.formats[one.name] = given.formats.at(one.like);
    else if (isDense(derivative, one.name))
      spec.formats[one.name] = "dense";
    else
      return std::nullopt;
  }
  for (const sema::Tensor &tensor : derivative.checked->tensors) {
    if (tensor.type != sema::ValueType::F64)
      spec.types[tensor.name] = tensor.type;
    if (tensor.fill != 0 && tensor.is<sema::Parameter>())
      spec.fills[tensor.name] = sema::textOf(tensor.type, tensor.fill);
  }
  spec.optLevel = 0;
  return spec;
}

} // namespace

std::string checkCompiled(const WrittenDerivative &derivative, const GradientCase &given, uint64_t seed,
                          bool &isCompiled) {
  const std::optional<KernelSpec> spec = specOf(derivative, given);
  if (!spec)
    return "";
  const KernelUnderTest kernel(*spec);
  if (kernel.outcome() == KernelUnderTest::Outcome::Broken)
    return "the compiler broke:\n" + kernel.diagnostics() + derivative.text;
  if (kernel.outcome() == KernelUnderTest::Outcome::Refused)
    return "";
  isCompiled = true;
  Random random(seed);
  for (int k = 0; k < kTrials; ++k) {
    Trial trial;
    for (int extent = 0; extent < kernel.extentClasses(); ++extent)
      trial.extents.push_back(1 + random.below(4));
    trial.fill = static_cast<Fill>(random.below(static_cast<int64_t>(Fill::Diagonal)));
    trial.seed = random.next();
    if (!kernel.canStore(trial))
      continue;
    if (const std::string problem = kernel.check(trial); !problem.empty())
      return problem + "\n" + describe(trial) + "\n" + derivative.text;
  }
  return "";
}

} // namespace spc::testing
