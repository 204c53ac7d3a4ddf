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
    const bool isSafe = syntax::spellingOf(node->function).isOperator || node->function == Function::Pattern ||
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
    return isPatternOf(inside(*node->arguments.front()));
  return node && node->function == Function::Pattern;
}

ExprPtr productOf(std::vector<ExprPtr> factors) {
  ExprPtr product;
  for (ExprPtr &one : factors)
    product = product ? binary(BinaryOp::Mul, std::move(product), std::move(one)) : std::move(one);
  return product ? std::move(product) : number(1);
}

/// Whether a value is true or false, so that it can be a factor: any other number but 0 is true, too.
bool isTruth(const Expr &expr, const Program &program) {
  if (const Access *read = asTensor(expr, program.names))
    return program.info(read->tensor.text).type == sema::ValueType::Bool;
  if (const auto *reduction = std::get_if<Reduce>(&expr.node))
    return reduction->reduction == Reduction::Any || reduction->reduction == Reduction::All;
  const auto *node = std::get_if<Call>(&expr.node);
  if (!node)
    return false;
  switch (node->function) {
  case Function::Equal:
  case Function::NotEqual:
  case Function::Less:
  case Function::LessEqual:
  case Function::Greater:
  case Function::GreaterEqual:
  case Function::And:
  case Function::Or:
  case Function::Xor:
  case Function::Not:
  case Function::Pattern:
    return true;
  case Function::Cast:
    return node->name.text == "bool";
  default:
    return false;
  }
}

ExprPtr fractionOf(std::vector<ExprPtr> factors, std::vector<ExprPtr> divisors) {
  ExprPtr product = productOf(std::move(factors));
  return divisors.empty() ? std::move(product)
                          : binary(BinaryOp::Div, std::move(product), productOf(std::move(divisors)));
}

/// Whether a variable indexes a dimension alone in an expression; of a sum, in each addend.
bool isIndexedBy(const Expr &expr, const std::string &variable) {
  const auto isVariable = [&](const Index &index) { return index.isPlain() && index.text == variable; };
  const auto *read = std::get_if<Access>(&expr.node);
  if (read)
    return std::any_of(read->indices.begin(), read->indices.end(), isVariable);
  const std::vector<const Expr *> below = syntax::children(expr);
  const auto isIndexed = [&](const Expr *child) { return isIndexedBy(*child, variable); };
  const auto *node = std::get_if<Binary>(&expr.node);
  return node && (node->op == BinaryOp::Add || node->op == BinaryOp::Sub)
             ? std::all_of(below.begin(), below.end(), isIndexed)
             : std::any_of(below.begin(), below.end(), isIndexed);
}

} // namespace

void Factors::add(const Factor &one) {
  if (one.isCondition)
    addCondition(inside(*one.value));
  else
    add(inside(*one.value), one.isDivisor, one.isConditional);
}

void Factors::add(const Expr &expr, bool isDivisor, bool isConditional) {
  const auto *literal = std::get_if<Literal>(&expr.node);
  if (literal && !isDivisor) {
    coefficient *= literal->value;
    return;
  }
  if (const auto *minus = std::get_if<Negate>(&expr.node)) {
    isNegative = !isNegative;
    return add(inside(*minus->operand), isDivisor, isConditional);
  }
  const auto *node = std::get_if<Binary>(&expr.node);
  if (node && (node->op == BinaryOp::Mul || node->op == BinaryOp::Div)) {
    add(inside(*node->left), isDivisor, isConditional);
    return add(inside(*node->right), isDivisor != (node->op == BinaryOp::Div), isConditional);
  }
  if (isConditional && !literal && (isDivisor || isRisky(expr)))
    (isDivisor ? guardedDivisors_ : guarded_).push_back(clone(expr));
  else
    (isDivisor ? divisors : plain).push_back(clone(expr));
}

void Factors::addCondition(const Expr &condition) {
  const auto *node = std::get_if<Call>(&condition.node);
  if (node && node->function == Function::And) {
    addCondition(inside(*node->arguments[0]));
    return addCondition(inside(*node->arguments[1]));
  }
  const bool isNegated = node && node->function == Function::Not;
  const auto *literal = std::get_if<Literal>(&(isNegated ? inside(*node->arguments[0]) : condition).node);
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

bool Factors::have(const std::string &variable, const TensorNames &tensors) const {
  const auto has = [&](const ExprPtr &one) { return contains(freeVariables(*one, tensors), variable); };
  return std::any_of(plain.begin(), plain.end(), has) || std::any_of(divisors.begin(), divisors.end(), has);
}

bool Factors::isSumClear(const std::string &variable, const TensorNames &tensors) const {
  const auto has = [&](const ExprPtr &one) { return contains(freeVariables(*one, tensors), variable); };
  const auto indexesOne = [&](const ExprPtr &one) { return asTensor(*one, tensors) && has(one); };
  const auto count = std::count_if(plain.begin(), plain.end(), has);
  return std::any_of(plain.begin(), plain.end(), indexesOne) || count > 1 ||
         (count == 1 && std::any_of(divisors.begin(), divisors.end(), has));
}

bool Factors::isExtentKnown(const std::string &variable) const {
  bool isValue = false, indexesAny = false, indexesAll = false;
  for (const auto *list : {&plain, &divisors})
    for (const ExprPtr &one : *list) {
      indexesAll |= isIndexedBy(*one, variable);
      any(*one, [&](const Expr &part) {
        const auto *read = std::get_if<Access>(&part.node);
        isValue |= read && read->indices.empty() && read->tensor.text == variable;
        indexesAny |= read && isIndexedBy(part, variable);
        return false;
      });
    }
  return indexesAll || (indexesAny && !isValue);
}

ExprPtr Factors::take() {
  return fractionOf(std::move(plain), std::move(divisors));
}

} // namespace spc::grad
