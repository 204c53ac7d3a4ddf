#include "sema/terms/unify.h"

#include <algorithm>

namespace spc::sema {

bool Unifier::names(VariableId own, VariableId other, Renamed &renamed) const {
  if (const auto known = renamed.find(other); known != renamed.end())
    return known->second == own;
  const bool isSummed = has(others_, other);
  if (!isSummed || !has(own_, own))
    return !isSummed && own == other;
  const auto isTaken = [&](const auto &pair) { return pair.second == own; };
  if (scope_.variables[own].extent != scope_.variables[other].extent || std::ranges::any_of(renamed, isTaken))
    return false;
  renamed[other] = own;
  return true;
}

bool Unifier::unifyAll(const std::vector<const Node *> &own, const std::vector<const Node *> &others,
                       Renamed &renamed) const {
  return std::ranges::equal(own, others,
                            [&](const Node *left, const Node *right) { return unify(*left, *right, renamed); });
}

bool Unifier::unifyBinary(const BinaryNode &own, const BinaryNode &other, Renamed &renamed) const {
  if (own.op != other.op)
    return false;
  Renamed names = renamed;
  if (unify(*own.left, *other.left, names) && unify(*own.right, *other.right, names)) {
    renamed = std::move(names);
    return true;
  }
  return (own.op == BinaryOp::Add || own.op == BinaryOp::Mul) && unify(*own.left, *other.right, renamed) &&
         unify(*own.right, *other.left, renamed);
}

bool Unifier::unifyReduction(const ReduceNode &own, const ReduceNode &other, Renamed &renamed) const {
  if (own.reduction != other.reduction || own.variables.size() != other.variables.size() || own.rank || other.rank)
    return false;
  for (size_t k = 0; k < own.variables.size(); ++k) {
    if (scope_.variables[own.variables[k]].extent != scope_.variables[other.variables[k]].extent)
      return false;
    renamed[other.variables[k]] = own.variables[k];
  }
  return unify(*own.body, *other.body, renamed);
}

bool Unifier::unify(const Node &own, const Node &other, Renamed &renamed) const {
  if (own.kind.index() != other.kind.index())
    return false;
  Renamed names = renamed;
  bool isSame = false;
  if (const auto *number = std::get_if<NumberNode>(&own.kind)) {
    isSame = number->value == std::get<NumberNode>(other.kind).value;
  } else if (const auto *use = std::get_if<AccessNode>(&own.kind)) {
    const Access &left = scope_.accesses[use->access];
    const Access &right = scope_.accesses[std::get<AccessNode>(other.kind).access];
    isSame = left.tensor == right.tensor && left.mirrored == right.mirrored &&
             std::ranges::equal(left.variables, right.variables,
                                [&](VariableId a, VariableId b) { return this->names(a, b, names); });
  } else if (const auto *index = std::get_if<IndexNode>(&own.kind)) {
    isSame = this->names(index->variable, std::get<IndexNode>(other.kind).variable, names);
  } else if (const auto *call = std::get_if<CallNode>(&own.kind)) {
    const auto &right = std::get<CallNode>(other.kind);
    const bool isCast = call->function == Function::Cast;
    isSame = call->function == right.function && (!isCast || call->castTo == right.castTo) &&
             unifyAll(children(own), children(other), names);
  } else if (const auto *binary = std::get_if<BinaryNode>(&own.kind)) {
    isSame = unifyBinary(*binary, std::get<BinaryNode>(other.kind), names);
  } else if (const auto *reduction = std::get_if<ReduceNode>(&own.kind)) {
    isSame = unifyReduction(*reduction, std::get<ReduceNode>(other.kind), names);
  } else {
    isSame = unifyAll(children(own), children(other), names);
  }
  if (isSame)
    renamed = std::move(names);
  return isSame;
}

} // namespace spc::sema
