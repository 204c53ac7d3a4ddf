#include "sema/terms/addend_factors.h"

#include "sema/terms/products.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <utility>

namespace spc::sema {
namespace {

constexpr size_t kMostFactors = 12; ///< that are told apart

/// Whether the order of a product's factors is its own, and what they are summed over has nothing but names.
bool isOfFactors(const Node &product, const Scope &scope, const Kernel &kernel) {
  return isReorderable(product, scope, kernel) && !hasNode(product, [](const Node &one) {
           const auto *call = std::get_if<CallNode>(&one.kind);
           const auto *reduction = std::get_if<ReduceNode>(&one.kind);
           return std::holds_alternative<IndexNode>(one.kind) || (reduction && reduction->rank) ||
                  (call && call->function != Function::Pattern && asksForEntries(one));
         });
}

/// How many of a product's factors are sums.
size_t explicitSums(const Node &product) {
  const auto *binary = std::get_if<BinaryNode>(&product.kind);
  const auto *reduction = std::get_if<ReduceNode>(&product.kind);
  if (const auto *negate = std::get_if<NegateNode>(&product.kind))
    return explicitSums(*negate->operand);
  if (!binary || asSum(product))
    return reduction && reduction->reduction == Reduction::Sum ? 1 : 0;
  return explicitSums(*binary->left) + (binary->op == BinaryOp::Mul ? explicitSums(*binary->right) : 0);
}

/// How a product is taken apart where a node of it stands.
struct Place {
  bool divides = false, isOutside = false, opensSums = false;
};

void collect(const Node &node, Place place, AddendProduct &product) {
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  const auto *reduction = std::get_if<ReduceNode>(&node.kind);
  const auto *negate = std::get_if<NegateNode>(&node.kind);
  if (negate && !place.divides) {
    product.isNegated = !product.isNegated;
    collect(*negate->operand, place, product);
  } else if (reduction && reduction->reduction == Reduction::Sum && place.opensSums && !place.divides) {
    product.bound.insert(product.bound.end(), reduction->variables.begin(), reduction->variables.end());
    place.isOutside = false;
    collect(*reduction->body, place, product);
  } else if (binary && !asSum(node) && (!place.divides || binary->op == BinaryOp::Mul)) {
    collect(*binary->left, place, product);
    place.divides |= binary->op == BinaryOp::Div;
    collect(*binary->right, place, product);
  } else {
    product.factors.push_back({clone(node), place.divides, place.isOutside});
  }
}

} // namespace

bool isIndexedBy(const Node &node, const std::vector<VariableId> &variables, const Scope &scope) {
  return std::ranges::any_of(freeVariables(node, scope), [&](VariableId one) { return has(variables, one); });
}

AddendProduct addendProduct(NodePtr whole, bool negative, const std::vector<VariableId> &implicit, const Scope &scope,
                            const Kernel &kernel) {
  const Span where = whole->where;
  AddendProduct product{negative, std::move(whole), {}, negative, {}, {}, where};
  const Node &node = *product.whole;
  if (!isOfFactors(node, scope, kernel))
    return product;
  for (VariableId variable : freeVariables(node, scope))
    if (has(implicit, variable))
      product.sums.push_back(variable);
  const bool isWithin = !product.sums.empty(), isAlone = explicitSums(node) == 1;
  collect(node, {.isOutside = !isWithin && isAlone, .opensSums = isWithin || isAlone}, product);
  product.sums.insert(product.sums.end(), product.bound.begin(), product.bound.end());
  const auto isSparseDivisor = [&](const AddendFactor &one) {
    return one.divides && hasSparse(*one.node, scope, kernel);
  };
  if (product.factors.size() > kMostFactors || std::ranges::any_of(product.factors, isSparseDivisor))
    product.factors.clear();
  return product;
}

NodePtr multiplied(std::vector<AddendFactor> factors) {
  NodePtr product;
  std::ranges::stable_partition(factors, [](const AddendFactor &factor) { return !factor.divides; });
  for (AddendFactor &factor : factors) {
    if (!product && factor.divides)
      product = makeNode(NumberNode{1, "1"}, factor.node->where);
    product = !product ? std::move(factor.node)
                       : makeBinary(factor.divides ? BinaryOp::Div : BinaryOp::Mul, std::move(product),
                                    std::move(factor.node));
  }
  return product;
}

NodePtr treeOf(AddendProduct product) {
  if (product.whole)
    return std::move(product.whole);
  std::vector<AddendFactor> outside, within;
  for (AddendFactor &factor : product.factors)
    (factor.isOutside ? outside : within).push_back(std::move(factor));
  NodePtr sum = multiplied(std::move(within));
  if (!product.bound.empty()) {
    if (!sum)
      sum = makeNode(NumberNode{1, "1"}, product.where);
    sum = makeNode(ReduceNode{Reduction::Sum, std::move(product.bound), std::move(sum)}, product.where);
  }
  if (sum)
    outside.insert(outside.begin(), AddendFactor{std::move(sum)});
  return multiplied(std::move(outside));
}

} // namespace spc::sema
