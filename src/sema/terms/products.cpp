#include "sema/terms/products.h"

#include "sema/terms/logical_plan.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <cmath>

namespace spc::sema {

namespace {

constexpr size_t kFewProducts = 8; ///< loops for each are no slower than one that merges all operands

/// How many products multiplying out gives; kMaxTerms + 1 for all that are more.
size_t productsOf(const Node &node, const Scope &scope, const Kernel &kernel) {
  const std::vector<const Node *> below = children(node);
  if (std::holds_alternative<NegateNode>(node.kind))
    return productsOf(*below.front(), scope, kernel);
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary || (asSum(node) && !hasSparse(node, scope, kernel)))
    return 1;
  const size_t left = productsOf(*binary->left, scope, kernel);
  const size_t right = binary->op == BinaryOp::Div ? 1 : productsOf(*binary->right, scope, kernel);
  return std::min(asSum(node) ? left + right : left * right, kMaxTerms + 1);
}

/// Whether a product's sums may be computed where it is: they have no loops of their own, and each operand is there as
/// a whole.
bool mayStayWhole(const Node &node, const Scope &scope, const Kernel &kernel) {
  if (const auto *use = std::get_if<AccessNode>(&node.kind)) {
    const format::Format &format = kernel.tensors[scope.accesses[use->access].tensor].format;
    return !format.isSum() && format.symmetry == format::Symmetry::None;
  }
  const std::vector<const Node *> below = children(node);
  return !std::holds_alternative<ReduceNode>(node.kind) &&
         std::all_of(below.begin(), below.end(),
                     [&](const Node *child) { return mayStayWhole(*child, scope, kernel); });
}

/// Whether a product is divided by something sparse, perhaps within sums of it.
bool hasSparseDivisor(const Node &node, const Scope &scope, const Kernel &kernel) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return hasSparseDivisor(*negate->operand, scope, kernel);
  if (const auto *reduction = std::get_if<ReduceNode>(&node.kind))
    return hasSparseDivisor(*reduction->body, scope, kernel);
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary || asSum(node))
    return false;
  return hasSparseDivisor(*binary->left, scope, kernel) ||
         (binary->op == BinaryOp::Div ? hasSparse(*binary->right, scope, kernel)
                                      : hasSparseDivisor(*binary->right, scope, kernel));
}

} // namespace

bool isReorderable(const Node &product, const Scope &scope, const Kernel &kernel) {
  const std::vector<AccessId> accesses = accessesOf(product);
  return !usesIndexValue(product) && !hasSparseDivisor(product, scope, kernel) &&
         std::none_of(accesses.begin(), accesses.end(),
                      [&](AccessId id) { return hasDerived(scope.accesses[id], scope); });
}

bool staysWhole(const Node &product, const Scope &scope, const Kernel &kernel) {
  const size_t products = productsOf(product, scope, kernel);
  return products > kFewProducts && products > accessesOf(product).size() && mayStayWhole(product, scope, kernel);
}

Products single(NodePtr expr) {
  Products products;
  products.push_back({false, std::move(expr)});
  return products;
}

bool scalesSum(const Node &product) {
  if (const auto *negate = std::get_if<NegateNode>(&product.kind))
    return scalesSum(*negate->operand);
  const auto *reduction = std::get_if<ReduceNode>(&product.kind);
  if (reduction && reduction->reduction == Reduction::Sum)
    return false;
  const auto *binary = std::get_if<BinaryNode>(&product.kind);
  if (!binary || asSum(product))
    return !isPlainNumber(product);
  return scalesSum(*binary->left) ||
         (binary->op == BinaryOp::Div ? !isPlainDivisor(*binary->right) : scalesSum(*binary->right));
}

bool isPlainNumber(const Node &node) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return isPlainNumber(*negate->operand);
  const auto *number = std::get_if<NumberNode>(&node.kind);
  return number && std::isfinite(number->value) && number->value != 0;
}

bool isPlainDivisor(const Node &node) {
  const auto *cast = std::get_if<CallNode>(&node.kind);
  if (!cast || cast->function != Function::Cast || !isInteger(cast->castTo))
    return isPlainNumber(node);
  const auto *count = std::get_if<CallNode>(&cast->arguments.front()->kind);
  const auto *least = count && count->function == Function::Max && count->arguments.size() == 2
                          ? std::get_if<NumberNode>(&count->arguments.back()->kind)
                          : nullptr;
  return least && least->value >= 1;
}

} // namespace spc::sema
