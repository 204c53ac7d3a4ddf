#include "grad/factors.h"

#include <algorithm>

namespace spc::grad {
namespace {

/// Whether a value may be no finite number, or steep, where its operands are ordinary numbers.
bool isRisky(const Node &expr) {
  return any(expr, [](const Node &part) {
    if (const auto *node = std::get_if<BinaryNode>(&part.kind))
      return node->op == BinaryOp::Div;
    const auto *node = std::get_if<CallNode>(&part.kind);
    if (!node)
      return false;
    const bool isSafe = language::spellingOf(node->function).isOperator() || node->function == Function::Pattern ||
                        node->function == Function::Cast || language::isExtreme(node->function) ||
                        node->function == Function::CopySign || node->function == Function::Conj ||
                        node->function == Function::Complex || language::isOfParts(node->function) ||
                        node->function == Function::Abs || node->function == Function::Sign ||
                        node->function == Function::Relu || node->function == Function::Select ||
                        node->function == Function::Where;
    return !isSafe || node->function == Function::Modulo;
  });
}

bool isPatternOf(const Node &expr) {
  const CallNode *negated = callOf(expr, Function::Not);
  return negated ? isPatternOf(*negated->arguments.front()) : callOf(expr, Function::Pattern) != nullptr;
}

NodePtr productOf(std::vector<NodePtr> factors) {
  NodePtr product;
  for (NodePtr &one : factors)
    product = product ? binary(BinaryOp::Mul, std::move(product), std::move(one)) : std::move(one);
  return product ? std::move(product) : number(1);
}

NodePtr fractionOf(std::vector<NodePtr> factors, std::vector<NodePtr> divisors) {
  NodePtr product = productOf(std::move(factors));
  return divisors.empty() ? std::move(product)
                          : binary(BinaryOp::Div, std::move(product), productOf(std::move(divisors)));
}

/// How a variable that has a value around an expression stands in it.
struct Occurrence {
  bool indexesSome = false; ///< a dimension alone, somewhere
  bool indexesAll = false;  ///< in each addend of sums
  bool isValue = false;     ///< its value is computed with
};

Occurrence occurrenceIn(const Node &expr, VariableId variable, const Program &program) {
  if (const auto *value = std::get_if<IndexNode>(&expr.kind))
    return {false, false, value->variable == variable};
  if (const Access *read = program.accessIn(expr)) {
    const bool isIndex = contains(read->variables, variable);
    return {isIndex, isIndex, false};
  }
  if (const auto *reduction = std::get_if<ReduceNode>(&expr.kind))
    if (contains(reduction->variables, variable))
      return {};
  const auto *node = std::get_if<BinaryNode>(&expr.kind);
  const bool isSum = node && (node->op == BinaryOp::Add || node->op == BinaryOp::Sub);
  Occurrence all{false, isSum, false};
  for (const Node *child : sema::children(expr)) {
    const Occurrence one = occurrenceIn(*child, variable, program);
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

void Factors::add(const Node &expr, bool isDivisor, bool isConditional) {
  const auto *literal = std::get_if<NumberNode>(&expr.kind);
  if (literal && !isDivisor) {
    coefficient *= literal->value;
    return;
  }
  if (const auto *minus = std::get_if<NegateNode>(&expr.kind)) {
    isNegative = !isNegative;
    return add(*minus->operand, isDivisor, isConditional);
  }
  const auto *node = std::get_if<BinaryNode>(&expr.kind);
  if (node && (node->op == BinaryOp::Mul || node->op == BinaryOp::Div)) {
    add(*node->left, isDivisor, isConditional);
    return add(*node->right, isDivisor != (node->op == BinaryOp::Div), isConditional);
  }
  if (isConditional && !literal && (isDivisor || isRisky(expr)))
    (isDivisor ? guardedDivisors_ : guarded_).push_back(clone(expr));
  else
    (isDivisor ? divisors : plain).push_back(clone(expr));
}

void Factors::addCondition(const Node &condition) {
  const auto *node = std::get_if<CallNode>(&condition.kind);
  if (node && node->function == Function::And) {
    addCondition(*node->arguments[0]);
    return addCondition(*node->arguments[1]);
  }
  const bool isNegated = node && node->function == Function::Not;
  const auto *literal = std::get_if<NumberNode>(&(isNegated ? *node->arguments[0] : condition).kind);
  if (literal)
    coefficient *= (literal->value != 0) != isNegated;
  else if (isPatternOf(condition))
    plain.push_back(clone(condition));
  else
    conditions_.push_back(isTruth(condition, program_) ? clone(condition)
                                                       : call(Function::NotEqual, clone(condition), number(0)));
}

void Factors::closeConditions() {
  NodePtr all;
  for (NodePtr &one : conditions_)
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

void Factors::multiplyByCount(NodePtr count) {
  const auto same = std::find_if(divisors.begin(), divisors.end(),
                                 [&](const NodePtr &divisor) { return program_.isSame(*divisor, *count); });
  if (same == divisors.end())
    plain.push_back(std::move(count));
  else
    divisors.erase(same);
}

bool Factors::have(VariableId variable) const {
  const auto has = [&](const NodePtr &one) { return contains(program_.freeVariables(*one), variable); };
  return std::any_of(plain.begin(), plain.end(), has) || std::any_of(divisors.begin(), divisors.end(), has);
}

bool Factors::isSumClear(VariableId variable) const {
  const auto has = [&](const NodePtr &one) { return contains(program_.freeVariables(*one), variable); };
  const auto indexesOne = [&](const NodePtr &one) { return std::holds_alternative<AccessNode>(one->kind) && has(one); };
  const auto count = std::count_if(plain.begin(), plain.end(), has);
  return std::any_of(plain.begin(), plain.end(), indexesOne) || count > 1 ||
         (count == 1 && std::any_of(divisors.begin(), divisors.end(), has));
}

bool Factors::isExtentKnown(VariableId variable) const {
  Occurrence all;
  for (const auto *list : {&plain, &divisors})
    for (const NodePtr &factor : *list) {
      const Occurrence one = occurrenceIn(*factor, variable, program_);
      all.indexesSome |= one.indexesSome;
      all.indexesAll |= one.indexesAll;
      all.isValue |= one.isValue;
    }
  return all.indexesAll || (all.indexesSome && !all.isValue);
}

NodePtr Factors::take() {
  return fractionOf(std::move(plain), std::move(divisors));
}

} // namespace spc::grad
