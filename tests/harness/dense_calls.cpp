// Calls of functions: a part of the dense evaluator.
#include "harness/dense_nodes.h"
#include "harness/function_values.h"

#include <algorithm>
#include <utility>

namespace spc::testing::evaluator {

double valueOf(const Node &call, const std::vector<double> &arguments) {
  if (isOfBits(call.call->function))
    return valueOfBits(call.call->function, call.type, arguments[0], arguments[1]);
  return isAbsorbingSum(*call.call) ? absorbingSum(call.call->function, call.type, arguments[0], arguments[1])
                                    : testing::valueOf(*call.call, arguments);
}

NodePtr Resolver::resolve(const syntax::Call &call, Scope &scope) {
  if (isAbsorbingSum(call) && !sema::isInteger(type_))
    return resolveBinary(language::BinaryOp::Add, *call.arguments[0], *call.arguments[1], scope);
  auto node = std::make_unique<Node>();
  node->kind = NodeKind::Call;
  node->call = &call;
  node->type = type_;
  node->hasCalls = true;
  if (call.function == language::Function::Where)
    return resolveWhere(call, std::move(node), scope);
  std::vector<double> fills;
  callsAround_ += lists_ ? 0 : 1;
  const bool isOneTerm = std::exchange(isOneTerm_, true);
  for (const syntax::ExprPtr &argument : call.arguments) {
    const sema::ValueType type = argumentType(call, node->arguments.size(), type_, typesOf(tensors_));
    node->arguments.push_back(resolve(*argument, type, scope));
    if (node->arguments.back()->fill)
      fills.push_back(*node->arguments.back()->fill);
  }
  callsAround_ -= lists_ ? 0 : 1;
  isOneTerm_ = isOneTerm;
  const Node &first = *node->arguments.front();
  if (call.function == language::Function::Pattern) {
    node->hasCalls = first.tensor->sparse; // the pattern of a dense tensor is a 1
    node->fill = first.tensor->sparse ? std::optional(0.0) : std::nullopt;
  } else if (isComplement(*node))
    node->fill = 0; // where the mask has an entry, that is: there is none elsewhere
  else if (isIndexMask(*node))
    node->fill = 0;
  else if (call.function == language::Function::Complex) // a fill has one part
    node->fill = fills.size() == 2 && fills[1] == 0 ? std::optional(fills[0]) : std::nullopt;
  else if (fills.size() == call.arguments.size() &&
           !(call.function == language::Function::Select && isIndexMask(*node->arguments[0])))
    node->fill = valueOf(*node, fills);
  else
    node->fill = fillOfSome(*node);
  return node;
}

std::optional<double> Resolver::fillOfSome(const Node &node) {
  const auto fill = [&](size_t k) { return node.arguments[k]->fill; };
  switch (node.call->function) {
  case language::Function::And:
    return fill(0) == 0.0 || fill(1) == 0.0 ? std::optional(0.0) : std::nullopt;
  case language::Function::Or:
    return fill(0).value_or(0) != 0 || fill(1).value_or(0) != 0 ? std::optional(1.0) : std::nullopt;
  case language::Function::Select:
    if (fill(0) && !isIndexMask(*node.arguments[0]))
      return *fill(0) != 0 ? fill(1) : fill(2);
    return fill(1) == fill(2) ? fill(1) : std::nullopt;
  default:
    return settledBy(node);
  }
}

bool mayDiffer(const Node &call, const std::vector<bool> &arguments) {
  const auto fill = [&](size_t k) { return call.arguments[k]->fill; };
  const bool isAnd = call.call->function == language::Function::And;
  if (isAnd || call.call->function == language::Function::Or) {
    const auto settles = [&](size_t k) { return fill(k) && (*fill(k) != 0) != isAnd; };
    if (settles(0) && settles(1))
      return arguments[0] && arguments[1];
    if (settles(0) || settles(1))
      return arguments[settles(0) ? 0 : 1];
  }
  if (call.call->function == language::Function::Select && isComplement(*call.arguments[0]) &&
      !readsSparse(*call.arguments[2]) && fill(2) && fill(1) == fill(2))
    return arguments[0] && arguments[1];
  if (call.call->function == language::Function::Select)
    return fill(0) && !isIndexMask(*call.arguments[0]) ? arguments[0] || arguments[*fill(0) != 0 ? 1 : 2]
                                                       : arguments[1] || arguments[2];
  const std::optional<double> settled = settledBy(call);
  bool isAny = false, isAll = true;
  for (size_t k = 0; k < arguments.size(); ++k) {
    isAny |= arguments[k];
    isAll &= fill(k) != settled || !mayAbsorb(call.call->function, k) || arguments[k];
  }
  return settled ? isAll : isAny;
}

/// Where the condition holds it stands for its second argument, and elsewhere for what that misses.
NodePtr Resolver::resolveWhere(const syntax::Call &call, NodePtr node, Scope &scope) {
  ++callsAround_;
  const bool isOneTerm = std::exchange(isOneTerm_, true);
  node->arguments.push_back(resolve(*call.arguments[0], argumentType(call, 0, type_, typesOf(tensors_)), scope));
  isOneTerm_ = isOneTerm;
  --callsAround_;
  node->arguments.push_back(resolve(*call.arguments[1], scope));
  const Node &value = *node->arguments.back();
  node->fill = readsFill(*call.arguments[1], tensors_) ? value.fill.value_or(0) : 0;
  node->hasCalls = value.hasCalls;
  return node;
}

bool isComplement(const Node &node) {
  if (node.kind != NodeKind::Call || node.call->function != language::Function::Not)
    return false;
  const Node &mask = *node.arguments.front();
  return mask.kind == NodeKind::Call && mask.call->function == language::Function::Pattern &&
         mask.arguments.front()->tensor->sparse;
}

} // namespace spc::testing::evaluator
