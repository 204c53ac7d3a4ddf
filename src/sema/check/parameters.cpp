// The kernel's parameters: which tensors are read and written, and in which order they are passed.
#include "sema/analysis.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kTooManyParameters{"too-many-parameters", Severity::Error};
constexpr size_t kMaxParameters = 64;

void addOnce(std::vector<TensorId> &list, TensorId tensor) {
  if (std::find(list.begin(), list.end(), tensor) == list.end())
    list.push_back(tensor);
}

} // namespace

void orderParameters(Analysis &analysis) {
  std::vector<TensorId> operands, outputs;
  for (size_t k = 0; k < analysis.statements.size(); ++k) {
    const ResolvedStatement &statement = analysis.statements[k];
    for (const Access &access : statement.scope.accesses)
      if (analysis.symbols[access.tensor].isOperand)
        addOnce(operands, access.tensor);
    Symbol &target = analysis.symbols[statement.target.tensor];
    analysis.kernel.tensors[statement.target.tensor].isWritten = true;
    bool accumulatesFirst =
        statement.source->op != syntax::AssignOp::Assign && target.firstWrite == static_cast<int>(k);
    analysis.kernel.tensors[statement.target.tensor].isRead |= accumulatesFirst;
    const bool isTemporary = analysis.kernel.tensors[statement.target.tensor].is<Temporary>();
    if (!target.isOperand && !isTemporary)
      addOnce(outputs, statement.target.tensor);
  }
  for (TensorId id : operands)
    analysis.kernel.tensors[id].isRead = true;
  operands.insert(operands.end(), outputs.begin(), outputs.end());
  analysis.kernel.parameters = std::move(operands);
}

void checkParameterCount(const Analysis &analysis) {
  const std::vector<TensorId> &parameters = analysis.kernel.parameters;
  if (parameters.size() > kMaxParameters)
    analysis.diagnostics.report(kTooManyParameters, analysis.kernel.tensors[parameters[kMaxParameters]].where,
                                "this kernel has " + std::to_string(parameters.size()) + " tensors; the limit is " +
                                    std::to_string(kMaxParameters));
}

} // namespace spc::sema
