#include "sema/terms/masks.h"

#include <algorithm>

namespace spc::sema {

static bool isMask(const Access &access, const std::vector<VariableId> &variables, const Planning &planning) {
  const Tensor &tensor = planning.kernel.tensors[access.tensor];
  const bool isWithin = std::all_of(access.variables.begin(), access.variables.end(), [&](VariableId variable) {
    return std::count(access.variables.begin(), access.variables.end(), variable) == 1 && has(variables, variable);
  });
  return isWithin && !tensor.format.isDense() && tensor.fill == 0 && planning.symbols[access.tensor].firstWrite < 0;
}

bool isMadeOfComputed(const Access &mask, const Planning &planning) {
  const auto *tie = planning.kernel.tensors[mask.tensor].as<Tie>();
  return tie && tie->source && planning.symbols[*tie->source].firstWrite >= 0;
}

std::optional<AccessId> maskIn(const Node &product, const std::vector<VariableId> &variables, const Scope &scope,
                               const Planning &planning) {
  if (const auto *use = std::get_if<AccessNode>(&product.kind))
    return isMask(scope.accesses[use->access], variables, planning) ? std::optional(use->access) : std::nullopt;
  if (const auto *call = std::get_if<CallNode>(&product.kind); call && call->function == Function::Pattern)
    return maskIn(*call->arguments.front(), variables, scope, planning);
  const auto *binary = std::get_if<BinaryNode>(&product.kind);
  if (!binary || asSum(product))
    return std::nullopt;
  const std::optional<AccessId> left = maskIn(*binary->left, variables, scope, planning);
  return left || binary->op == BinaryOp::Div ? left : maskIn(*binary->right, variables, scope, planning);
}

} // namespace spc::sema
