#include "reference/nodes.h"

#include <algorithm>
#include <cmath>

namespace spc::reference {

namespace {

using Kind = Node::Kind;

bool hasFiniteNumber(const Value &value) {
  return std::isfinite(std::abs(value.number));
}

/// Whether a factor on the way is read from storage that has padding.
bool hasPaddedFactor(const Node &node) {
  switch (node.kind) {
  case Kind::Access:
    return node.tensor->isPadded();
  case Kind::Product:
    return std::any_of(node.operands.begin(), node.operands.end(),
                       [](const NodePtr &factor) { return hasPaddedFactor(*factor); });
  case Kind::Convert:
  case Kind::Negate:
  case Kind::Divide:
    return hasPaddedFactor(*node.operands.front());
  default:
    return false;
  }
}

/// Whether a product on the way has such a factor. A padded tensor alone is divided where it has entries.
bool multipliesPadding(const Node &node) {
  switch (node.kind) {
  case Kind::Product:
    return hasPaddedFactor(node);
  case Kind::Convert:
  case Kind::Negate:
  case Kind::Divide:
    return multipliesPadding(*node.operands.front());
  default:
    return false;
  }
}

/// Whether something is divided by a number on the way that makes no finite one of it.
bool dividesWildly(const Node &node, Variables &variables, Evaluation &evaluation) {
  switch (node.kind) {
  case Kind::Product:
    return std::any_of(node.operands.begin(), node.operands.end(),
                       [&](const NodePtr &factor) { return dividesWildly(*factor, variables, evaluation); });
  case Kind::Convert:
  case Kind::Negate:
    return dividesWildly(*node.operands.front(), variables, evaluation);
  case Kind::Divide: {
    const Value divisor = valueOf(*node.operands.back(), variables, evaluation);
    return divisor.number == 0.0 || !hasFiniteNumber(divisor) ||
           dividesWildly(*node.operands.front(), variables, evaluation);
  }
  default:
    return false;
  }
}

} // namespace

void refusePadding(const Node &node, const std::vector<Value> &operands, Variables &variables, Evaluation &evaluation) {
  if (isExact(node.type) || !(node.kind == Kind::Product ? hasPaddedFactor(node) : multipliesPadding(node)))
    return;
  if (!std::all_of(operands.begin(), operands.end(), hasFiniteNumber) || dividesWildly(node, variables, evaluation))
    throw Unsupported("know where padding meets infinities or NaNs");
}

} // namespace spc::reference
