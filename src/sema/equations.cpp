#include "sema/equations.h"

#include <algorithm>
#include <cmath>

namespace spc::sema {
namespace {

std::optional<int64_t> integerOf(const Node &node) {
  const auto *number = std::get_if<NumberNode>(&node.kind);
  const bool isInteger = number && std::trunc(number->value) == number->value && std::abs(number->value) <= kMaxAmount;
  return isInteger ? std::optional(static_cast<int64_t>(number->value)) : std::nullopt;
}

/// The scalar of integers that a node reads.
std::optional<TensorId> scalarOf(const Node &node, const Scope &scope, const KernelHead &kernel) {
  const auto *use = std::get_if<AccessNode>(&node.kind);
  if (!use || !scope.accesses[use->access].variables.empty())
    return std::nullopt;
  const TensorId tensor = scope.accesses[use->access].tensor;
  return isInteger(kernel.tensors[tensor].type) ? std::optional(tensor) : std::nullopt;
}

/// Takes sums apart; each gives nullopt where a value is no sum of multiples.
class SumReader {
public:
  SumReader(const Scope &scope, const KernelHead &kernel) : scope_(scope), kernel_(kernel) {}

  std::optional<Equation> read(const Node &value) const {
    if (const std::optional<int64_t> number = integerOf(value))
      return Equation{{}, {.number = *number}};
    if (const std::optional<TensorId> scalar = scalarOf(value, scope_, kernel_))
      return Equation{{}, amountOf(*scalar)};
    if (const auto *index = std::get_if<IndexNode>(&value.kind))
      return Equation{{{index->variable, {.number = 1}}}, {}};
    if (const auto *minus = std::get_if<NegateNode>(&value.kind))
      return scaled(read(*minus->operand), {.number = -1});
    if (const Node *wide = behindWideCast(value); wide != &value)
      return read(*wide);
    const auto *binary = std::get_if<BinaryNode>(&value.kind);
    if (!binary || (binary->op != BinaryOp::Add && binary->op != BinaryOp::Sub && binary->op != BinaryOp::Mul))
      return std::nullopt;
    const std::optional<Equation> left = read(*binary->left), right = read(*binary->right);
    if (!left || !right)
      return std::nullopt;
    if (binary->op != BinaryOp::Mul)
      return sum(*left, binary->op == BinaryOp::Add ? right : scaled(right, {.number = -1}));
    return left->multiples.empty()    ? scaled(right, left->constant)
           : right->multiples.empty() ? scaled(left, right->constant)
                                      : std::nullopt;
  }

private:
  static std::optional<Equation> scaled(std::optional<Equation> value, const Amount &factor) {
    if (!value)
      return std::nullopt;
    const auto scale = [&](Amount &amount) {
      const std::optional<Amount> product = productOf(amount, factor);
      amount = product.value_or(Amount());
      return product.has_value();
    };
    bool fits = scale(value->constant);
    for (auto &[variable, multiple] : value->multiples)
      fits = scale(multiple) && fits;
    return fits ? value : std::nullopt;
  }

  static std::optional<Equation> sum(Equation left, const std::optional<Equation> &right) {
    if (!right)
      return std::nullopt;
    bool fits = true;
    const auto add = [&](Amount &amount, const Amount &other) {
      const std::optional<Amount> both = sumOf(amount, other);
      amount = both.value_or(Amount());
      fits &= both.has_value();
    };
    add(left.constant, right->constant);
    for (const auto &[variable, multiple] : right->multiples)
      add(left.multiples[variable], multiple);
    return fits ? std::optional(left) : std::nullopt;
  }

  const Scope &scope_;
  const KernelHead &kernel_;
};

void collectOfCondition(const Node &condition, const Scope &scope, const KernelHead &kernel,
                        std::vector<Equation> &found) {
  const auto *call = std::get_if<CallNode>(&condition.kind);
  if (call && call->function == Function::And)
    for (const NodePtr &part : call->arguments)
      collectOfCondition(*part, scope, kernel, found);
  if (call && call->function == Function::Equal)
    if (std::optional<Equation> equation = equationOf(*call, scope, kernel))
      found.push_back(std::move(*equation));
}

void collectOfProduct(const Node &product, const Scope &scope, const KernelHead &kernel, std::vector<Equation> &found) {
  const auto *binary = std::get_if<BinaryNode>(&product.kind);
  if (binary && binary->op == BinaryOp::Mul)
    collectOfProduct(*binary->right, scope, kernel, found);
  if (binary && (binary->op == BinaryOp::Mul || binary->op == BinaryOp::Div))
    return collectOfProduct(*binary->left, scope, kernel, found);
  if (const auto *minus = std::get_if<NegateNode>(&product.kind))
    return collectOfProduct(*minus->operand, scope, kernel, found);
  if (const auto *call = std::get_if<CallNode>(&product.kind); call && call->function == Function::Cast)
    return collectOfProduct(*call->arguments[0], scope, kernel, found);
  const Node *condition = conditionOfChoice(product);
  collectOfCondition(condition ? *condition : product, scope, kernel, found);
}

} // namespace

bool Equation::isOfNumbers() const {
  return constant.isNumber() &&
         std::all_of(multiples.begin(), multiples.end(), [](const auto &one) { return one.second.isNumber(); });
}

const Node *behindWideCast(const Node &value) {
  const auto *call = std::get_if<CallNode>(&value.kind);
  return call && call->function == Function::Cast && call->castTo == ValueType::I64 ? call->arguments[0].get() : &value;
}

std::optional<Equation> equationOf(const CallNode &comparison, const Scope &scope, const KernelHead &kernel) {
  const bool isEquality = comparison.function == Function::Equal || language::isOfPlaces(comparison.function);
  if (!isEquality)
    return std::nullopt;
  const auto &sides = comparison.arguments;
  const NodePtr difference = makeBinary(BinaryOp::Sub, clone(*sides[0]), clone(*sides[1]));
  std::optional<Equation> equation = SumReader(scope, kernel).read(*difference);
  if (equation)
    std::erase_if(equation->multiples, [](const auto &one) { return one.second.isZero(); });
  return equation;
}

std::vector<Equation> equationsOfCondition(const Node &condition, const Scope &scope, const KernelHead &kernel) {
  std::vector<Equation> found;
  collectOfCondition(condition, scope, kernel, found);
  return found;
}

std::vector<Equation> equationsOfProduct(const Node &product, const Scope &scope, const KernelHead &kernel) {
  std::vector<Equation> found;
  collectOfProduct(product, scope, kernel, found);
  return found;
}

const Node *conditionOfChoice(const Node &value) {
  const auto *choice = std::get_if<CallNode>(&value.kind);
  if (!choice || choice->function != Function::Select)
    return nullptr;
  const auto *otherwise = std::get_if<NumberNode>(&choice->arguments[2]->kind);
  return otherwise && otherwise->value == 0 ? choice->arguments[0].get() : nullptr;
}

} // namespace spc::sema
