#include "sema/check/composed_reductions.h"

#include <limits>

namespace spc::sema {

static NodePtr number(double value, const char *spelling, Span where) {
  return makeNode(NumberNode{value, spelling}, where);
}

static NodePtr call(Function function, Span where, std::vector<NodePtr> arguments, ValueType castTo = ValueType::F64) {
  return makeNode(CallNode{function, castTo, std::move(arguments)}, where);
}

static std::vector<NodePtr> listOf(NodePtr a, NodePtr b) {
  std::vector<NodePtr> list;
  list.push_back(std::move(a));
  list.push_back(std::move(b));
  return list;
}

/// How many values variables have, a number of its own type, which the statement's need not hold: sums of f32 end at
/// 2^24.
static NodePtr extentOf(std::vector<VariableId> variables, Span where, bool isDivisor) {
  NodePtr count = makeNode(ReduceNode{Reduction::Sum, std::move(variables), number(1, "1", where)}, where);
  if (isDivisor)
    count = call(Function::Max, where, listOf(std::move(count), number(1, "1", where)));
  std::vector<NodePtr> cast;
  cast.push_back(std::move(count));
  return call(Function::Cast, where, std::move(cast), ValueType::I64);
}

NodePtr meanOf(NodePtr sum) {
  const Span where = sum->where;
  NodePtr divisor = extentOf(std::get<ReduceNode>(sum->kind).variables, where, /*isDivisor=*/true);
  return makeNode(BinaryNode{BinaryOp::Div, std::move(sum), std::move(divisor)}, where);
}

NodePtr countOf(std::vector<VariableId> variables, NodePtr access, Span where) {
  std::vector<NodePtr> argument;
  argument.push_back(std::move(access));
  std::vector<NodePtr> stored;
  stored.push_back(call(Function::Pattern, where, std::move(argument)));
  NodePtr one = call(Function::Cast, where, std::move(stored), ValueType::I64);
  return makeNode(ReduceNode{Reduction::Sum, std::move(variables), std::move(one)}, where);
}

/// `i`, or `i64(i * n + j)`, in which the others of `same` that run over the same extents say how many values each has.
static NodePtr linearPlace(const std::vector<VariableId> &variables, const std::vector<VariableId> &same, Span where) {
  NodePtr place = makeNode(IndexNode{variables.front()}, where);
  if (variables.size() == 1)
    return place;
  for (size_t k = 1; k < variables.size(); ++k)
    place = makeBinary(BinaryOp::Add,
                       makeBinary(BinaryOp::Mul, std::move(place), extentOf({same[k]}, where, /*isDivisor=*/false)),
                       makeNode(IndexNode{variables[k]}, where));
  std::vector<NodePtr> cast;
  cast.push_back(std::move(place));
  return call(Function::Cast, where, std::move(cast), ValueType::I64);
}

NodePtr placeOf(NodePtr values, NodePtr extreme) {
  const Span where = values->where;
  auto &reduction = std::get<ReduceNode>(values->kind);
  NodePtr place = linearPlace(reduction.variables, std::get<ReduceNode>(extreme->kind).variables, where);
  NodePtr copy = clone(*reduction.body);
  NodePtr isExtreme = call(Function::Equal, where, listOf(clone(*copy), std::move(extreme)));
  NodePtr isNaN = call(Function::NotEqual, where, listOf(std::move(copy), std::move(reduction.body)));
  std::vector<NodePtr> choice =
      listOf(call(Function::Or, where, listOf(std::move(isExtreme), std::move(isNaN))), std::move(place));
  choice.push_back(number(std::numeric_limits<double>::infinity(), "inf", where)); // above every place
  return makeNode(
      ReduceNode{Reduction::Min, std::move(reduction.variables), call(Function::Select, where, std::move(choice))},
      where);
}

} // namespace spc::sema
