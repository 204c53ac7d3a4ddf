#include "evaluators/compiled_agreement.h"

#include "evaluators/agreement.h"
#include "harness/kernel_arguments.h"

#include <cmath>
#include <limits>

namespace spc::testing {
namespace {

/// Puts what --check expects of a result in place of what the other evaluator does. Elements that are anything to
/// --check keep that one's number, with no bound.
void expect(const reference::Tensor &wanted, DenseTensor &result) {
  result.errors.resize(result.values.size(), 0);
  for (size_t at = 0; at < result.values.size(); ++at) {
    const reference::Value value = wanted.at(static_cast<int64_t>(at));
    if (std::isfinite(value.error) && !value.alternatives) {
      result.values[at] = value.number;
      result.errors[at] = value.error + std::numeric_limits<float>::min();
    } else {
      result.errors[at] = std::numeric_limits<double>::infinity();
    }
  }
}

} // namespace

std::string compareCompiled(const KernelUnderTest &kernel, const Trial &given) {
  const Trial trial = withRoom(kernel.classes(), given);
  TestContext context(trial.chunks);
  KernelArguments arguments(kernel.kernel(), kernel.classes(), trial, context);
  if (!arguments.pack().empty() || !windowsFit(kernel.classes(), trial.extents))
    return {};
  TensorMap tensors = arguments.denseTensors();
  PatternMap least = arguments.patterns(/*withPadding=*/false), most = arguments.patterns(/*withPadding=*/true);
  reference::Tensors wanted;
  try {
    wanted = referenceResults(kernel.analyzed(), tensors);
  } catch (const reference::Unsupported &) {
    return arguments.release();
  }
  std::string problem = evaluate(kernel.tree(), tensors); // what is stored
  for (PatternMap *patterns : {&least, &most})
    if (problem.empty())
      problem = evaluatePatterns(kernel.tree(), *patterns, patterns == &most);
  if (!problem.empty())
    return problem;
  takeConditionalPatterns(kernel.tree(), tensors, least, most);
  for (auto &[name, result] : tensors)
    if (const auto known = wanted.find(name); known != wanted.end() && known->second.isComputed())
      expect(known->second, result);
  void **pointers = arguments.pointers();
  if (kernel.code().invoke()(*pointers, pointers + 1) != SPC_OK)
    return arguments.release(); // what its format cannot hold, as the other comparison says
  problem = arguments.compare(tensors, least, most);
  return problem.empty() ? arguments.release() : problem;
}

} // namespace spc::testing
