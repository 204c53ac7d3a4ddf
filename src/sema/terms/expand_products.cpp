// Products of sums.
#include "sema/expression_types.h"
#include "sema/terms/distribution.h"
#include "sema/terms/expander.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <utility>

namespace spc::sema {

/// Whether arithmetic rounds nothing, so that it is all the same how it is written.
bool Expander::isExact() const {
  return !isFloat(computeType_) && !isComplex(computeType_);
}

/// The type of what stands for a part: where all that it reads is real, none that is complex.
ValueType Expander::typeOfTemporary(const Node &value) const {
  return isReal(value, scope_, kernel_) ? sema::partOf(computeType_) : computeType_;
}

/// Whether a sum without entries may be taken for 0 here: no function makes a number of what an infinity makes of that.
bool Expander::isTrusted() const {
  const bool isTrusted = contractions_.trusts && isFloat(computeType_) && !isArgument_;
  contractions_.trusted |= isTrusted;
  return isTrusted;
}

/// Temporaries that sums need are dense.
bool Expander::isTargetDense(const LogicalStatement &logical) const {
  return &logical != main_ || kernel_.tensors[logical.target].format.isDense();
}

static Products negated(Products products) {
  for (Product &product : products)
    product.negative = !product.negative;
  return products;
}

Products Expander::multiplyOut(const Node &node, Place place, const LogicalStatement &logical) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return negated(multiplyOut(*negate->operand, place, logical));
  if (const auto *sum = std::get_if<ReduceNode>(&node.kind)) {
    if (place == Place::Nested || sum->reduction != Reduction::Sum)
      return single(temporaryFor(node));
    if (const NodePtr apart = sumToOpen(node, logical) ? nullptr : addendsApart(node))
      return guardedEach(multiplyOut(*apart, place, logical), logical);
    Products products = multiplyOut(*sum->body, place, logical);
    for (Product &product : products)
      product.bound.insert(product.bound.end(), sum->variables.begin(), sum->variables.end());
    return products;
  }
  if (!std::holds_alternative<BinaryNode>(node.kind) || (asSum(node) && !sparseOperand(node)))
    return single(withTemporaries(node));
  return productOf(node, place, logical);
}

/// A product with the bodies of the sum() nodes that are its factors, whose variables are added to `bound`.
static NodePtr withoutSums(const Node &node, std::vector<VariableId> &bound) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return makeNode(NegateNode{withoutSums(*negate->operand, bound)}, node.where);
  const auto *reduction = std::get_if<ReduceNode>(&node.kind);
  if (reduction && reduction->reduction == Reduction::Sum) {
    bound.insert(bound.end(), reduction->variables.begin(), reduction->variables.end());
    return withoutSums(*reduction->body, bound);
  }
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary || asSum(node))
    return clone(node);
  NodePtr left = withoutSums(*binary->left, bound);
  NodePtr right = binary->op == BinaryOp::Div ? clone(*binary->right) : withoutSums(*binary->right, bound);
  return makeNode(BinaryNode{binary->op, std::move(left), std::move(right)}, node.where);
}

static Products scaledSums(Products products) {
  for (Product &product : products)
    product.isScaledSum = true;
  return products;
}

/// Whether a product is a sum and what that is to be scaled by once it is added up: scaled by infinities, or too large
/// by then, its terms would be infinities of both signs. Within another sum both may be taken in any order.
bool Expander::isScaledAfterwards(const Node &product, const LogicalStatement &logical) const {
  const std::vector<VariableId> variables = freeVariables(product, scope_);
  return !isExact() && scalesSum(product) && std::all_of(variables.begin(), variables.end(), [&](VariableId variable) {
    return has(logical.targetVariables, variable);
  });
}

/// A product, or a sum with a sparse operand that is added up over some variables.
Products Expander::productOf(const Node &node, Place place, const LogicalStatement &logical) {
  const ScopedMasks wanted(*this, node);
  if (const Node *sum = place == Place::Factor ? sumToOpen(node, logical) : nullptr)
    return eachAddend(node, *sum, logical);
  if (const NodePtr apart = addendsApart(node))
    return guardedEach(productOf(*apart, place, logical), logical);
  const SumFactors factors = sumFactorsOf(node, scope_, kernel_);
  const bool isAlone = factors.sums.empty() && factors.reductions.size() == 1;
  if (!factors.reductions.empty() && (!isAlone || place == Place::Nested || options_.strictFp)) {
    if (place == Place::Factor && mayJoin(node, factors, logical))
      return joined(node, place, logical);
    if (place == Place::Factor && !options_.strictFp)
      if (std::optional<Products> joined = besideWhole(node, factors, logical))
        return std::move(*joined);
    if (place == Place::Factor && !options_.strictFp)
      if (std::optional<Products> sampled = sampledByAddend(node, factors, logical))
        return std::move(*sampled);
    return withSumsApart(node, place, logical);
  }
  if (isAlone && isScaledAfterwards(node, logical)) {
    if (contractions_.scaledApart.contains(statement_))
      return withSumsApart(node, place, logical);
    Products products = opened(node, place, logical);
    // Their sum is scaled, and not each of them; what is listed is scaled term by term, and so keeps its phases.
    if (products.size() > 1 && isTargetDense(*main_))
      contractions_.scaledApart.insert(statement_);
    return scaledSums(std::move(products));
  }
  if (factors.sums.empty())
    return opened(node, place, logical);
  if (isExact() || options_.distributes)
    return staysWhole(node, scope_, kernel_) ? whole(node, false) : opened(node, place, logical);
  const SumTreatment treatment =
      treatmentOf(node, {logical.targetVariables, isTargetDense(logical)}, computeType_, scope_, kernel_);
  const bool isMany = !treatment.saves && staysWhole(node, scope_, kernel_);
  // In an order of the user's, copies of operands let loops walk all of them.
  const bool isOrdered = !takesParts_ && !treatment.saves && factors.sums.size() > 1;
  if (options_.strictFp || treatment.isWhole || isMany || isOrdered)
    return whole(node, treatment.saves);
  const auto outer = std::exchange(keptSums_, treatment.kept);
  Products products = opened(node, place, logical);
  keptSums_ = outer;
  return products;
}

/// Whether the sums of a product may be taken in any order, which matters where there is one around it.
bool Expander::mayJoin(const Node &product, const SumFactors &factors, const LogicalStatement &logical) const {
  size_t sums = 0;
  for (VariableId variable : freeVariables(product, scope_))
    sums += has(logical.targetVariables, variable) ? 0 : 1;
  const bool isWithinSum = sums > 0;
  for (const Node *reduction : factors.reductions)
    sums += std::get<ReduceNode>(reduction->kind).variables.size();
  return isWithinSum && sums <= kMostSums && takesParts_ && computeType_ != ValueType::Bool &&
         isReorderable(product, scope_, kernel_) && !joinsSums(factors);
}

/// Whether a product with its sums around all of it would be one of several sums with sparse operands, which are not
/// multiplied out: what is added up before the rest is a number there, beside which one sum may be.
bool Expander::joinsSums(const SumFactors &factors) const {
  if (isExact() || options_.distributes || factors.sums.size() > 1)
    return false;
  std::vector<const Node *> sums = factors.sums;
  for (const Node *reduction : factors.reductions)
    std::ranges::copy(sumFactorsOf(*std::get<ReduceNode>(reduction->kind).body, scope_, kernel_).sums,
                      std::back_inserter(sums));
  return sums.size() > 1 && !cannotCancel(sums, scope_, kernel_);
}

/// A product with its sums around all of it.
Products Expander::joined(const Node &node, Place place, const LogicalStatement &logical) {
  std::vector<VariableId> bound;
  const NodePtr product = withoutSums(node, bound);
  Products products = multiplyOut(*product, place, logical);
  for (Product &each : products)
    each.bound.insert(each.bound.end(), bound.begin(), bound.end());
  return products;
}

/// A product with another factor in place of one; without it where there is no other, which is null if it is all.
static NodePtr withFactor(const Node &node, const Node &factor, const Node *other) {
  if (&node == &factor)
    return other ? clone(*other) : nullptr;
  if (const auto *negate = std::get_if<NegateNode>(&node.kind)) {
    NodePtr operand = withFactor(*negate->operand, factor, other);
    return makeNode(NegateNode{operand ? std::move(operand) : makeNode(NumberNode{1, "1"}, node.where)}, node.where);
  }
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary || asSum(node))
    return clone(node);
  NodePtr left = withFactor(*binary->left, factor, other);
  if (binary->op == BinaryOp::Div)
    return makeNode(BinaryNode{BinaryOp::Div, left ? std::move(left) : makeNode(NumberNode{1, "1"}, node.where),
                               clone(*binary->right)},
                    node.where);
  NodePtr right = withFactor(*binary->right, factor, other);
  if (!left || !right)
    return left ? std::move(left) : std::move(right);
  return makeNode(BinaryNode{BinaryOp::Mul, std::move(left), std::move(right)}, node.where);
}

/// A product with one sum() that has an element at each place where the other sums, which are computed as they are
/// written, have one: it is taken there, each of its terms times the rest, which is one number.
std::optional<Products> Expander::besideWhole(const Node &node, const SumFactors &factors,
                                              const LogicalStatement &logical) {
  if (factors.reductions.size() != 1 || factors.sums.empty())
    return std::nullopt;
  const Node &sum = *factors.reductions.front();
  const std::vector<VariableId> own = freeVariables(sum, scope_);
  for (const Node *other : factors.sums)
    for (VariableId variable : freeVariables(*other, scope_))
      if (!has(own, variable))
        return std::nullopt;
  const NodePtr rest = withFactor(node, sum, nullptr);
  const SumTreatment treatment =
      treatmentOf(*rest, {logical.targetVariables, isTargetDense(logical)}, computeType_, scope_, kernel_);
  if (!treatment.isWhole || isExact() || options_.distributes)
    return std::nullopt;
  return multiplied(whole(*rest, treatment.saves), multiplyOut(sum, Place::Factor, logical), node.where);
}

/// A product of a sum() with a sum whose addends have loops of their own: an addend's entries say where the sum() is
/// wanted, so that it is computed for each of them, at no more places than all have, if nothing else says as much.
std::optional<Products> Expander::sampledByAddend(const Node &node, const SumFactors &factors,
                                                  const LogicalStatement &logical) {
  if (factors.reductions.size() != 1 || factors.sums.size() != 1 || isExact() || options_.distributes)
    return std::nullopt;
  const Node &reduction = *factors.reductions.front(), &sum = *factors.sums.front();
  const NodePtr rest = withFactor(node, reduction, nullptr);
  if (treatmentOf(*rest, {logical.targetVariables, isTargetDense(logical)}, computeType_, scope_, kernel_).isWhole)
    return std::nullopt;
  const std::vector<VariableId> variables = freeVariables(reduction, scope_);
  const auto indicesOfMask = [&] {
    const std::optional<AccessId> mask = maskFor(variables, reduction);
    return mask ? scope_.accesses[*mask].variables.size() : 0;
  };
  const size_t usual = indicesOfMask();
  for (const Addend &addend : openAddends(sum, false))
    if (const ScopedMasks wanted(*this, *addend.node); indicesOfMask() <= usual)
      return std::nullopt;
  return eachAddend(node, sum, logical);
}

/// The one sum of a product, or of what sum() nodes around it add up, that has sum() nodes among its addends, where it
/// saves an order of cost, or an array, that these are factors beside the rest, whose sums may be taken in any order;
/// else null.
const Node *Expander::sumToOpen(const Node &product, const LogicalStatement &logical) const {
  if (const auto *negate = std::get_if<NegateNode>(&product.kind))
    return sumToOpen(*negate->operand, logical);
  if (const auto *around = std::get_if<ReduceNode>(&product.kind))
    return around->reduction == Reduction::Sum ? sumToOpen(*around->body, logical) : nullptr;
  const SumFactors factors = sumFactorsOf(product, scope_, kernel_);
  const bool isOne = factors.hasReductionsInSums && factors.sums.size() == 1 && factors.reductions.empty();
  if (!isOne || options_.strictFp || !takesParts_)
    return nullptr;
  const SumTreatment treatment =
      treatmentOf(product, {logical.targetVariables, isTargetDense(logical)}, computeType_, scope_, kernel_);
  return treatment.saves || treatment.savesArray ? factors.sums.front() : nullptr;
}

/// Each addend of a product's sum times the rest, as a product of its own.
Products Expander::eachAddend(const Node &node, const Node &sum, const LogicalStatement &logical) {
  Products products;
  for (const Addend &addend : openAddends(sum, false))
    for (Product &product : multiplyOut(*withFactor(node, sum, addend.node), Place::Factor, logical)) {
      product.negative = product.negative != addend.negative;
      products.push_back(std::move(product));
    }
  return products;
}

Products Expander::whole(const Node &node, bool isCostly) {
  Products products = single(withTemporaries(node));
  if (isCostly)
    products.front().multipliedOut = printMultipliedOut(node, scope_, kernel_);
  return products;
}

Products Expander::guardedEach(Products products, const LogicalStatement &logical) {
  for (Product &product : products)
    product.expr = guarded(std::move(product.expr), placeIn(logical));
  return products;
}

/// A product whose sum() nodes are computed before it: 0 where one of them has no entry, as each of its terms would be.
Products Expander::withSumsApart(const Node &product, Place place, const LogicalStatement &logical) {
  const bool isOfList = place == Place::Factor && &logical == main_ && listsWheres_ && !isArgument_;
  const bool outer = std::exchange(mayFillColumns_, isOfList);
  const NodePtr apart = sumsApart(product, product, WhichSums::All);
  mayFillColumns_ = outer;
  Products products = productOf(*apart, place, logical);
  const auto isColumn = [&](AccessId id) { return columns_.contains(id); };
  for (Product &one : products) {
    const bool isListed = isOfList && std::ranges::any_of(accessesOf(*one.expr), isColumn);
    one.expr = isListed ? listedWherePartsAre(*one.expr) : guarded(std::move(one.expr), placeIn(logical));
  }
  return products;
}

/// The addends of a sum, or the products of a product's factors, of which each that is a sum falls into its addends.
Products Expander::opened(const Node &node, Place place, const LogicalStatement &logical) {
  const auto &binary = std::get<BinaryNode>(node.kind);
  if (asSum(node)) {
    Products products = openedAddend(*binary.left, logical);
    Products right = openedAddend(*binary.right, logical);
    for (Product &product : right) {
      product.negative = product.negative != (binary.op == BinaryOp::Sub);
      products.push_back(std::move(product));
    }
    return products;
  }
  if (options_.strictFp)
    place = Place::Nested;
  Products left = openedFactor(*binary.left, place, logical);
  if (binary.op == BinaryOp::Div)
    return divided(std::move(left), *binary.right, node.where);
  return multiplied(std::move(left), openedFactor(*binary.right, place, logical), node.where);
}

Products Expander::openedAddend(const Node &node, const LogicalStatement &logical) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return negated(openedAddend(*negate->operand, logical));
  return asSum(node) && sparseOperand(node) ? opened(node, Place::Nested, logical)
                                            : multiplyOut(node, Place::Nested, logical);
}

Products Expander::openedFactor(const Node &node, Place place, const LogicalStatement &logical) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return negated(openedFactor(*negate->operand, place, logical));
  if (has(keptSums_, &node))
    return whole(node, false);
  const bool isOpen = std::holds_alternative<BinaryNode>(node.kind) && (!asSum(node) || sparseOperand(node));
  return isOpen ? opened(node, place, logical) : multiplyOut(node, place, logical);
}

Products Expander::multiplied(Products left, Products right, Span where) {
  if (left.size() * right.size() > kMaxTerms) {
    refuseSize(where, left.size() * right.size());
    return left;
  }
  Products result;
  for (Product &a : left) {
    for (size_t k = 0; k < right.size(); ++k) {
      // Chains of plain factors are long: copy only what is used again.
      NodePtr first = k + 1 == right.size() ? std::move(a.expr) : clone(*a.expr);
      NodePtr second = &a == &left.back() ? std::move(right[k].expr) : clone(*right[k].expr);
      Product product{a.negative != right[k].negative, nullptr, a.bound,
                      a.multipliedOut ? a.multipliedOut : right[k].multipliedOut};
      product.expr = makeNode(BinaryNode{BinaryOp::Mul, std::move(first), std::move(second)}, where);
      product.bound.insert(product.bound.end(), right[k].bound.begin(), right[k].bound.end());
      result.push_back(std::move(product));
    }
  }
  return result;
}

Products Expander::divided(Products numerators, const Node &divisor, Span where) {
  NodePtr by;
  {
    const ScopedArgument within(*this, true);
    by = withTemporaries(divisor);
  }
  for (Product &product : numerators)
    product.expr = makeNode(BinaryNode{BinaryOp::Div, std::move(product.expr), clone(*by)}, where);
  return numerators;
}

} // namespace spc::sema
