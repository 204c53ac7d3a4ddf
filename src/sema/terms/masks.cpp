#include "sema/terms/masks.h"

#include "sema/expression_types.h"
#include "sema/terms/sparsity.h"

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

/// The first operand that may be a mask of those that have an entry wherever a domain has one.
static std::optional<AccessId> maskOf(const MaybeDomain &domain, const std::vector<VariableId> &variables,
                                      const Scope &scope, const Planning &planning) {
  if (domain && domain->kind == DomainKind::Stored)
    return isMask(scope.accesses[domain->operand], variables, planning) ? std::optional(domain->operand) : std::nullopt;
  std::optional<AccessId> mask;
  if (domain && domain->kind == DomainKind::All)
    for (auto part = domain->parts.begin(); !mask && part != domain->parts.end(); ++part)
      mask = maskOf(*part, variables, scope, planning);
  return mask;
}

std::optional<AccessId> maskIn(const Node &product, ValueType type, const std::vector<VariableId> &variables,
                               const Scope &scope, const Planning &planning) {
  if (const auto *binary = std::get_if<BinaryNode>(&product.kind); binary && !asSum(product)) {
    const std::optional<AccessId> left = maskIn(*binary->left, type, variables, scope, planning);
    return left || binary->op == BinaryOp::Div ? left : maskIn(*binary->right, type, variables, scope, planning);
  }
  const Sparsity sparsity = sparsityOf(product, type, scope, planning.kernel);
  return sparsity.fill == 0.0 ? maskOf(sparsity.domain, variables, scope, planning) : std::nullopt;
}

std::optional<AccessId> wantedWhere(const Reader &reader, const Planning &planning) {
  const ResolvedStatement &use = planning.statements[reader.statement];
  const std::vector<VariableId> &variables = use.scope.accesses[reader.access].variables;
  ValueType type = computeTypeOf(planning.kernel, use);
  std::optional<AccessId> best;
  const auto take = [&](const Node &product, ValueType own) {
    const std::optional<AccessId> mask = maskIn(product, own, variables, use.scope, planning);
    if (mask && (!best || use.scope.accesses[*mask].variables.size() >= use.scope.accesses[*best].variables.size()))
      best = mask;
  };
  for (size_t k = 0; k + 1 < reader.path.size(); ++k) {
    const Node *own = reader.path[k + 1];
    const auto *binary = std::get_if<BinaryNode>(&reader.path[k]->kind);
    if (binary && !asSum(*reader.path[k]) && (binary->op == BinaryOp::Mul || binary->right.get() == own))
      take(binary->left.get() == own ? *binary->right : *binary->left, type);
    const auto *call = std::get_if<CallNode>(&reader.path[k]->kind);
    if (!call)
      continue;
    const auto argument = std::find_if(call->arguments.begin(), call->arguments.end(),
                                       [&](const NodePtr &other) { return other.get() == own; });
    const auto place = static_cast<size_t>(argument - call->arguments.begin());
    if (call->function == Function::Select && place == 1)
      take(*call->arguments[0], argumentType(*call, 0, type, use.scope, planning.kernel));
    type = argumentType(*call, place, type, use.scope, planning.kernel);
  }
  return best;
}

} // namespace spc::sema
