#include "sema/terms/product_cost.h"

#include "sema/terms/places.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace spc::sema {

/// Factors that are multiplied: their variables, and where they may differ from 0.
struct ProductCost::Part {
  std::set<VariableId> variables;
  MaybeDomain domain;

  void join(const Part &other) {
    variables.insert(other.variables.begin(), other.variables.end());
    domain = !domain ? other.domain : !other.domain ? domain : intersectionOf(domain, other.domain);
  }
};

namespace {

/// Whether all variables of what a domain asks are among some.
bool isOf(const AccessDomain &domain, const std::vector<VariableId> &variables, const Scope &scope) {
  if (domain.kind == DomainKind::Stored || domain.kind == DomainKind::Missing)
    return std::ranges::all_of(plainVariables(scope.accesses[domain.operand], scope),
                               [&](VariableId variable) { return has(variables, variable); });
  return std::ranges::all_of(domain.parts, [&](const AccessDomain &part) { return isOf(part, variables, scope); });
}

} // namespace

Factors asWritten(const Node &node) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return asWritten(*negate->operand);
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary || (binary->op != BinaryOp::Mul && binary->op != BinaryOp::Div))
    return {false, {&node}, {}};
  Factors product = asWritten(*binary->left);
  if (binary->op == BinaryOp::Div) {
    product.divisors.push_back(binary->right.get());
    return product;
  }
  const Factors right = asWritten(*binary->right);
  product.factors.insert(product.factors.end(), right.factors.begin(), right.factors.end());
  product.divisors.insert(product.divisors.end(), right.divisors.begin(), right.divisors.end());
  return product;
}

AccessDomain domainOf(const Node &node, ValueType type, const Scope &scope, const Kernel &kernel) {
  const Sparsity sparsity = sparsityOf(node, type, scope, kernel);
  return sparsity.fill == 0.0 && sparsity.domain ? *sparsity.domain : AccessDomain{};
}

double ProductCost::of(const Factors &product) const {
  const double apart = ofParts(product) + ofSumsIn(product);
  const std::optional<double> inTurn = ofSumsInTurn(product);
  return inTurn ? std::min(apart, *inTurn) : apart;
}

double ProductCost::ofSumsIn(const Factors &product) const {
  Part all;
  for (const Node *factor : product.factors)
    all.join(partOf(*factor));
  double cost = 0;
  for (const std::vector<const Node *> *list : {&product.factors, &product.divisors})
    for (const Node *factor : *list)
      cost += ofSumsIn(*factor, all.domain.value_or(AccessDomain{}));
  return cost;
}

/// `wanted`: where the product that has the tree is computed.
double ProductCost::ofSumsIn(const Node &node, const AccessDomain &wanted) const {
  const auto *reduction = std::get_if<ReduceNode>(&node.kind);
  if (!reduction) {
    double cost = 0;
    for (const Node *child : children(node))
      cost += ofSumsIn(*child, wanted);
    return cost;
  }
  std::vector<VariableId> variables = freeVariables(*reduction->body, scope_);
  const AccessDomain own = domainOf(*reduction->body, type_, scope_, kernel_);
  const bool isMasked = isOf(wanted, freeVariables(node, scope_), scope_);
  const AccessDomain domain = isMasked ? intersectionOf(own, wanted).value_or(own) : own;
  return placesOf(domain, variables, scope_, kernel_);
}

ProductCost::Part ProductCost::partOf(const Node &factor) const {
  const std::vector<VariableId> free = freeVariables(factor, scope_);
  return {{free.begin(), free.end()}, domainOf(factor, type_, scope_, kernel_)};
}

double ProductCost::placesOfPart(const Part &part) const {
  return placesOf(part.domain.value_or(AccessDomain{}), {part.variables.begin(), part.variables.end()}, scope_,
                  kernel_);
}

/// Factors that share variables which are summed over are computed together; the first part has those that are summed
/// over none.
double ProductCost::ofParts(const Factors &product) const {
  const auto isSummed = [&](VariableId variable) { return !targets_.contains(variable); };
  std::vector<Part> parts(1);
  const auto add = [&](Part part) {
    if (std::ranges::none_of(part.variables, isSummed))
      return parts.front().join(part);
    for (size_t k = parts.size(); k-- > 1;)
      if (std::ranges::any_of(part.variables,
                              [&](VariableId v) { return isSummed(v) && parts[k].variables.contains(v); })) {
        part.join(parts[k]);
        parts.erase(parts.begin() + static_cast<ptrdiff_t>(k));
      }
    parts.push_back(std::move(part));
  };
  for (const Node *factor : product.factors)
    add(partOf(*factor));
  for (const Node *divisor : product.divisors)
    add({partOf(*divisor).variables, std::nullopt});
  double cost = 0;
  for (const Part &part : parts)
    cost += placesOfPart(part);
  return cost;
}

/// Adds what a factor multiplies, that of its sums included; false where it has other reductions.
bool ProductCost::flatten(const Node &factor, std::vector<Part> &parts, bool &hasSum) const {
  const auto *reduction = std::get_if<ReduceNode>(&factor.kind);
  if (!reduction) {
    parts.push_back(partOf(factor));
    return !hasReduction(factor);
  }
  hasSum = true;
  const Factors body = asWritten(*reduction->body);
  return reduction->reduction == Reduction::Sum && body.divisors.empty() &&
         std::ranges::all_of(body.factors, [&](const Node *own) { return flatten(*own, parts, hasSum); });
}

/// The variables are eliminated one by one, those first whose factors have the fewest places.
std::optional<double> ProductCost::ofSumsInTurn(const Factors &product) const {
  std::vector<Part> parts;
  bool hasSum = false;
  for (const Node *factor : product.factors)
    if (!flatten(*factor, parts, hasSum))
      return std::nullopt;
  if (!hasSum || !product.divisors.empty())
    return std::nullopt;
  std::set<VariableId> sums;
  for (const Part &part : parts)
    std::ranges::copy_if(part.variables, std::inserter(sums, sums.end()),
                         [&](VariableId variable) { return !targets_.contains(variable); });
  const auto joinedOver = [&](VariableId variable) {
    Part joined;
    for (const Part &part : parts)
      if (part.variables.contains(variable))
        joined.join(part);
    return joined;
  };
  double cost = 0;
  while (!sums.empty()) {
    const VariableId next =
        *std::ranges::min_element(sums, {}, [&](VariableId variable) { return placesOfPart(joinedOver(variable)); });
    Part joined = joinedOver(next);
    cost += placesOfPart(joined);
    std::erase_if(parts, [&](const Part &part) { return part.variables.contains(next); });
    joined.variables.erase(next);
    parts.push_back({std::move(joined.variables), std::nullopt});
    sums.erase(next);
  }
  Part result;
  for (const Part &part : parts)
    result.join(part);
  return cost + placesOfPart(result);
}

} // namespace spc::sema
