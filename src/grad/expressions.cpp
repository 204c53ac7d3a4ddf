#include "grad/expressions.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace spc::grad {
namespace {

ExprPtr make(decltype(Expr::node) node) {
  return std::make_unique<Expr>(Expr{std::move(node), {}});
}

ExprPtr castTo(sema::ValueType type, ExprPtr operand) {
  Call cast{Function::Cast, {}, type};
  cast.arguments.push_back(std::move(operand));
  return make(std::move(cast));
}

std::vector<ExprPtr> listOf(ExprPtr a, ExprPtr b = nullptr, ExprPtr c = nullptr) {
  std::vector<ExprPtr> list;
  for (ExprPtr *one : {&a, &b, &c})
    if (*one)
      list.push_back(std::move(*one));
  return list;
}

void addOnce(std::vector<std::string> &variables, const std::string &variable) {
  if (!contains(variables, variable))
    variables.push_back(variable);
}

void collectFree(const Expr &expr, std::vector<std::string> &bound, std::vector<std::string> &found) {
  const auto add = [&](const std::string &variable) {
    if (!contains(bound, variable))
      addOnce(found, variable);
  };
  if (const auto *value = std::get_if<IndexValue>(&expr.node))
    add(value->variable);
  if (const auto *read = std::get_if<Access>(&expr.node))
    for (const std::string &variable : variablesOf(*read))
      add(variable);
  const size_t outside = bound.size();
  if (const auto *reduction = std::get_if<Reduce>(&expr.node))
    bound.insert(bound.end(), reduction->variables.begin(), reduction->variables.end());
  for (const Expr *child : children(expr))
    collectFree(*child, bound, found);
  bound.resize(outside);
}

} // namespace

ExprPtr clone(const Expr &expr) {
  struct Cloner {
    decltype(Expr::node) operator()(const Literal &literal) const { return literal; }
    decltype(Expr::node) operator()(const Access &read) const { return read; }
    decltype(Expr::node) operator()(const IndexValue &value) const { return value; }
    decltype(Expr::node) operator()(const Negate &minus) const { return Negate{clone(*minus.operand)}; }
    decltype(Expr::node) operator()(const Binary &node) const {
      return Binary{node.op, clone(*node.left), clone(*node.right)};
    }
    decltype(Expr::node) operator()(const Reduce &reduction) const {
      return Reduce{reduction.reduction, reduction.variables, clone(*reduction.body)};
    }
    decltype(Expr::node) operator()(const Call &node) const { return std::move(clone(node)->node); }
  };
  return std::make_unique<Expr>(Expr{std::visit(Cloner{}, expr.node), expr.where});
}

ExprPtr clone(const Call &call) {
  Call copy{call.function, {}, call.castTo, call.typeParameter};
  for (const ExprPtr &argument : call.arguments)
    copy.arguments.push_back(clone(*argument));
  return make(std::move(copy));
}

ExprPtr literal(Literal literal) {
  return make(std::move(literal));
}

ExprPtr number(double value) {
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value < 0 ? -value : value);
  ExprPtr magnitude = literal({value < 0 ? -value : value, std::string(std::begin(digits), end.ptr)});
  return value < 0 ? negate(std::move(magnitude)) : std::move(magnitude);
}

ExprPtr infinity() {
  return literal({std::numeric_limits<double>::infinity(), "inf"});
}

ExprPtr truth() {
  return literal({1, "true"});
}

Index indexOf(const std::string &variable) {
  Index index{{variable, {}}, {}, 0};
  index.terms.push_back({{variable, {}}, 1});
  return index;
}

ExprPtr access(const std::string &tensor, std::vector<Index> indices) {
  return make(Access{tensor, std::move(indices)});
}

ExprPtr access(const std::string &tensor, const std::vector<std::string> &variables) {
  std::vector<Index> indices;
  for (const std::string &variable : variables)
    indices.push_back(indexOf(variable));
  return access(tensor, std::move(indices));
}

ExprPtr indexValue(const std::string &variable) {
  return make(IndexValue{variable});
}

ExprPtr negate(ExprPtr operand) {
  return make(Negate{std::move(operand)});
}

ExprPtr binary(BinaryOp op, ExprPtr left, ExprPtr right) {
  return make(Binary{op, std::move(left), std::move(right)});
}

ExprPtr call(Call call) {
  return make(std::move(call));
}

ExprPtr call(Function function, ExprPtr operand) {
  return make(Call{function, listOf(std::move(operand))});
}

ExprPtr call(Function function, ExprPtr left, ExprPtr right) {
  return make(Call{function, listOf(std::move(left), std::move(right))});
}

ExprPtr select(ExprPtr condition, ExprPtr chosen, ExprPtr other) {
  return make(Call{Function::Select, listOf(std::move(condition), std::move(chosen), std::move(other))});
}

ExprPtr wholeNumber(ExprPtr operand) {
  return castTo(sema::ValueType::I64, std::move(operand));
}

ExprPtr floatOf(ExprPtr operand) {
  return castTo(sema::ValueType::F64, std::move(operand));
}

ExprPtr reduce(Reduction reduction, const std::vector<std::string> &variables, ExprPtr body) {
  return make(Reduce{reduction, variables, std::move(body)});
}

const Access *asTensor(const Expr &expr, const TensorNames &tensors) {
  const auto *read = std::get_if<Access>(&expr.node);
  return read && tensors.contains(read->tensor) ? read : nullptr;
}

bool isSame(const Expr &a, const Expr &b) {
  return textOf(a) == textOf(b);
}

bool isNumber(const Expr &expr, double value) {
  const auto *literal = std::get_if<Literal>(&expr.node);
  return literal && literal->value == value;
}

std::vector<std::string> freeVariables(const Expr &expr) {
  std::vector<std::string> bound, found;
  collectFree(expr, bound, found);
  return found;
}

std::vector<std::string> variablesOf(const Access &read) {
  std::vector<std::string> variables;
  for (const Index &index : read.indices)
    for (const language::IndexTerm &term : index.terms)
      addOnce(variables, term.variable.text);
  return variables;
}

bool contains(const std::vector<std::string> &variables, const std::string &variable) {
  return std::find(variables.begin(), variables.end(), variable) != variables.end();
}

void renameVariable(Expr &expr, const std::string &from, const std::string &to) {
  if (auto *value = std::get_if<IndexValue>(&expr.node); value && value->variable == from)
    value->variable = to;
  if (auto *read = std::get_if<Access>(&expr.node)) {
    for (Index &index : read->indices) {
      for (language::IndexTerm &term : index.terms)
        if (term.variable.text == from)
          term.variable.text = to;
      index.text = language::spellingOf(index);
    }
  }
  if (auto *reduction = std::get_if<Reduce>(&expr.node))
    std::replace(reduction->variables.begin(), reduction->variables.end(), from, to);
  for (Expr *child : mutableChildren(expr))
    renameVariable(*child, from, to);
}

std::vector<const Expr *> children(const Expr &expr) {
  if (const auto *minus = std::get_if<Negate>(&expr.node))
    return {minus->operand.get()};
  if (const auto *node = std::get_if<Binary>(&expr.node))
    return {node->left.get(), node->right.get()};
  if (const auto *reduction = std::get_if<Reduce>(&expr.node))
    return {reduction->body.get()};
  std::vector<const Expr *> arguments;
  if (const auto *node = std::get_if<Call>(&expr.node))
    for (const ExprPtr &argument : node->arguments)
      arguments.push_back(argument.get());
  return arguments;
}

std::vector<Expr *> mutableChildren(Expr &expr) {
  std::vector<Expr *> result;
  for (const Expr *child : children(expr))
    result.push_back(const_cast<Expr *>(child)); // parts of what is no constant
  return result;
}

void forEachTensor(const Expr &expr, const TensorNames &tensors, const std::function<void(const Access &)> &visit) {
  if (const auto *read = std::get_if<Access>(&expr.node); read && tensors.contains(read->tensor))
    visit(*read);
  for (const Expr *child : children(expr))
    forEachTensor(*child, tensors, visit);
}

bool any(const Expr &expr, const std::function<bool(const Expr &)> &holds) {
  if (holds(expr))
    return true;
  for (const Expr *child : children(expr))
    if (any(*child, holds))
      return true;
  return false;
}

} // namespace spc::grad
