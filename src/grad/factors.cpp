#include "grad/factors.h"

#include <algorithm>

namespace spc::grad {
namespace {

/// Whether a value may be no finite number, or steep, where its operands are ordinary numbers.
bool isRisky(const Expr &expr) {
  return any(expr, [](const Expr &part) {
    if (const auto *node = std::get_if<Binary>(&part.node))
      return node->op == BinaryOp::Div;
    const auto *node = std::get_if<Call>(&part.node);
    if (!node)
      return false;
    const bool isSafe = language::spellingOf(node->function).isOperator || node->function == Function::Pattern ||
                        node->function == Function::Cast || node->function == Function::Min ||
                        node->function == Function::Max || node->function == Function::Abs ||
                        node->function == Function::Sign || node->function == Function::Relu ||
                        node->function == Function::Select;
    return !isSafe || node->function == Function::Modulo;
  });
}

bool isPatternOf(const Expr &expr) {
  const auto *node = std::get_if<Call>(&expr.node);
  if (node && node->function == Function::Not)
    return isPatternOf(*node->arguments.front());
  return node && node->function == Function::Pattern;
}

ExprPtr productOf(std::vector<ExprPtr> factors) {
  ExprPtr product;
  for (ExprPtr &one : factors)
    product = product ? binary(BinaryOp::Mul, std::move(product), std::move(one)) : std::move(one);
  return product ? std::move(product) : number(1);
}

ExprPtr fractionOf(std::vector<ExprPtr> factors, std::vector<ExprPtr> divisors) {
  ExprPtr product = productOf(std::move(factors));
  return divisors.empty() ? std::move(product)
                          : binary(BinaryOp::Div, std::move(product), productOf(std::move(divisors)));
}

/// How a variable that has a value around an expression stands in it.
struct Occurrence {
  bool indexesSome = false; ///< a dimension alone, somewhere
  bool indexesAll = false;  ///< in each addend of sums
  bool isValue = false;     ///< its value is computed with
};

Occurrence occurrenceIn(const Expr &expr, const std::string &variable) {
  if (const auto *value = std::get_if<IndexValue>(&expr.node))
    return {false, false, value->variable == variable};
  if (const auto *read = std::get_if<Access>(&expr.node)) {
    const bool isIndex = std::any_of(read->indices.begin(), read->indices.end(),
                                     [&](const Index &index) { return index.isPlain() && index.text == variable; });
    return {isIndex, isIndex, false};
  }
  if (const auto *reduction = std::get_if<Reduce>(&expr.node))
    if (contains(reduction->variables, variable))
      return {};
  const auto *node = std::get_if<Binary>(&expr.node);
  const bool isSum = node && (node->op == BinaryOp::Add || node->op == BinaryOp::Sub);
  Occurrence all{false, isSum, false};
  for (const Expr *child : children(expr)) {
    const Occurrence one = occurrenceIn(*child, variable);
    all.indexesSome |= one.indexesSome;
    all.indexesAll = isSum ? all.indexesAll && one.indexesAll : all.indexesAll || one.indexesAll;
    all.isValue |= one.isValue;
  }
  return all;
}

} // namespace

void Factors::add(const Factor &one) {
  if (one.isCondition)
    addCondition(*one.value);
  else
    add(*one.value, one.isDivisor, one.isConditional);
}

void Factors::add(const Expr &expr, bool isDivisor, bool isConditional) {
  const auto *literal = std::get_if<Literal>(&expr.node);
  if (literal && !isDivisor) {
    coefficient *= literal->value;
    return;
  }
  if (const auto *minus = std::get_if<Negate>(&expr.node)) {
    isNegative = !isNegative;
    return add(*minus->operand, isDivisor, isConditional);
  }
  const auto *node = std::get_if<Binary>(&expr.node);
  if (node && (node->op == BinaryOp::Mul || node->op == BinaryOp::Div)) {
    add(*node->left, isDivisor, isConditional);
    return add(*node->right, isDivisor != (node->op == BinaryOp::Div), isConditional);
  }
  if (isConditional && !literal && (isDivisor || isRisky(expr)))
    (isDivisor ? guardedDivisors_ : guarded_).push_back(clone(expr));
  else
    (isDivisor ? divisors : plain).push_back(clone(expr));
}

void Factors::addCondition(const Expr &condition) {
  const auto *node = std::get_if<Call>(&condition.node);
  if (node && node->function == Function::And) {
    addCondition(*node->arguments[0]);
    return addCondition(*node->arguments[1]);
  }
  const bool isNegated = node && node->function == Function::Not;
  const auto *literal = std::get_if<Literal>(&(isNegated ? *node->arguments[0] : condition).node);
  if (literal)
    coefficient *= (literal->value != 0) != isNegated;
  else if (isPatternOf(condition))
    plain.push_back(clone(condition));
  else
    conditions_.push_back(isTruth(condition, program_) ? clone(condition)
                                                       : call(Function::NotEqual, clone(condition), number(0)));
}

void Factors::closeConditions() {
  ExprPtr all;
  for (ExprPtr &one : conditions_)
    all = all ? call(Function::And, std::move(all), std::move(one)) : std::move(one);
  conditions_.clear();
  if (!all) { // a pattern that does not hold makes its product 0, whatever stands beside it
    std::move(guarded_.begin(), guarded_.end(), std::back_inserter(plain));
    std::move(guardedDivisors_.begin(), guardedDivisors_.end(), std::back_inserter(divisors));
  } else if (guarded_.empty() && guardedDivisors_.empty())
    plain.push_back(std::move(all));
  else
    plain.push_back(select(std::move(all), fractionOf(std::move(guarded_), std::move(guardedDivisors_)), number(0)));
  guarded_.clear();
  guardedDivisors_.clear();
}

void Factors::multiplyByCount(ExprPtr count) {
  const auto same =
      std::find_if(divisors.begin(), divisors.end(), [&](const ExprPtr &divisor) { return isSame(*divisor, *count); });
  if (same == divisors.end())
    plain.push_back(std::move(count));
  else
    divisors.erase(same);
}

bool Factors::have(const std::string &variable) const {
  const auto has = [&](const ExprPtr &one) { return contains(freeVariables(*one), variable); };
  return std::any_of(plain.begin(), plain.end(), has) || std::any_of(divisors.begin(), divisors.end(), has);
}

bool Factors::isSumClear(const std::string &variable) const {
  const auto has = [&](const ExprPtr &one) { return contains(freeVariables(*one), variable); };
  const auto indexesOne = [&](const ExprPtr &one) { return std::holds_alternative<Access>(one->node) && has(one); };
  const auto count = std::count_if(plain.begin(), plain.end(), has);
  return std::any_of(plain.begin(), plain.end(), indexesOne) || count > 1 ||
         (count == 1 && std::any_of(divisors.begin(), divisors.end(), has));
}

bool Factors::isExtentKnown(const std::string &variable) const {
  Occurrence all;
  for (const auto *list : {&plain, &divisors})
    for (const ExprPtr &factor : *list) {
      const Occurrence one = occurrenceIn(*factor, variable);
      all.indexesSome |= one.indexesSome;
      all.indexesAll |= one.indexesAll;
      all.isValue |= one.isValue;
    }
  return all.indexesAll || (all.indexesSome && !all.isValue);
}

ExprPtr Factors::take() {
  return fractionOf(std::move(plain), std::move(divisors));
}

} // namespace spc::grad
