#include "grad/expressions.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace spc::grad {

static NodePtr call(Function function, sema::ValueType castTo, NodePtr a, NodePtr b = nullptr, NodePtr c = nullptr) {
  CallNode node{function, castTo, {}};
  for (NodePtr *argument : {&a, &b, &c})
    if (*argument)
      node.arguments.push_back(std::move(*argument));
  return sema::makeNode(std::move(node), {});
}

NodePtr number(double value) {
  if (std::isinf(value))
    return sema::makeNode(NumberNode{value, value < 0 ? "-inf" : "inf"}, {});
  char digits[32];
  const double size = value < 0 ? -value : value;
  const auto end = std::to_chars(std::begin(digits), std::end(digits), size);
  NodePtr magnitude = sema::makeNode(NumberNode{size, std::string(std::begin(digits), end.ptr)}, {});
  return value < 0 ? negate(std::move(magnitude)) : std::move(magnitude);
}

NodePtr infinity() {
  return number(std::numeric_limits<double>::infinity());
}

NodePtr truth() {
  return sema::makeNode(NumberNode{1, "true"}, {});
}

NodePtr indexValue(VariableId variable) {
  return sema::makeNode(IndexNode{variable}, {});
}

NodePtr negate(NodePtr operand) {
  return sema::makeNode(NegateNode{std::move(operand)}, {});
}

NodePtr binary(BinaryOp op, NodePtr left, NodePtr right) {
  return sema::makeNode(BinaryNode{op, std::move(left), std::move(right)}, {});
}

NodePtr call(Function function, NodePtr operand) {
  return call(function, sema::ValueType::F64, std::move(operand));
}

NodePtr call(Function function, NodePtr left, NodePtr right) {
  return call(function, sema::ValueType::F64, std::move(left), std::move(right));
}

NodePtr select(NodePtr condition, NodePtr chosen, NodePtr other) {
  return call(Function::Select, sema::ValueType::F64, std::move(condition), std::move(chosen), std::move(other));
}

NodePtr wholeNumber(NodePtr operand) {
  return call(Function::Cast, sema::ValueType::I64, std::move(operand));
}

NodePtr floatOf(NodePtr operand) {
  return call(Function::Cast, sema::ValueType::F64, std::move(operand));
}

NodePtr reduce(Reduction reduction, Variables variables, NodePtr body) {
  return sema::makeNode(ReduceNode{reduction, std::move(variables), std::move(body)}, {});
}

const CallNode *callOf(const Node &node, Function function) {
  const auto *call = std::get_if<CallNode>(&node.kind);
  return call && call->function == function ? call : nullptr;
}

bool isNumber(const Node &node, double value) {
  const auto *number = std::get_if<NumberNode>(&node.kind);
  return number && number->value == value;
}

bool contains(const Variables &variables, VariableId variable) {
  return std::find(variables.begin(), variables.end(), variable) != variables.end();
}

bool any(const Node &node, const std::function<bool(const Node &)> &holds) {
  if (holds(node))
    return true;
  const std::vector<const Node *> below = sema::children(node);
  return std::any_of(below.begin(), below.end(), [&](const Node *child) { return any(*child, holds); });
}

} // namespace spc::grad
