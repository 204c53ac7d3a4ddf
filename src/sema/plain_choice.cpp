#include "sema/plain_choice.h"

#include "sema/equations.h"
#include "sema/simplify.h"

#include <cmath>
#include <utility>

namespace spc::sema {
namespace {

CallNode *asCall(Node &node, Function function) {
  auto *call = std::get_if<CallNode>(&node.kind);
  return call && call->function == function ? call : nullptr;
}

/// `i != j`, of indices: an equation is what says where loops have to go.
bool isNegatedEquation(Node &condition) {
  return asCall(condition, Function::NotEqual) && accessesOf(condition).empty();
}

bool isNegated(Node &condition) {
  if (const CallNode *either = asCall(condition, Function::Or))
    return isNegated(*either->arguments[0]) || isNegated(*either->arguments[1]);
  if (const CallNode *both = asCall(condition, Function::And))
    return isNegated(*both->arguments[0]) && isNegated(*both->arguments[1]);
  return asCall(condition, Function::Not) || isNegatedEquation(condition);
}

NodePtr negationOf(NodePtr condition) {
  const Span where = condition->where;
  if (CallNode *negation = asCall(*condition, Function::Not))
    return std::move(negation->arguments[0]);
  if (isNegatedEquation(*condition)) {
    asCall(*condition, Function::NotEqual)->function = Function::Equal;
    return condition;
  }
  CallNode *either = asCall(*condition, Function::Or), *both = asCall(*condition, Function::And);
  CallNode result{either ? Function::And : both ? Function::Or : Function::Not, ValueType::F64, {}};
  if (either || both)
    for (NodePtr &part : (either ? either : both)->arguments)
      result.arguments.push_back(negationOf(std::move(part)));
  else
    result.arguments.push_back(std::move(condition));
  return makeNode(std::move(result), where);
}

const NumberNode *numberIn(const Node &node) {
  const auto *negate = std::get_if<NegateNode>(&node.kind);
  return std::get_if<NumberNode>(negate ? &negate->operand->kind : &node.kind);
}

/// Writes `2 * select(c, a, 0)` as `select(c, 2 * a, 0)`, and so quotients by numbers.
void scaleChosen(Node &node) {
  auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary || asSum(node))
    return;
  const bool isFirst = conditionOfChoice(*binary->left) != nullptr;
  const bool isSecond = !isFirst && binary->op == BinaryOp::Mul && conditionOfChoice(*binary->right);
  const NumberNode *scale = numberIn(isFirst ? *binary->right : *binary->left);
  if (!(isFirst || isSecond) || !scale || !std::isfinite(scale->value) ||
      (binary->op == BinaryOp::Div && scale->value == 0))
    return;
  NodePtr choice = std::move(isFirst ? binary->left : binary->right);
  NodePtr &chosen = std::get<CallNode>(choice->kind).arguments[1];
  (isFirst ? binary->left : binary->right) = std::move(chosen);
  chosen = makeNode(std::move(*binary), node.where);
  node.kind = std::move(choice->kind);
}

void orderChoicesIn(Node &node) {
  for (Node *child : children(node))
    orderChoicesIn(*child);
  if (CallNode *choice = asCall(node, Function::Select))
    orderChoice(choice->arguments);
  scaleChosen(node);
}

/// Whether a condition is an equation of two index variables, or several of them.
bool isTie(const Node &condition, const Scope &scope, const KernelHead &kernel) {
  const auto *call = std::get_if<CallNode>(&condition.kind);
  if (call && call->function == Function::And)
    return isTie(*call->arguments[0], scope, kernel) && isTie(*call->arguments[1], scope, kernel);
  const std::optional<Equation> equation =
      call && call->function == Function::Equal ? equationOf(*call, scope, kernel) : std::nullopt;
  return equation && equation->multiples.size() == 2;
}

void multiplyChosen(NodePtr &addend, const Scope &scope, const KernelHead &kernel) {
  if (auto *minus = std::get_if<NegateNode>(&addend->kind))
    return multiplyChosen(minus->operand, scope, kernel);
  if (auto *sum = std::get_if<ReduceNode>(&addend->kind); sum && sum->reduction == Reduction::Sum)
    return multiplyChosen(sum->body, scope, kernel);
  if (asSum(*addend)) {
    auto &sum = std::get<BinaryNode>(addend->kind);
    multiplyChosen(sum.left, scope, kernel);
    return multiplyChosen(sum.right, scope, kernel);
  }
  orderChoicesIn(*addend);
  CallNode *choice = asCall(*addend, Function::Select);
  if (choice && conditionOfChoice(*addend) && isTie(*choice->arguments[0], scope, kernel))
    addend = makeBinary(BinaryOp::Mul, std::move(choice->arguments[1]), std::move(choice->arguments[0]));
}

} // namespace

NodePtr choicesAsProducts(const Node &addend, const Scope &scope, const KernelHead &kernel) {
  NodePtr product = clone(addend);
  multiplyChosen(product, scope, kernel);
  return product;
}

void orderChoice(std::vector<NodePtr> &arguments) {
  CallNode *negation = nullptr;
  while ((negation = asCall(*arguments[0], Function::Not)) && asCall(*negation->arguments[0], Function::Not))
    arguments[0] = negationOf(negationOf(std::move(arguments[0])));
  const bool isLast = numberIn(*arguments[2]) && !numberIn(*arguments[1]);
  if (!isLast && isNegated(*arguments[0])) {
    arguments[0] = negationOf(std::move(arguments[0]));
    std::swap(arguments[1], arguments[2]);
  }
}

void orderChoices(Program &program) {
  for (ResolvedStatement &statement : program.statements)
    if (statement.value)
      orderChoicesIn(*statement.value);
}

} // namespace spc::sema
