#include "grad/expressions.h"

#include "syntax/parser.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace spc::grad {
namespace {

ExprPtr make(decltype(Expr::node) node) {
  return std::make_unique<Expr>(Expr{std::move(node), {}});
}

ExprPtr callOf(Function function, std::string name, std::vector<ExprPtr> arguments) {
  return make(Call{function, {std::move(name), {}}, std::move(arguments)});
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

void collectFree(const Expr &expr, const TensorNames &tensors, std::vector<std::string> &bound,
                 std::vector<std::string> &found) {
  const auto add = [&](const std::string &variable) {
    if (!contains(bound, variable))
      addOnce(found, variable);
  };
  if (const auto *read = std::get_if<Access>(&expr.node)) {
    if (read->indices.empty() && !tensors.contains(read->tensor.text))
      add(read->tensor.text);
    for (const std::string &variable : variablesOf(*read))
      add(variable);
  }
  const size_t outside = bound.size();
  if (const auto *reduction = std::get_if<Reduce>(&expr.node))
    for (const syntax::Name &variable : reduction->variables)
      bound.push_back(variable.text);
  for (const Expr *child : syntax::children(expr))
    collectFree(*child, tensors, bound, found);
  bound.resize(outside);
}

} // namespace

ExprPtr clone(const Expr &expr) {
  struct Cloner {
    decltype(Expr::node) operator()(const Literal &literal) const { return literal; }
    decltype(Expr::node) operator()(const Access &read) const { return read; }
    decltype(Expr::node) operator()(const Negate &minus) const { return Negate{clone(*minus.operand)}; }
    decltype(Expr::node) operator()(const Paren &paren) const { return Paren{clone(*paren.inner)}; }
    decltype(Expr::node) operator()(const Binary &node) const {
      return Binary{node.op, clone(*node.left), clone(*node.right)};
    }
    decltype(Expr::node) operator()(const Reduce &reduction) const {
      return Reduce{reduction.reduction, reduction.variables, clone(*reduction.body)};
    }
    decltype(Expr::node) operator()(const Call &node) const {
      Call copy{node.function, node.name, {}};
      for (const ExprPtr &argument : node.arguments)
        copy.arguments.push_back(clone(*argument));
      return copy;
    }
  };
  return std::make_unique<Expr>(Expr{std::visit(Cloner{}, expr.node), expr.where});
}

ExprPtr number(double value) {
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value < 0 ? -value : value);
  ExprPtr literal = make(Literal{value < 0 ? -value : value, std::string(std::begin(digits), end.ptr)});
  return value < 0 ? negate(std::move(literal)) : std::move(literal);
}

ExprPtr infinity() {
  return make(Literal{std::numeric_limits<double>::infinity(), "inf"});
}

ExprPtr truth() {
  return make(Literal{1, "true"});
}

Index indexOf(const std::string &variable) {
  Index index{{variable, {}}, {}, 0};
  index.terms.push_back({{variable, {}}, 1});
  return index;
}

ExprPtr access(const std::string &tensor, std::vector<Index> indices) {
  return make(Access{{tensor, {}}, std::move(indices)});
}

ExprPtr access(const std::string &tensor, const std::vector<std::string> &variables) {
  std::vector<Index> indices;
  for (const std::string &variable : variables)
    indices.push_back(indexOf(variable));
  return access(tensor, std::move(indices));
}

ExprPtr negate(ExprPtr operand) {
  return make(Negate{std::move(operand)});
}

ExprPtr binary(BinaryOp op, ExprPtr left, ExprPtr right) {
  return make(Binary{op, std::move(left), std::move(right)});
}

ExprPtr call(Function function, ExprPtr operand) {
  return callOf(function, std::string(language::spellingOf(function).text), listOf(std::move(operand)));
}

ExprPtr call(Function function, ExprPtr left, ExprPtr right) {
  return callOf(function, std::string(language::spellingOf(function).text), listOf(std::move(left), std::move(right)));
}

ExprPtr select(ExprPtr condition, ExprPtr chosen, ExprPtr other) {
  return callOf(Function::Select, "select", listOf(std::move(condition), std::move(chosen), std::move(other)));
}

ExprPtr wholeNumber(ExprPtr operand) {
  return callOf(Function::Cast, "i64", listOf(std::move(operand)));
}

ExprPtr floatOf(ExprPtr operand) {
  return callOf(Function::Cast, "f64", listOf(std::move(operand)));
}

ExprPtr reduce(Reduction reduction, const std::vector<std::string> &variables, ExprPtr body) {
  Reduce node{reduction, {}, std::move(body)};
  for (const std::string &variable : variables)
    node.variables.push_back({variable, {}});
  return make(std::move(node));
}

const Expr &inside(const Expr &expr) {
  const Expr *inner = &expr;
  while (const auto *paren = std::get_if<Paren>(&inner->node))
    inner = paren->inner.get();
  return *inner;
}

const Access *asTensor(const Expr &expr, const TensorNames &tensors) {
  const auto *read = std::get_if<Access>(&inside(expr).node);
  return read && tensors.contains(read->tensor.text) ? read : nullptr;
}

bool isSame(const Expr &a, const Expr &b) {
  return syntax::toSource(inside(a)) == syntax::toSource(inside(b));
}

bool isNumber(const Expr &expr, double value) {
  const auto *literal = std::get_if<Literal>(&inside(expr).node);
  return literal && literal->value == value;
}

std::vector<std::string> freeVariables(const Expr &expr, const TensorNames &tensors) {
  std::vector<std::string> bound, found;
  collectFree(expr, tensors, bound, found);
  return found;
}

std::vector<std::string> variablesOf(const Access &read) {
  std::vector<std::string> variables;
  for (const Index &index : read.indices)
    for (const syntax::IndexTerm &term : index.terms)
      addOnce(variables, term.variable.text);
  return variables;
}

bool contains(const std::vector<std::string> &variables, const std::string &variable) {
  return std::find(variables.begin(), variables.end(), variable) != variables.end();
}

void renameVariable(Expr &expr, const std::string &from, const std::string &to) {
  if (auto *read = std::get_if<Access>(&expr.node)) {
    if (read->indices.empty() && read->tensor.text == from)
      read->tensor.text = to;
    for (Index &index : read->indices) {
      for (syntax::IndexTerm &term : index.terms)
        if (term.variable.text == from)
          term.variable.text = to;
      index.text = language::spellingOf(index);
    }
  }
  if (auto *reduction = std::get_if<Reduce>(&expr.node))
    for (syntax::Name &name : reduction->variables)
      if (name.text == from)
        name.text = to;
  for (Expr *child : mutableChildren(expr))
    renameVariable(*child, from, to);
}

std::vector<Expr *> mutableChildren(Expr &expr) {
  std::vector<Expr *> result;
  for (const Expr *child : syntax::children(expr))
    result.push_back(const_cast<Expr *>(child)); // parts of what is no constant
  return result;
}

void forEachTensor(const Expr &expr, const TensorNames &tensors, const std::function<void(const Access &)> &visit) {
  if (const auto *read = std::get_if<Access>(&expr.node); read && tensors.contains(read->tensor.text))
    visit(*read);
  for (const Expr *child : syntax::children(expr))
    forEachTensor(*child, tensors, visit);
}

bool any(const Expr &expr, const std::function<bool(const Expr &)> &holds) {
  if (holds(expr))
    return true;
  for (const Expr *child : syntax::children(expr))
    if (any(*child, holds))
      return true;
  return false;
}

} // namespace spc::grad
