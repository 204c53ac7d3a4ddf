#include "sema/terms/contraction_space.h"

#include <algorithm>

namespace spc::sema {

void noteCalls(const Node &node, const Scope &scope, ContractionFactor &factor) {
  if (const auto *call = std::get_if<CallNode>(&node.kind))
    factor.calls += language::isTranscendental(call->function);
  for (const Node *child : children(node))
    noteCalls(*child, scope, factor);
  if (const auto *use = std::get_if<AccessNode>(&node.kind))
    factor.reads.push_back(plainVariables(scope.accesses[use->access], scope));
}

bool hasMemoryBeside(const ContractionSpace &space, const ContractionFactor *own, VariableId variable) {
  return std::any_of(space.factors.begin(), space.factors.end(), [&](const ContractionFactor &factor) {
    return ((space.isCompact || !factor.isSparse) && &factor != own && has(factor.variables, variable)) ||
           std::any_of(factor.stored.begin(), factor.stored.end(),
                       [&](const Stored &stored) { return hasMemoryFor(variable, stored); });
  });
}

bool mayBeFilled(const ContractionSpace &space, size_t number) {
  const ContractionFactor &own = space.factors[number];
  if (!space.mayFill || !own.mayBeFilled || own.stored.empty() || own.variables.size() != 1)
    return false;
  const VariableId variable = own.variables.front();
  return has(space.targets, variable) || hasMemoryBeside(space, &own, variable);
}

bool hasOrder(const ContractionSpace &space, size_t order) {
  return (space.mayFill && space.targets.size() >= order) ||
         std::any_of(space.factors.begin(), space.factors.end(), [&](const ContractionFactor &factor) {
           return !factor.isSparse && factor.variables.size() >= order;
         });
}

} // namespace spc::sema
