#include "sema/terms/distribution.h"

#include "format/levels.h"
#include "sema/estimates.h"
#include "sema/terms/logical_plan.h"
#include "sema/terms/places.h"
#include "sema/terms/product_cost.h"
#include "sema/terms/signs.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace spc::sema {
namespace {

constexpr size_t kMostPrinted = 4; ///< products
constexpr double kAsMuch = 0.9;    ///< of a cost, that is no more by estimates

/// What multiplying out gives; nullopt where that is more than a statement may have.
std::optional<std::vector<Factors>> multipliedOut(const Node &node, const Scope &scope, const Kernel &kernel) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind)) {
    std::optional<std::vector<Factors>> products = multipliedOut(*negate->operand, scope, kernel);
    for (size_t k = 0; products && k < products->size(); ++k)
      (*products)[k].isNegative = !(*products)[k].isNegative;
    return products;
  }
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary || (asSum(node) && !hasSparse(node, scope, kernel)))
    return std::vector<Factors>{{false, {&node}, {}}};
  std::optional<std::vector<Factors>> left = multipliedOut(*binary->left, scope, kernel);
  if (left && binary->op == BinaryOp::Div) {
    for (Factors &product : *left)
      product.divisors.push_back(binary->right.get());
    return left;
  }
  const std::optional<std::vector<Factors>> right = multipliedOut(*binary->right, scope, kernel);
  if (!left || !right)
    return std::nullopt;
  std::vector<Factors> result;
  if (asSum(node)) {
    result = std::move(*left);
    for (const Factors &product : *right) {
      result.push_back(product);
      result.back().isNegative = product.isNegative != (binary->op == BinaryOp::Sub);
    }
  } else {
    for (const Factors &a : *left)
      for (const Factors &b : *right) {
        result.push_back(a);
        result.back().isNegative = a.isNegative != b.isNegative;
        result.back().factors.insert(result.back().factors.end(), b.factors.begin(), b.factors.end());
        result.back().divisors.insert(result.back().divisors.end(), b.divisors.begin(), b.divisors.end());
      }
  }
  return result.size() <= kMaxTerms ? std::optional(std::move(result)) : std::nullopt;
}

/// Whether the sparse operands of a tree can be walked together as they are stored.
bool mergesInPlace(const Node &node, const Scope &scope, const Kernel &kernel) {
  if (isUnevenSum(node, scope, kernel))
    return false;
  std::vector<std::pair<VariableId, VariableId>> orders; ///< the first one's loop goes around the second one's
  std::set<VariableId> waiting;
  for (AccessId id : accessesBesideReductions(node)) {
    const Access &access = scope.accesses[id];
    const format::Format &format = kernel.tensors[access.tensor].format;
    if (format.isDense() || hasDerived(access, scope))
      continue;
    if (!format::isElementwise(format) || format::hasPadding(format))
      return false;
    for (size_t k = 0; k < format.levels.size(); ++k) {
      if (!format.levels[k].ordered)
        return false;
      waiting.insert(access.variables[static_cast<size_t>(format.levels[k].dim)]);
      if (k > 0)
        orders.emplace_back(access.variables[static_cast<size_t>(format.levels[k - 1].dim)],
                            access.variables[static_cast<size_t>(format.levels[k].dim)]);
    }
  }
  const auto isOutermost = [&](VariableId variable) {
    return std::none_of(orders.begin(), orders.end(),
                        [&](const auto &order) { return order.second == variable && waiting.contains(order.first); });
  };
  while (!waiting.empty()) {
    const auto next = std::find_if(waiting.begin(), waiting.end(), isOutermost);
    if (next == waiting.end())
      return false;
    waiting.erase(next);
  }
  return true;
}

/// Whether one addend of a sum at most holds operands that loops walk, all others being 0 but where indices are equal:
/// these are a step for each row, which a merge with the other's entries would ask for at each of them.
bool isBesideTies(const Node &sum, const Scope &scope, const Kernel &kernel) {
  size_t others = 0, tied = 0;
  for (const Addend &addend : openAddends(sum, false)) {
    const std::vector<AccessId> accesses = accessesBesideReductions(*addend.node);
    const bool isTied = std::any_of(accesses.begin(), accesses.end(),
                                    [&](AccessId id) { return kernel.tensors[scope.accesses[id].tensor].is<Tie>(); });
    ++(isTied ? tied : others);
  }
  return tied > 0 && others <= 1;
}

void collectSumFactors(const Node &node, const Scope &scope, const Kernel &kernel, SumFactors &found) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return collectSumFactors(*negate->operand, scope, kernel, found);
  if (const auto *reduction = std::get_if<ReduceNode>(&node.kind)) {
    if (reduction->reduction != Reduction::Sum)
      return;
    found.reductions.push_back(&node);
    const SumFactors own = sumFactorsOf(*reduction->body, scope, kernel);
    found.hasReductionsInSums = found.hasReductionsInSums || own.hasReductionsInSums;
    return;
  }
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary)
    return;
  if (asSum(node)) {
    if (hasSparse(node, scope, kernel))
      found.sums.push_back(&node);
    for (const Addend &addend : openAddends(node, false)) {
      const SumFactors own = sumFactorsOf(*addend.node, scope, kernel);
      found.hasReductionsInSums = found.hasReductionsInSums || own.hasReductionsInSums || !own.reductions.empty();
    }
    return;
  }
  collectSumFactors(*binary->left, scope, kernel, found);
  if (binary->op == BinaryOp::Mul)
    collectSumFactors(*binary->right, scope, kernel, found);
}

/// What saves by multiplying out a product's one sum: the product of that and of what is added up with it. What a sum
/// of its own is, or has no variable that is summed over, is computed once, or with the result, either way.
NodePtr partOfSum(const Node &node, const Node *sum, const std::vector<VariableId> &targets, const Scope &scope) {
  const Factors product = asWritten(node);
  std::set<VariableId> joined;
  const auto summedIn = [&](const Node &factor) {
    std::vector<VariableId> variables = freeVariables(factor, scope);
    std::erase_if(variables, [&](VariableId variable) { return has(targets, variable); });
    return variables;
  };
  const std::vector<VariableId> own = summedIn(*sum);
  joined.insert(own.begin(), own.end());
  const auto isJoined = [&](const Node &factor) {
    const std::vector<VariableId> variables = summedIn(factor);
    return variables.empty() ? own.empty()
                             : std::ranges::any_of(variables, [&](VariableId v) { return joined.contains(v); });
  };
  for (size_t before = 0; before != joined.size();) {
    before = joined.size();
    for (const std::vector<const Node *> *list : {&product.factors, &product.divisors})
      for (const Node *factor : *list)
        if (isJoined(*factor))
          std::ranges::copy(summedIn(*factor), std::inserter(joined, joined.end()));
  }
  NodePtr part = clone(*sum);
  for (const Node *factor : product.factors)
    if (factor != sum && isJoined(*factor))
      part = makeBinary(BinaryOp::Mul, std::move(part), clone(*factor));
  for (const Node *divisor : product.divisors)
    if (isJoined(*divisor))
      part = makeBinary(BinaryOp::Div, std::move(part), clone(*divisor));
  return part;
}

/// How many times the cost of what multiplying out gives the product takes as it is written; 0 where that is long.
double savingOf(const Node &node, const DistributionTarget &target, ValueType type, const Scope &scope,
                const Kernel &kernel) {
  const auto products = multipliedOut(node, scope, kernel);
  if (!products)
    return 0;
  // What of a dense target the product has is gone through anyway.
  const std::vector<VariableId> free = freeVariables(node, scope);
  std::vector<VariableId> written = target.variables;
  std::erase_if(written, [&](VariableId variable) { return !has(free, variable); });
  double apart = target.isDense ? placesOf({}, written, scope, kernel) : 0;
  double whole = apart + placesOf(domainOf(node, type, scope, kernel), free, scope, kernel);
  const ProductCost cost(target.variables, type, scope, kernel);
  for (const Factors &product : *products) {
    whole += cost.ofSumsIn(product);
    apart += cost.of(product);
  }
  return whole / apart;
}

/// Whether a tree has a sum(...) as a factor that no operand in it has all indices of.
bool hasSpreadSum(const Node &node, const Scope &scope) {
  if (!std::holds_alternative<ReduceNode>(node.kind)) {
    const std::vector<const Node *> below = children(node);
    return !std::holds_alternative<CallNode>(node.kind) &&
           std::ranges::any_of(below, [&](const Node *child) { return hasSpreadSum(*child, scope); });
  }
  const std::vector<VariableId> free = freeVariables(node, scope);
  const std::vector<AccessId> accesses = accessesOf(node);
  return std::ranges::none_of(accesses, [&](AccessId id) {
    const std::vector<VariableId> own = plainVariables(scope.accesses[id], scope);
    return std::ranges::all_of(free, [&](VariableId variable) { return has(own, variable); });
  });
}

} // namespace

SumFactors sumFactorsOf(const Node &product, const Scope &scope, const Kernel &kernel) {
  SumFactors found;
  collectSumFactors(product, scope, kernel, found);
  return found;
}

bool cannotCancel(const std::vector<const Node *> &sums, const Scope &scope, const Kernel &kernel) {
  return std::all_of(sums.begin(), sums.end(),
                     [&](const Node *sum) { return signOf(*sum, scope, kernel) != Sign::Unknown; });
}

SumTreatment treatmentOf(const Node &node, const DistributionTarget &target, ValueType type, const Scope &scope,
                         const Kernel &kernel) {
  SumTreatment result;
  const std::vector<const Node *> sums = sumFactorsOf(node, scope, kernel).sums;
  const NodePtr part = sums.size() == 1 ? partOfSum(node, sums.front(), target.variables, scope) : nullptr;
  const double saving = savingOf(part ? *part : node, target, type, scope, kernel);
  result.saves = saving > kOrderOfCost;
  result.savesArray =
      saving > kAsMuch && hasSpreadSum(node, scope) && isEverywhere(domainOf(node, type, scope, kernel));
  const auto staysFactor = [&](const Node *sum) { return mergesInPlace(*sum, scope, kernel); };
  if (sums.size() == 1) {
    result.isWhole =
        !result.saves && staysFactor(sums.front()) && !(target.isDense && isBesideTies(*sums.front(), scope, kernel));
    return result;
  }
  if (!isFloat(type) || !cannotCancel(sums, scope, kernel))
    return result;
  if (!result.saves)
    std::ranges::copy_if(sums, std::back_inserter(result.kept), staysFactor);
  result.isWhole = result.kept.size() == sums.size();
  return result;
}

std::string printMultipliedOut(const Node &node, const Scope &scope, const Kernel &kernel) {
  const auto products = multipliedOut(node, scope, kernel);
  if (!products || products->size() > kMostPrinted)
    return "";
  NodePtr sum;
  for (const Factors &product : *products) {
    NodePtr value;
    for (const Node *factor : product.factors)
      value = value ? makeBinary(BinaryOp::Mul, std::move(value), clone(*factor)) : clone(*factor);
    for (const Node *divisor : product.divisors)
      value = makeBinary(BinaryOp::Div, std::move(value), clone(*divisor));
    if (!sum)
      sum = product.isNegative ? makeNode(NegateNode{std::move(value)}, node.where) : std::move(value);
    else
      sum = makeBinary(product.isNegative ? BinaryOp::Sub : BinaryOp::Add, std::move(sum), std::move(value));
  }
  return print(*sum, scope, kernel);
}

} // namespace spc::sema
