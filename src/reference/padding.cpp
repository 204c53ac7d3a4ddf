#include "reference/nodes.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace spc::reference {

namespace {

using Kind = Node::Kind;

bool hasFiniteNumber(const Value &value) {
  return std::isfinite(std::abs(value.number));
}

/// Whether that only passes on what its first operand is a factor of.
bool passesOn(const Node &node) {
  return node.kind == Kind::Convert || node.kind == Kind::Negate || node.kind == Kind::Divide;
}

/// The first factor on the way that is read from storage that has padding; nullptr without one.
const Node *paddedFactor(const Node &node) {
  if (node.kind == Kind::Access)
    return node.tensor->isPadded() ? &node : nullptr;
  if (passesOn(node))
    return paddedFactor(*node.operands.front());
  if (node.kind == Kind::Product)
    for (const NodePtr &factor : node.operands)
      if (const Node *padded = paddedFactor(*factor))
        return padded;
  return nullptr;
}

/// The variables whose values an expression depends on.
std::set<VariableId> variablesOf(const Node &node) {
  std::set<VariableId> found;
  for (const IndexSum &index : node.indices)
    for (const auto &term : index.terms)
      found.insert(term.variable);
  if (node.kind == Kind::Index)
    found.insert(node.variables.front());
  for (const NodePtr &operand : node.operands)
    found.merge(variablesOf(*operand));
  if (node.kind == Kind::Reduce)
    for (VariableId bound : node.variables)
      found.erase(bound);
  return found;
}

/// Whether something is divided on the way by what makes no finite number of it, and differs where the padded factor is
/// the same: what is divided may then be added up before that one multiplies it.
bool dividesApart(const Node &node, const Node &padded, Variables &variables, Evaluation &evaluation) {
  if (node.kind == Kind::Divide) {
    const Node &divisor = *node.operands.back();
    const std::set<VariableId> within = variablesOf(divisor), around = variablesOf(padded);
    const Value value = valueOf(divisor, variables, evaluation);
    if ((value.number == 0.0 || !hasFiniteNumber(value)) &&
        !std::includes(around.begin(), around.end(), within.begin(), within.end()))
      return true;
  }
  const size_t factors = passesOn(node) ? 1 : node.kind == Kind::Product ? node.operands.size() : 0;
  return std::any_of(node.operands.begin(), node.operands.begin() + static_cast<ptrdiff_t>(factors),
                     [&](const NodePtr &factor) { return dividesApart(*factor, padded, variables, evaluation); });
}

/// Whether a factor is no finite number, other than a quotient or a product that the padded one is within.
bool meetsNonFinite(const Node &product, const std::vector<Value> &factors) {
  for (size_t k = 0; k < factors.size(); ++k) {
    const Node &factor = *product.operands[k];
    if (!hasFiniteNumber(factors[k]) && (factor.kind == Kind::Access || !paddedFactor(factor)))
      return true;
  }
  return false;
}

} // namespace

void refusePadding(const Node &node, const std::vector<Value> &operands, Variables &variables, Evaluation &evaluation) {
  const Node *padded = isExact(node.type) ? nullptr : paddedFactor(node);
  if (padded && ((node.kind == Kind::Product && meetsNonFinite(node, operands)) ||
                 dividesApart(node, *padded, variables, evaluation)))
    throw Unsupported("know where padding meets infinities or NaNs");
}

} // namespace spc::reference
