#include "harness/pattern_fills.h"

#include "harness/dense_nodes.h"
#include "harness/function_values.h"

#include <algorithm>
#include <cmath>

namespace spc::testing {

using syntax::Expr;

StatementFills::StatementFills(const syntax::Statement &statement, const PatternMap &tensors) : tensors_(tensors) {
  evaluator::Scope targets;
  for (const syntax::Name &index : statement.target.indices)
    targets.emplace(index.text, 0);
  const bool isWhole = statement.op == syntax::AssignOp::Assign && readsFill(*statement.value) &&
                       evaluator::indexesOnly(*statement.value, targets);
  noteArguments(*statement.value, isWhole);
}

void StatementFills::noteArguments(const Expr &expr, bool isArgument) {
  if (isArgument)
    argued_.insert(&expr);
  for (const Expr *below : syntax::children(expr))
    noteArguments(*below, isArgument || std::holds_alternative<syntax::Call>(expr.node));
}

/// The pattern of a dense tensor is a 1.
bool StatementFills::hasCalls(const Expr &expr) const {
  const syntax::Access *mask = maskOf(expr);
  const std::vector<const Expr *> below = syntax::children(expr);
  return mask ? isSparse(*mask)
              : std::holds_alternative<syntax::Call>(expr.node) ||
                    std::any_of(below.begin(), below.end(), [&](const Expr *e) { return hasCalls(*e); });
}

/// Whether missing entries are no zeros in something that an expression reads.
bool StatementFills::readsFill(const Expr &expr) const {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    return isSparse(*access) && tensors_.at(access->tensor.text).fill != 0;
  const std::vector<const Expr *> below = syntax::children(expr);
  return !maskOf(expr) && std::any_of(below.begin(), below.end(), [&](const Expr *e) { return readsFill(*e); });
}

bool StatementFills::isSparse(const syntax::Access &access) const {
  return !evaluator::picks(access) && tensors_.contains(access.tensor.text) &&
         tensors_.at(access.tensor.text).kind != Pattern::Kind::Dense;
}

bool StatementFills::readsSparse(const Expr &expr) const {
  const auto *access = std::get_if<syntax::Access>(&expr.node);
  const std::vector<const Expr *> below = syntax::children(expr);
  return (access && isSparse(*access)) ||
         std::any_of(below.begin(), below.end(), [&](const Expr *e) { return readsSparse(*e); });
}

const Expr *StatementFills::missingSum(const Expr &expr) const {
  const auto *sum = std::get_if<syntax::Reduce>(&expr.node);
  if (!sum || argued_.contains(&expr))
    return nullptr;
  const bool isSum = sum->reduction == syntax::Reduction::Sum || sum->reduction == syntax::Reduction::Mean;
  const bool isCount = sum->reduction == syntax::Reduction::Count;
  return (isSum && fillOf(*sum->body) == 0.0) || (isCount && fillOf(*sum->body)) ? sum->body.get() : nullptr;
}

const Expr &bare(const Expr &expr) {
  const auto *paren = std::get_if<syntax::Paren>(&expr.node);
  return paren ? bare(*paren->inner) : expr;
}

const syntax::Access *maskOf(const Expr &expr) {
  const auto *call = std::get_if<syntax::Call>(&bare(expr).node);
  return call && call->function == syntax::Function::Pattern
             ? std::get_if<syntax::Access>(&bare(*call->arguments.front()).node)
             : nullptr;
}

const syntax::Access *complementOf(const Expr &expr) {
  const auto *call = std::get_if<syntax::Call>(&bare(expr).node);
  return call && call->function == syntax::Function::Not ? maskOf(*call->arguments.front()) : nullptr;
}

std::optional<double> settledBy(const syntax::Call &call, const std::vector<std::optional<double>> &fills) {
  for (const std::optional<double> &fill : fills)
    if (fill && settles(call.function, *fill))
      return call.function == syntax::Function::And ? 0 : call.function == syntax::Function::Or ? 1 : *fill;
  return std::nullopt;
}

bool settles(syntax::Function function, double fill) {
  switch (function) {
  case syntax::Function::And:
    return fill == 0;
  case syntax::Function::Or:
    return fill != 0;
  case syntax::Function::Max:
    return fill == HUGE_VAL;
  case syntax::Function::Min:
    return fill == -HUGE_VAL;
  default:
    return false;
  }
}

static std::optional<double> ofInfinite(std::optional<double> left, std::optional<double> right, double sign) {
  if (evaluator::isInfinite(left) && evaluator::isInfinite(right))
    return *left == sign * *right ? left : std::nullopt;
  return evaluator::isInfinite(left) ? left : sign * *right;
}

static double combined(syntax::BinaryOp op, const std::vector<double> &fills) {
  return op == syntax::BinaryOp::Add   ? fills[0] + fills[1]
         : op == syntax::BinaryOp::Sub ? fills[0] - fills[1]
         : op == syntax::BinaryOp::Mul ? fills[0] * fills[1]
                                       : fills[0] / fills[1];
}

std::optional<double> StatementFills::fillOf(const Expr &expr) const {
  if (const auto *mask = maskOf(expr))
    return isSparse(*mask) ? std::optional(0.0) : std::nullopt;
  if (const auto *mask = complementOf(expr))
    return isSparse(*mask) ? std::optional(0.0) : std::nullopt;
  if (const auto *literal = std::get_if<syntax::Literal>(&expr.node))
    return literal->value;
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    return isSparse(*access) ? std::optional(tensors_.at(access->tensor.text).fill) : std::nullopt;
  if (missingSum(expr))
    return 0;
  std::vector<double> known;
  std::vector<std::optional<double>> fills;
  for (const Expr *child : syntax::children(expr)) {
    fills.push_back(fillOf(*child));
    if (fills.back())
      known.push_back(*fills.back());
  }
  const auto *binary = std::get_if<syntax::Binary>(&expr.node);
  const auto *call = std::get_if<syntax::Call>(&expr.node);
  if (binary && ((fills[0] == 0.0 && binary->op >= syntax::BinaryOp::Mul) ||
                 (fills[1] == 0.0 && binary->op == syntax::BinaryOp::Mul)))
    return 0;
  if (binary && binary->op <= syntax::BinaryOp::Sub &&
      (evaluator::isInfinite(fills[0]) || evaluator::isInfinite(fills[1])))
    return ofInfinite(fills[0], fills[1], binary->op == syntax::BinaryOp::Sub ? -1 : 1);
  if (call && call->function == syntax::Function::Select)
    return fills[0] ? fills[*fills[0] != 0 ? 1 : 2] : fills[1] == fills[2] ? fills[1] : std::nullopt;
  if (call && settledBy(*call, fills))
    return settledBy(*call, fills);
  if (known.size() < fills.size() || std::holds_alternative<syntax::Reduce>(expr.node))
    return std::nullopt;
  return call                                                ? valueOf(*call, known)
         : binary                                            ? combined(binary->op, known)
         : std::holds_alternative<syntax::Negate>(expr.node) ? -known[0]
                                                             : known[0];
}

} // namespace spc::testing
