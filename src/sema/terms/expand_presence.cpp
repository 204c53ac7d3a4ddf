// Where functions of conditional entries have entries. One is called with the number that a missing entry is; where all
// that its value may come of is missing, so is the value, and a product with it.
#include "sema/expression_types.h"
#include "sema/terms/expander.h"
#include "sema/terms/sparsity.h"

#include <utility>

namespace spc::sema {

/// Where a call with fill 0 has entries, among the places that its operands' patterns lead to; null: at all of these,
/// and where nobody can tell, as a 0 times any integer is 0.
NodePtr Expander::presenceOfCall(const Node &call) {
  const Sparsity sparsity = sparsityOf(call, computeType_, scope_, kernel_);
  if (listsWheres_ || isInteger(computeType_) || sparsity.fill != 0.0 || !holdsWhere(call))
    return nullptr;
  return presenceIn(call, sparsity.domain.value_or(AccessDomain{})).value_or(nullptr);
}

/// Both conditions.
Expander::Presence Expander::each(Presence a, Presence b) const {
  return a && b ? Presence(both(std::move(*a), std::move(*b))) : std::nullopt;
}

/// One of two conditions, or both.
Expander::Presence Expander::either(Presence a, Presence b) const {
  if (!a || !b)
    return a ? std::move(a) : std::move(b);
  if (!*a || !*b)
    return nullptr;
  const Span where = (*a)->where;
  CallNode any{Function::Or, ValueType::Bool, {}};
  any.arguments.push_back(std::move(*a));
  any.arguments.push_back(std::move(*b));
  return makeNode(std::move(any), where);
}

Expander::Presence Expander::presenceIn(const Node &node, const AccessDomain &whole) {
  if (const auto *call = std::get_if<CallNode>(&node.kind); call && holdsWhere(node))
    return call->function == Function::Where ? presenceOfEntry(*call, whole) : presenceIn(*call, whole);
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return presenceIn(*negate->operand, whole);
  if (const auto *binary = std::get_if<BinaryNode>(&node.kind); binary && holdsWhere(node))
    return presenceIn(*binary, whole);
  const Sparsity own = sparsityOf(node, computeType_, scope_, kernel_);
  if (own.fill && !own.domain)
    return std::nullopt;
  const bool isKnown = own.fill && !isEverywhere(own.domain) && !isSame(*own.domain, whole);
  return isKnown ? asCondition(*own.domain, node.where) : nullptr;
}

/// A number has an entry wherever the condition holds.
Expander::Presence Expander::presenceOfEntry(const CallNode &where, const AccessDomain &whole) {
  NodePtr condition = conditionIn(where);
  return both(std::move(condition), presenceIn(*where.arguments[1], whole).value_or(nullptr));
}

Expander::Presence Expander::presenceIn(const CallNode &call, const AccessDomain &whole) {
  std::vector<Presence> present;
  std::vector<std::optional<double>> fills;
  const ValueType type = computeType_;
  for (size_t k = 0; k < call.arguments.size(); ++k) {
    computeType_ = argumentType(call, k, type, scope_, kernel_);
    present.push_back(presenceIn(*call.arguments[k], whole));
    fills.push_back(sparsityOf(*call.arguments[k], computeType_, scope_, kernel_).fill);
  }
  computeType_ = type;
  if (call.function == Function::Select && !fills[0])
    return either(std::move(present[1]), std::move(present[2]));
  if (call.function == Function::Select)
    return either(std::move(present[0]), std::move(present[*fills[0] != 0 ? 1 : 2]));
  const bool isAnd = call.function == Function::And;
  if (isAnd || call.function == Function::Or) {
    const bool first = fills[0] && (*fills[0] != 0) != isAnd, second = fills[1] && (*fills[1] != 0) != isAnd;
    if (first && second)
      return each(std::move(present[0]), std::move(present[1]));
    if (first || second)
      return std::move(present[first ? 0 : 1]);
  }
  Presence any;
  for (Presence &argument : present)
    any = either(std::move(any), std::move(argument));
  return any;
}

Expander::Presence Expander::presenceIn(const BinaryNode &binary, const AccessDomain &whole) {
  const auto isGoneWith = [&](const Node &factor) {
    return sparsityOf(factor, computeType_, scope_, kernel_).fill == 0.0;
  };
  Presence left = presenceIn(*binary.left, whole);
  const bool isDivision = binary.op == BinaryOp::Div, isProduct = isDivision || binary.op == BinaryOp::Mul;
  const bool byLeft = isProduct && isGoneWith(*binary.left),
             byRight = isProduct && !isDivision && isGoneWith(*binary.right);
  if (byLeft && !byRight)
    return left;
  Presence right = presenceIn(*binary.right, whole);
  if (byRight)
    return byLeft ? each(std::move(left), std::move(right)) : std::move(right);
  return either(std::move(left), std::move(right));
}

} // namespace spc::sema
