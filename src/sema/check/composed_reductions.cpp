#include "sema/check/composed_reductions.h"

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

NodePtr meanOf(NodePtr sum) {
  const Span where = sum->where;
  const std::vector<VariableId> variables = std::get<ReduceNode>(sum->kind).variables;
  NodePtr count = makeNode(ReduceNode{Reduction::Sum, variables, number(1, "1", where)}, where);
  // A number of its own type, which the statement's need not hold: sums of f32 end at 2^24.
  NodePtr divisor = call(Function::Max, where, listOf(std::move(count), number(1, "1", where)));
  std::vector<NodePtr> cast;
  cast.push_back(std::move(divisor));
  NodePtr whole = call(Function::Cast, where, std::move(cast), ValueType::I64);
  return makeNode(BinaryNode{BinaryOp::Div, std::move(sum), std::move(whole)}, where);
}

NodePtr countOf(std::vector<VariableId> variables, NodePtr access, Span where) {
  std::vector<NodePtr> argument;
  argument.push_back(std::move(access));
  std::vector<NodePtr> stored;
  stored.push_back(call(Function::Pattern, where, std::move(argument)));
  NodePtr one = call(Function::Cast, where, std::move(stored), ValueType::I64);
  return makeNode(ReduceNode{Reduction::Sum, std::move(variables), std::move(one)}, where);
}

NodePtr placeOf(NodePtr values, NodePtr extreme) {
  const Span where = values->where;
  auto &reduction = std::get<ReduceNode>(values->kind);
  const VariableId variable = reduction.variables.front();
  NodePtr copy = clone(*reduction.body);
  NodePtr isExtreme = call(Function::Equal, where, listOf(clone(*copy), std::move(extreme)));
  NodePtr isNaN = call(Function::NotEqual, where, listOf(std::move(copy), std::move(reduction.body)));
  std::vector<NodePtr> choice = listOf(call(Function::Or, where, listOf(std::move(isExtreme), std::move(isNaN))),
                                       makeNode(IndexNode{variable}, where));
  choice.push_back(number(kMaxExactInteger, "9007199254740991", where)); // above every index
  return makeNode(
      ReduceNode{Reduction::Min, std::move(reduction.variables), call(Function::Select, where, std::move(choice))},
      where);
}

std::string ofOneVariable(Reduction reduction) {
  return inQuotes(language::spellingOf(reduction)) + " gives the value of one index variable";
}

std::string placesInSteps(Reduction reduction, const std::vector<language::Name> &variables) {
  const std::string place(language::spellingOf(reduction)), extreme = place.substr(3);
  const std::string i = variables[0].text, j = variables[1].text;
  return "take one after the other: 'let e(" + i + ") = " + extreme + "(" + j + ", x)', 'p = " + place + "(" + i +
         ", e(" + i + "))', 'q = " + place + "(" + j + ", sum(" + i + ", select(" + i +
         " == p, x, 0)))' for an x over " + i + " and " + j;
}

} // namespace spc::sema
