#include "sema/ties/equations.h"

#include <cmath>

namespace spc::sema {
namespace {

/// The largest number in an equation: sums of such multiples of extents do not overflow.
constexpr double kLargest = 1 << 30;

std::optional<int64_t> integerOf(const Node &node) {
  const auto *number = std::get_if<NumberNode>(&node.kind);
  const bool isInteger = number && std::trunc(number->value) == number->value && std::abs(number->value) <= kLargest;
  return isInteger ? std::optional(static_cast<int64_t>(number->value)) : std::nullopt;
}

/// Adds `factor` times a value; false where it is no sum of multiples of index variables.
bool add(const Node &value, int64_t factor, Equation &sum) {
  if (std::abs(static_cast<double>(factor)) > kLargest)
    return false;
  if (const std::optional<int64_t> number = integerOf(value)) {
    sum.constant += factor * *number;
    return true;
  }
  if (const auto *index = std::get_if<IndexNode>(&value.kind)) {
    sum.multiples[index->variable] += factor;
    return true;
  }
  if (const auto *minus = std::get_if<NegateNode>(&value.kind))
    return add(*minus->operand, -factor, sum);
  const auto *binary = std::get_if<BinaryNode>(&value.kind);
  if (!binary || (binary->op != BinaryOp::Add && binary->op != BinaryOp::Sub && binary->op != BinaryOp::Mul))
    return false;
  if (binary->op != BinaryOp::Mul)
    return add(*binary->left, factor, sum) && add(*binary->right, binary->op == BinaryOp::Sub ? -factor : factor, sum);
  const std::optional<int64_t> left = integerOf(*binary->left), right = integerOf(*binary->right);
  return left ? add(*binary->right, factor * *left, sum) : right && add(*binary->left, factor * *right, sum);
}

} // namespace

std::optional<Equation> equationOf(const CallNode &comparison) {
  Equation equation;
  const bool isEquality = comparison.function == Function::Equal || comparison.function == Function::At;
  if (!isEquality || !add(*comparison.arguments[0], 1, equation) || !add(*comparison.arguments[1], -1, equation))
    return std::nullopt;
  std::erase_if(equation.multiples, [](const auto &one) { return one.second == 0; });
  return equation;
}

} // namespace spc::sema
