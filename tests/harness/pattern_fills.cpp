#include "harness/pattern_fills.h"

#include "harness/dense_nodes.h"
#include "harness/function_values.h"
#include "harness/number_types.h"

#include <algorithm>
#include <cmath>

namespace spc::testing {

using syntax::Expr;

StatementFills::StatementFills(const syntax::Statement &statement, const PatternMap &tensors) : tensors_(tensors) {
  evaluator::Scope targets;
  for (const syntax::Name &index : statement.target.indices)
    targets.emplace(index.text, 0);
  lists_ =
      evaluator::takenInBy(statement.op) && tensors.at(statement.target.tensor.text).kind == Pattern::Kind::Assembled;
  const bool isWhole = statement.op == language::AssignOp::Assign && readsFill(*statement.value) &&
                       evaluator::indexesOnly(*statement.value, targets);
  noteParts(*statement.value, isWhole, evaluator::computeTypeOf(statement, tensorTypes()));
}

evaluator::TensorTypes StatementFills::tensorTypes() const {
  return [this](const std::string &name) {
    const auto tensor = tensors_.find(name);
    return tensor == tensors_.end() ? std::nullopt : std::optional(tensor->second.type);
  };
}

void StatementFills::noteParts(const Expr &expr, bool isArgument, sema::ValueType type) {
  types_[&expr] = type;
  const bool isOneNumber =
      lists_ && std::holds_alternative<syntax::Reduce>(expr.node) && evaluator::indexesOnly(expr, {});
  if (isArgument || isOneNumber)
    argued_.insert(&expr);
  const auto *call = std::get_if<syntax::Call>(&expr.node);
  const auto *reduction = std::get_if<syntax::Reduce>(&expr.node);
  const std::vector<const Expr *> parts = syntax::children(expr);
  const auto *binary = std::get_if<syntax::Binary>(&expr.node);
  const bool isNumber =
      lists_ ? binary && evaluator::multiplies(binary->op, *binary->left, *binary->right) : callIn(expr) != nullptr;
  for (size_t k = 0; k < parts.size(); ++k) {
    const sema::ValueType inside = call        ? evaluator::argumentType(*call, k, type, tensorTypes())
                                   : reduction ? evaluator::bodyType(*reduction, type, tensorTypes())
                                               : type;
    noteParts(*parts[k], isArgument || isNumber, inside);
  }
}

const syntax::Call *StatementFills::callIn(const Expr &expr) const {
  const auto *call = std::get_if<syntax::Call>(&expr.node);
  return call && (sema::isInteger(typeOf(expr)) || !evaluator::isAbsorbingSum(*call)) ? call : nullptr;
}

std::optional<language::BinaryOp> StatementFills::operatorOf(const Expr &expr) const {
  if (const auto *binary = std::get_if<syntax::Binary>(&expr.node))
    return binary->op;
  const bool isSum = std::holds_alternative<syntax::Call>(expr.node) && !callIn(expr);
  return isSum ? std::optional(language::BinaryOp::Add) : std::nullopt;
}

/// The pattern of a dense tensor is a 1.
bool StatementFills::findCalls(const Expr &expr) const {
  const syntax::Access *mask = maskOf(expr);
  const std::vector<const Expr *> below = syntax::children(expr);
  if (isTie(expr))
    return false;
  return mask ? isSparse(*mask)
              : callIn(expr) || std::any_of(below.begin(), below.end(), [&](const Expr *e) { return hasCalls(*e); });
}

/// Whether missing entries are no zeros in something that an expression reads.
bool StatementFills::readsFill(const Expr &expr) const {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    return isSparseIn(expr) && tensors_.at(access->tensor.text).fill != 0;
  const std::vector<const Expr *> below = syntax::children(expr);
  return !maskOf(expr) && std::any_of(below.begin(), below.end(), [&](const Expr *e) { return readsFill(*e); });
}

bool StatementFills::isSparse(const syntax::Access &access) const {
  const auto tensor = tensors_.find(access.tensor.text);
  return tensor != tensors_.end() && tensor->second.kind != Pattern::Kind::Dense &&
         (!evaluator::picks(access) || tensor->second.fill == 0);
}

bool StatementFills::isSparseIn(const Expr &expr) const {
  const auto &access = std::get<syntax::Access>(expr.node);
  return isSparse(access) && !(evaluator::picks(access) && argued_.contains(&expr));
}

bool StatementFills::isOfIndices(const Expr &expr, bool &hasIndex) const {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node)) {
    hasIndex = true;
    return access->indices.empty() && !tensors_.contains(access->tensor.text);
  }
  if (std::holds_alternative<syntax::Call>(expr.node) || std::holds_alternative<syntax::Reduce>(expr.node))
    return false;
  const std::vector<const Expr *> below = syntax::children(expr);
  return std::all_of(below.begin(), below.end(), [&](const Expr *child) { return isOfIndices(*child, hasIndex); });
}

bool StatementFills::findTie(const Expr &expr) const {
  const auto *call = std::get_if<syntax::Call>(&bare(expr).node);
  if (call && call->function == language::Function::And)
    return isTie(*call->arguments[0]) && isTie(*call->arguments[1]);
  if (!call || call->function != language::Function::Equal)
    return false;
  bool left = false, right = false;
  return isOfIndices(*call->arguments[0], left) && isOfIndices(*call->arguments[1], right) && left && right;
}

bool StatementFills::findSparse(const Expr &expr) const {
  const auto *access = std::get_if<syntax::Access>(&expr.node);
  const std::vector<const Expr *> below = syntax::children(expr);
  return (access && isSparseIn(expr)) || isTie(expr) ||
         std::any_of(below.begin(), below.end(), [&](const Expr *e) { return readsSparse(*e); });
}

const Expr *StatementFills::missingSum(const Expr &expr) const {
  const auto *sum = std::get_if<syntax::Reduce>(&expr.node);
  if (!sum || argued_.contains(&expr))
    return nullptr;
  const bool isSum = sum->reduction == language::Reduction::Sum || sum->reduction == language::Reduction::Mean;
  const bool isCount = sum->reduction == language::Reduction::Count;
  return (isSum && fillOf(*sum->body) == 0.0) || (isCount && fillOf(*sum->body)) ? sum->body.get() : nullptr;
}

const Expr &bare(const Expr &expr) {
  const auto *paren = std::get_if<syntax::Paren>(&expr.node);
  return paren ? bare(*paren->inner) : expr;
}

bool hasSum(const Expr &addend, const std::function<bool(const syntax::Reduce &)> &holds) {
  const Expr &own = bare(addend);
  const auto *sum = std::get_if<syntax::Reduce>(&own.node);
  const auto *negate = std::get_if<syntax::Negate>(&own.node);
  const auto *product = std::get_if<syntax::Binary>(&own.node);
  const bool isMean = sum && sum->reduction == language::Reduction::Mean; // the sum divided by a number
  return (sum && (isMean || sum->reduction == language::Reduction::Sum) && holds(*sum)) ||
         (negate && hasSum(*negate->operand, holds)) ||
         (product && product->op >= language::BinaryOp::Mul &&
          (hasSum(*product->left, holds) ||
           (product->op == language::BinaryOp::Mul && hasSum(*product->right, holds))));
}

const syntax::Access *maskOf(const Expr &expr) {
  const auto *call = std::get_if<syntax::Call>(&bare(expr).node);
  return call && call->function == language::Function::Pattern
             ? std::get_if<syntax::Access>(&bare(*call->arguments.front()).node)
             : nullptr;
}

const syntax::Access *complementOf(const Expr &expr) {
  const auto *call = std::get_if<syntax::Call>(&bare(expr).node);
  return call && call->function == language::Function::Not ? maskOf(*call->arguments.front()) : nullptr;
}

std::optional<double> settledBy(const syntax::Call &call, const std::vector<std::optional<double>> &fills,
                                sema::ValueType type) {
  for (size_t k = 0; k < fills.size(); ++k)
    if (fills[k] && settles(call.function, k, *fills[k], type))
      return call.function == language::Function::And ? 0 : call.function == language::Function::Or ? 1 : *fills[k];
  return std::nullopt;
}

bool settles(language::Function function, size_t argument, double fill, sema::ValueType type) {
  if (function == language::Function::And || function == language::Function::Or)
    return (fill != 0) == (function == language::Function::Or);
  return evaluator::mayAbsorb(function, argument) && evaluator::absorbingIn(function, type) == fill;
}

static std::optional<double> ofInfinite(std::optional<double> left, std::optional<double> right, double sign) {
  if (evaluator::isInfinite(left) && evaluator::isInfinite(right))
    return *left == sign * *right ? left : std::nullopt;
  return evaluator::isInfinite(left) ? left : sign * *right;
}

static double combined(language::BinaryOp op, const std::vector<double> &fills) {
  return op == language::BinaryOp::Add   ? fills[0] + fills[1]
         : op == language::BinaryOp::Sub ? fills[0] - fills[1]
         : op == language::BinaryOp::Mul ? fills[0] * fills[1]
                                         : fills[0] / fills[1];
}

/// The ends of 64 bits are infinities here, with which nothing can be worked out.
static std::optional<double> inType(sema::ValueType type, double value) {
  if (!sema::isInteger(type))
    return value;
  return std::isfinite(value) ? std::optional(converted(value, type).real()) : std::nullopt;
}

std::optional<double> StatementFills::findFill(const Expr &expr) const {
  if (const auto *mask = maskOf(expr))
    return isSparse(*mask) ? std::optional(0.0) : std::nullopt;
  if (const auto *mask = complementOf(expr))
    return isSparse(*mask) ? std::optional(0.0) : std::nullopt;
  if (isTie(expr))
    return 0;
  const sema::ValueType type = typeOf(expr);
  if (const auto *literal = std::get_if<syntax::Literal>(&expr.node))
    return std::isinf(literal->value) ? endOf(type, false) : literal->value;
  if (const auto *access = std::get_if<syntax::Access>(&expr.node)) {
    if (!isSparseIn(expr))
      return std::nullopt;
    const Pattern &tensor = tensors_.at(access->tensor.text);
    return readAs(tensor.fill, tensor.type, type);
  }
  if (missingSum(expr))
    return 0;
  if (const syntax::Call *call = callIn(expr); call && call->function == language::Function::Where)
    return 0; // where entries are, its condition says, which has no values here
  std::vector<double> known;
  std::vector<std::optional<double>> fills;
  for (const Expr *child : syntax::children(expr)) {
    fills.push_back(fillOf(*child));
    if (fills.back())
      known.push_back(*fills.back());
  }
  const std::optional<language::BinaryOp> op = operatorOf(expr);
  const syntax::Call *call = callIn(expr);
  if (op &&
      ((*op >= language::BinaryOp::Mul && fills[0] == 0.0) || (*op == language::BinaryOp::Mul && fills[1] == 0.0)))
    return 0;
  const bool isExact = sema::isInteger(type);
  if (op && *op <= language::BinaryOp::Sub && !isExact &&
      (evaluator::isInfinite(fills[0]) || evaluator::isInfinite(fills[1])))
    return ofInfinite(fills[0], fills[1], *op == language::BinaryOp::Sub ? -1 : 1);
  if (call && call->function == language::Function::Select)
    return fills[0] && !isTie(*call->arguments[0]) ? fills[*fills[0] != 0 ? 1 : 2]
           : fills[1] == fills[2]                  ? fills[1]
                                                   : std::nullopt;
  if (call && settledBy(*call, fills, type))
    return settledBy(*call, fills, type);
  if (known.size() < fills.size() || std::holds_alternative<syntax::Reduce>(expr.node))
    return std::nullopt;
  if (call && call->function == language::Function::Complex)
    return known[1] == 0 ? std::optional(known[0]) : std::nullopt;
  if (call && isOfBits(call->function))
    return valueOfBits(call->function, type, known[0], known[1]);
  if (call)
    return evaluator::isAbsorbingSum(*call) ? absorbingSum(call->function, type, known[0], known[1])
                                            : valueOf(*call, known);
  const auto *negate = std::get_if<syntax::Negate>(&expr.node);
  if (!op && !negate)
    return known[0];
  if (const auto *literal = negate ? std::get_if<syntax::Literal>(&negate->operand->node) : nullptr;
      literal && std::isinf(literal->value))
    return endOf(type, true);
  return inType(type, op ? combined(*op, known) : -known[0]);
}

} // namespace spc::testing
