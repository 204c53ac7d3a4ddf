#include "harness/plain_choices.h"

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

bool isNegated(syntax::Expr &condition) {
  if (syntax::Call *either = callOf(condition, Function::Or))
    return isNegated(*either->arguments[0]) || isNegated(*either->arguments[1]);
  if (syntax::Call *both = callOf(condition, Function::And))
    return isNegated(*both->arguments[0]) && isNegated(*both->arguments[1]);
  return callOf(condition, Function::Not);
}

void negate(ExprPtr &condition) {
  if (syntax::Call *negation = callOf(*condition, Function::Not)) {
    ExprPtr bare = std::move(negation->arguments[0]);
    condition = std::move(bare);
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

bool isNumber(syntax::Expr &expr) {
  const auto *negative = std::get_if<syntax::Negate>(&inside(expr).node);
  return std::holds_alternative<syntax::Literal>(negative ? inside(*negative->operand).node : inside(expr).node);
}

} // namespace

void orderChoices(syntax::Expr &expr) {
  for (syntax::Expr *child : syntax::children(expr))
    orderChoices(*child);
  syntax::Call *choice = callOf(expr, Function::Select);
  if (!choice || !std::holds_alternative<syntax::Call>(expr.node))
    return;
  std::vector<ExprPtr> &arguments = choice->arguments;
  dropPairs(arguments[0]);
  if (!isNegated(*arguments[0]) || (isNumber(*arguments[2]) && !isNumber(*arguments[1])))
    return;
  negate(arguments[0]);
  std::swap(arguments[1], arguments[2]);
}

} // namespace spc::testing
