#include "sema/terms/planning.h"

namespace spc::sema {

constexpr DiagnosticKind kTooManyParameters{"too-many-parameters", Severity::Error};
constexpr size_t kMaxParameters = 64;

void checkParameterCount(const Planning &planning) {
  const std::vector<TensorId> &parameters = planning.kernel.parameters;
  if (parameters.size() > kMaxParameters)
    planning.diagnostics.report(kTooManyParameters, planning.kernel.tensors[parameters[kMaxParameters]].where,
                                "this kernel has " + std::to_string(parameters.size()) + " tensors; the limit is " +
                                    std::to_string(kMaxParameters));
}

} // namespace spc::sema
