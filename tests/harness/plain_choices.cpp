#include "harness/plain_choices.h"

#include "harness/split_choices.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace spc::testing {
namespace {

using language::Function;
using syntax::ExprPtr;

syntax::Expr &inside(syntax::Expr &expr) {
  auto *paren = std::get_if<syntax::Paren>(&expr.node);
  return paren ? inside(*paren->inner) : expr;
}

syntax::Call *callOf(syntax::Expr &expr, Function function) {
  auto *call = std::get_if<syntax::Call>(&inside(expr).node);
  return call && call->function == function ? call : nullptr;
}

/// The condition without an even number of negations around it.
void dropPairs(ExprPtr &condition) {
  syntax::Call *outer = callOf(*condition, Function::Not);
  syntax::Call *inner = outer ? callOf(*outer->arguments[0], Function::Not) : nullptr;
  if (!inner)
    return;
  ExprPtr bare = std::move(inner->arguments[0]);
  condition = std::move(bare);
  dropPairs(condition);
}

/// Whether an expression reads no tensor: an index variable is an access without indices.
bool isOfIndices(syntax::Expr &expr) {
  const auto *access = std::get_if<syntax::Access>(&expr.node);
  const std::vector<syntax::Expr *> below = syntax::children(expr);
  return (!access || access->indices.empty()) &&
         std::all_of(below.begin(), below.end(), [](syntax::Expr *child) { return isOfIndices(*child); });
}

bool isNegated(syntax::Expr &condition) {
  if (syntax::Call *either = callOf(condition, Function::Or))
    return isNegated(*either->arguments[0]) || isNegated(*either->arguments[1]);
  if (syntax::Call *both = callOf(condition, Function::And))
    return isNegated(*both->arguments[0]) && isNegated(*both->arguments[1]);
  return callOf(condition, Function::Not) || (callOf(condition, Function::NotEqual) && isOfIndices(condition));
}

void negate(ExprPtr &condition) {
  if (syntax::Call *negation = callOf(*condition, Function::Not)) {
    ExprPtr bare = std::move(negation->arguments[0]);
    condition = std::move(bare);
    return;
  }
  if (syntax::Call *differ = callOf(*condition, Function::NotEqual)) {
    differ->function = Function::Equal;
    return;
  }
  syntax::Call *joint = callOf(*condition, Function::Or);
  joint = joint ? joint : callOf(*condition, Function::And);
  if (joint) {
    joint->function = joint->function == Function::Or ? Function::And : Function::Or;
    for (ExprPtr &part : joint->arguments)
      negate(part);
    return;
  }
  const Span where = condition->where;
  syntax::Call negation{Function::Not, {"not", where}, {}};
  negation.arguments.push_back(std::move(condition));
  condition = std::make_unique<syntax::Expr>(syntax::Expr{std::move(negation), where});
}

const syntax::Literal *numberIn(syntax::Expr &expr) {
  const auto *negative = std::get_if<syntax::Negate>(&inside(expr).node);
  return std::get_if<syntax::Literal>(negative ? &inside(*negative->operand).node : &inside(expr).node);
}

syntax::Call *choiceOrZero(syntax::Expr &expr) {
  syntax::Call *choice = callOf(expr, Function::Select);
  const auto *otherwise = choice ? std::get_if<syntax::Literal>(&inside(*choice->arguments[2]).node) : nullptr;
  return otherwise && otherwise->value == 0 ? choice : nullptr;
}

ExprPtr inParens(ExprPtr part) {
  const Span where = part->where;
  return std::make_unique<syntax::Expr>(syntax::Expr{syntax::Paren{std::move(part)}, where});
}

/// Writes `2 * select(c, a, 0)` as `select(c, 2 * (a), 0)`, and so quotients by numbers.
void scaleChosen(syntax::Expr &expr) {
  auto *binary = std::get_if<syntax::Binary>(&expr.node);
  const bool isProduct = binary && binary->op == language::BinaryOp::Mul;
  if (!isProduct && !(binary && binary->op == language::BinaryOp::Div))
    return;
  const bool isFirst = choiceOrZero(*binary->left) != nullptr;
  const syntax::Literal *scale = numberIn(isFirst ? *binary->right : *binary->left);
  if (!(isFirst || (isProduct && choiceOrZero(*binary->right))) || !scale || std::isinf(scale->value) ||
      (!isProduct && scale->value == 0))
    return;
  ExprPtr &side = isFirst ? binary->left : binary->right;
  syntax::Call choice = std::move(*choiceOrZero(*side));
  side = inParens(std::move(choice.arguments[1]));
  choice.arguments[1] = std::make_unique<syntax::Expr>(syntax::Expr{std::move(*binary), expr.where});
  expr.node = std::move(choice);
}

void addVariables(const std::vector<language::Index> &indices, std::set<std::string> &variables) {
  for (const language::Index &index : indices)
    language::forEachVariable(index, [&](const language::Name &variable) { variables.insert(variable.text); });
}

void collectVariables(syntax::Expr &expr, std::set<std::string> &variables) {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    addVariables(access->indices, variables);
  for (syntax::Expr *child : syntax::children(expr))
    collectVariables(*child, variables);
}

bool isMadeOf(syntax::Expr &expr, const std::set<std::string> &variables) {
  const auto *access = std::get_if<syntax::Access>(&expr.node);
  const std::vector<syntax::Expr *> below = syntax::children(expr);
  return !std::holds_alternative<syntax::Call>(expr.node) && !std::holds_alternative<syntax::Reduce>(expr.node) &&
         (!access || (access->indices.empty() && variables.contains(access->tensor.text))) &&
         std::all_of(below.begin(), below.end(), [&](syntax::Expr *child) { return isMadeOf(*child, variables); });
}

/// Whether a condition is an equation of index variables, or several of them.
bool isTie(syntax::Expr &condition, const std::set<std::string> &variables) {
  if (syntax::Call *both = callOf(condition, Function::And))
    return isTie(*both->arguments[0], variables) && isTie(*both->arguments[1], variables);
  syntax::Call *equal = callOf(condition, Function::Equal);
  const auto isSide = [&](const ExprPtr &side) {
    return isMadeOf(*side, variables) && !std::holds_alternative<syntax::Literal>(inside(*side).node);
  };
  return equal && isSide(equal->arguments[0]) && isSide(equal->arguments[1]);
}

void multiplyChosen(ExprPtr &expr, const Names &names) {
  if (auto *paren = std::get_if<syntax::Paren>(&expr->node))
    return multiplyChosen(paren->inner, names);
  if (auto *minus = std::get_if<syntax::Negate>(&expr->node))
    return multiplyChosen(minus->operand, names);
  if (auto *sum = std::get_if<syntax::Reduce>(&expr->node); sum && sum->reduction == language::Reduction::Sum)
    return multiplyChosen(sum->body, names);
  if (auto *binary = std::get_if<syntax::Binary>(&expr->node);
      binary && (binary->op == language::BinaryOp::Add || binary->op == language::BinaryOp::Sub)) {
    multiplyChosen(binary->left, names);
    return multiplyChosen(binary->right, names);
  }
  if (ExprPtr sum = splitCases(*expr, names)) {
    expr = std::move(sum);
    return multiplyChosen(expr, names);
  }
  syntax::Call *choice = choiceOrZero(*expr);
  if (!choice || !isTie(*choice->arguments[0], names.variables))
    return;
  const Span where = expr->where;
  ExprPtr value = inParens(std::move(choice->arguments[1])), condition = inParens(std::move(choice->arguments[0]));
  syntax::Binary product{language::BinaryOp::Mul, std::move(value), std::move(condition)};
  expr = std::make_unique<syntax::Expr>(syntax::Expr{std::move(product), where});
}

} // namespace

void multiplyChosenAddends(syntax::Statement &statement, const std::set<std::string> &listed) {
  Names names{{}, listed};
  addVariables(statement.target.indices, names.variables);
  collectVariables(*statement.value, names.variables);
  multiplyChosen(statement.value, names);
}

void orderChoices(syntax::Expr &expr) {
  for (syntax::Expr *child : syntax::children(expr))
    orderChoices(*child);
  scaleChosen(expr);
  syntax::Call *choice = callOf(expr, Function::Select);
  if (!choice || !std::holds_alternative<syntax::Call>(expr.node))
    return;
  std::vector<ExprPtr> &arguments = choice->arguments;
  dropPairs(arguments[0]);
  if (!isNegated(*arguments[0]) || (numberIn(*arguments[2]) && !numberIn(*arguments[1])))
    return;
  negate(arguments[0]);
  std::swap(arguments[1], arguments[2]);
}

} // namespace spc::testing
