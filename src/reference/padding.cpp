#include "reference/nodes.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <vector>

namespace spc::reference {

namespace {

using Kind = Node::Kind;

bool hasFiniteNumber(const Value &value) {
  return std::isfinite(std::abs(value.number));
}

/// The operands that are factors of what a node is.
std::span<const NodePtr> factorsOf(const Node &node) {
  switch (node.kind) {
  case Kind::Product:
    return node.operands;
  case Kind::Convert:
  case Kind::Negate:
  case Kind::Divide:
    return std::span(node.operands).first(1);
  default:
    return {};
  }
}

/// Factors on the way that are read from storage that has padding.
void findPadded(const Node &node, std::vector<const Node *> &found) {
  if (node.kind == Kind::Access && node.tensor->isPadded())
    found.push_back(&node);
  for (const NodePtr &factor : factorsOf(node))
    findPadded(*factor, found);
}

std::vector<const Node *> paddedFactors(const Node &node) {
  std::vector<const Node *> found;
  findPadded(node, found);
  return found;
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

/// Whether the indices of each of these factors settle what an expression is.
bool isSettledByEach(const std::vector<const Node *> &padded, const Node &node) {
  const std::set<VariableId> within = variablesOf(node);
  return std::all_of(padded.begin(), padded.end(), [&](const Node *factor) {
    const std::set<VariableId> around = variablesOf(*factor);
    return std::includes(around.begin(), around.end(), within.begin(), within.end());
  });
}

/// Whether something is divided on the way by what makes no finite number of it, and differs where a padded factor is
/// the same: what is divided may then be added up before that one multiplies it.
bool dividesApart(const Node &node, const std::vector<const Node *> &padded, Variables &variables,
                  Evaluation &evaluation) {
  if (node.kind == Kind::Divide && !isSettledByEach(padded, *node.operands.back())) {
    const Value divisor = valueOf(*node.operands.back(), variables, evaluation);
    if (divisor.number == 0.0 || !hasFiniteNumber(divisor))
      return true;
  }
  const std::span<const NodePtr> factors = factorsOf(node);
  return std::any_of(factors.begin(), factors.end(),
                     [&](const NodePtr &factor) { return dividesApart(*factor, padded, variables, evaluation); });
}

/// Whether a factor is no finite number, other than a quotient or a product that a padded one is within.
bool meetsNonFinite(const Node &product, const std::vector<Value> &factors) {
  for (size_t k = 0; k < factors.size(); ++k) {
    const Node &factor = *product.operands[k];
    if (!hasFiniteNumber(factors[k]) && (factor.kind == Kind::Access || paddedFactors(factor).empty()))
      return true;
  }
  return false;
}

} // namespace

void refusePadding(const Node &node, const std::vector<Value> &operands, Variables &variables, Evaluation &evaluation) {
  if (isExact(node.type))
    return;
  const std::vector<const Node *> padded = paddedFactors(node);
  if (!padded.empty() && ((node.kind == Kind::Product && meetsNonFinite(node, operands)) ||
                          dividesApart(node, padded, variables, evaluation)))
    throw Unsupported("know where padding meets infinities or NaNs");
}

} // namespace spc::reference
