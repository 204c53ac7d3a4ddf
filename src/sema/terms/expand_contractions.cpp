// Products of several factors: sums over some indices are taken before others, in temporaries, where that takes fewer
// steps.
#include "sema/cost.h"
#include "sema/expression_types.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/contraction_space.h"
#include "sema/terms/domains.h"
#include "sema/terms/expander.h"
#include "sema/terms/places.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace spc::sema {
namespace {

/// Adds the variables that reductions within a value run over.
void addBound(const Node &value, std::vector<VariableId> &variables) {
  if (const auto *reduction = std::get_if<ReduceNode>(&value.kind))
    variables.insert(variables.end(), reduction->variables.begin(), reduction->variables.end());
  for (const Node *child : children(value))
    addBound(*child, variables);
}

/// Whether a value is neither infinite nor NaN whatever operands hold.
bool isSurelyFinite(const Node &node, const Scope &scope, const Kernel &kernel) {
  if (const auto *number = std::get_if<NumberNode>(&node.kind))
    return std::isfinite(number->value);
  const auto *call = std::get_if<CallNode>(&node.kind);
  if (call && call->function == Function::Pattern)
    return true;
  const std::optional<ValueType> type = typeOf(node, scope, kernel);
  return type && !isFloat(*type) && !isComplex(*type);
}

} // namespace

/// A product taken apart: what is multiplied, and what that is divided by.
struct Expander::Factors {
  struct Factor {
    const Node *node;
    bool isDivisor;
  };
  const Node *product;
  std::vector<Factor> list;
  bool isNegative = false;
  std::vector<Sparsity> sparsities = {};

  bool isSparse(size_t k) const {
    return !list[k].isDivisor && sparsities[k].fill == 0.0 && !isEverywhere(sparsities[k].domain);
  }
};

void Expander::collectFactors(const Node &node, bool isDivisor, Factors &factors) const {
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (const auto *negate = std::get_if<NegateNode>(&node.kind); negate && !isDivisor) {
    factors.isNegative = !factors.isNegative;
    return collectFactors(*negate->operand, false, factors);
  }
  if (!binary || asSum(node) || (isDivisor && binary->op != BinaryOp::Mul)) {
    factors.list.push_back({&node, isDivisor});
    return;
  }
  collectFactors(*binary->left, isDivisor, factors);
  collectFactors(*binary->right, isDivisor || binary->op == BinaryOp::Div, factors);
}

/// Whether the order in which the sums of a product are taken may be chosen.
bool Expander::mayContract(const Factors &factors, const LogicalTerm &term) const {
  const auto isNowhere = [](const Sparsity &sparsity) { return sparsity.fill == 0.0 && !sparsity.domain; };
  return takesParts_ && computeType_ != ValueType::Bool && !factors.list.empty() && !term.reductions.empty() &&
         isReorderable(*factors.product, scope_, kernel_) &&
         std::none_of(factors.sparsities.begin(), factors.sparsities.end(), isNowhere);
}

ContractedProduct Expander::contractedProduct(const Factors &factors, const LogicalTerm &term,
                                              const LogicalStatement &logical) const {
  ContractedProduct product;
  ContractionSpace &space = product.space;
  space.targets = logical.targetVariables;
  for (VariableId variable : term.reductions)
    if (!has(space.sums, variable))
      space.sums.push_back(variable);
  for (const std::vector<VariableId> *list : {&space.targets, &space.sums})
    for (VariableId variable : *list) {
      space.extents[variable] = extentEstimate(variable, scope_, kernel_);
      const ExtentId extent = scope_.variables[variable].extent;
      if (!kernel_.extents[extent].fixed)
        product.extents[variable] = extent;
    }
  for (size_t k = 0; k < factors.list.size(); ++k) {
    const Node &node = *factors.list[k].node;
    ContractionFactor factor{.variables = freeVariables(node, scope_), .isSparse = factors.isSparse(k)};
    const AccessDomain domain = factor.isSparse ? *factors.sparsities[k].domain : AccessDomain{};
    factor.entries = placesOf(domain, factor.variables, scope_, kernel_);
    const std::optional<AccessId> operand = operandOf(node);
    factor.isMask = operand && factor.isSparse && mayMask(*operand) &&
                    !(mayTakePattern(*operand, logical) && readsElsewhere(*factors.product, *operand));
    const bool isPattern = operand && std::holds_alternative<CallNode>(node.kind);
    factor.label =
        operand ? 2 * static_cast<int>(scope_.accesses[*operand].tensor.index()) + isPattern : -1 - static_cast<int>(k);
    if (operand && factor.isSparse)
      factor.levels = levelsOf(*operand, scope_, kernel_);
    factor.stored = storedIn(node, scope_, kernel_);
    const bool isSummed =
        std::ranges::none_of(factor.variables, [&](VariableId one) { return has(space.targets, one); });
    factor.mayBeFilled =
        !factors.list[k].isDivisor && isTargetDense(*main_) && (isGivenDense_ || isSummed || !factor.isMask);
    factor.isTie = operand && kernel_.tensors[scope_.accesses[*operand].tensor].is<Tie>();
    const bool varies = operand && factor.isSparse && !factor.isTie;
    product.tensors.push_back(varies ? std::optional(entriesOwner(kernel_, scope_.accesses[*operand].tensor))
                                     : std::nullopt);
    std::copy_if(factor.variables.begin(), factor.variables.end(), std::back_inserter(factor.strided),
                 [&](VariableId variable) { return isStrided(node, variable, scope_, kernel_); });
    if (!factors.list[k].isDivisor && factor.stored.empty())
      noteCalls(node, scope_, factor);
    space.factors.push_back(std::move(factor));
  }
  space.mayFill = isTargetDense(*main_) || (&logical == main_ && willShare(factors, logical));
  space.listsPlaces = !space.mayFill && &logical == main_ && listsWheres_;
  if (const format::Format &target = kernel_.tensors[main_->target].format; !space.mayFill && &logical == main_)
    space.row = logical.targetVariables[static_cast<size_t>(target.levels.front().dim)];
  space.asks = !contractions_.trusts;
  return product;
}

/// Whether a sparse target has the pattern of the one sparse factor, whatever else is multiplied: it is stored alike.
/// Or it has that of a factor already, by an earlier statement.
bool Expander::willShare(const Factors &factors, const LogicalStatement &logical) const {
  const SharedWith *shared = kernel_.tensors[logical.target].shared();
  if (shared && std::ranges::any_of(factors.list, [&](const Factors::Factor &factor) {
        const std::optional<AccessId> operand = factor.isDivisor ? std::nullopt : operandOf(*factor.node);
        return operand && mayMask(*operand) && scope_.accesses[*operand].variables == logical.targetVariables &&
               structureOwner(kernel_, scope_.accesses[*operand].tensor) == shared->owner;
      }))
    return true;
  std::optional<AccessId> only;
  for (size_t k = 0; k < factors.list.size(); ++k)
    if (factors.isSparse(k)) {
      const std::optional<AccessId> operand = operandOf(*factors.list[k].node);
      if (only || !operand || !mayMask(*operand))
        return false;
      only = operand;
    }
  const std::vector<VariableId> &targets = logical.targetVariables;
  if (!only || logical.accumulates || scope_.accesses[*only].variables.size() != targets.size())
    return false;
  const Access &access = scope_.accesses[*only];
  const format::Format &target = kernel_.tensors[logical.target].format;
  return std::is_permutation(targets.begin(), targets.end(), access.variables.begin()) &&
         formatFrom(kernel_, patternOf(access, targets), target.order()).sameStorage(target);
}

/// Takes the sums of a term in the order that costs least.
void Expander::contract(LogicalTerm &term, const LogicalStatement &logical) {
  // Parts of what has no entries would have none either.
  if (const MaybeDomain domain = sparsityOf(*term.expr, computeType_, scope_, kernel_).domain;
      domain && isNowhere(*domain))
    return;
  Factors factors{term.expr.get(), {}};
  collectFactors(*term.expr, false, factors);
  for (const Factors::Factor &factor : factors.list)
    factors.sparsities.push_back(sparsityOf(*factor.node, computeType_, scope_, kernel_));
  if (!mayContract(factors, term))
    return;
  contractions_.products.push_back(contractedProduct(factors, term, logical));
  const bool lists = contractions_.products.back().space.listsPlaces;
  const std::optional<Contraction> plan =
      cheapestContraction(scaled(contractions_.products.back(), contractions_.scenario));
  if (!plan)
    return;
  term.written = std::make_shared<const WrittenTerm>(WrittenTerm{clone(*term.expr), term.reductions});
  const NodePtr nest = nestOf(*plan, factors, lists || logical.asksForEntries);
  if (isTold(*nest))
    term.toldBy = conditionOf(*nest);
  NodePtr expr = lists ? listedWherePartsAre(*nest) : guardedBeforeParts(*nest);
  if (factors.isNegative)
    expr = makeNode(NegateNode{std::move(expr)}, term.where);
  term.expr = std::move(expr);
  std::copy_if(term.reductions.begin(), term.reductions.end(), std::back_inserter(term.partSums),
               [&](VariableId variable) { return !has(plan->sums, variable); });
  term.reductions = plan->sums;
}

/// The factors of a nest, with temporaries in place of its parts. `asks`: it matters whether there are any entries.
NodePtr Expander::nestOf(const Contraction &plan, const Factors &factors, bool asks) {
  std::vector<const Node *> kept;
  for (size_t k : plan.factors)
    kept.push_back(factors.list[k].node);
  NodePtr product = withFactors(*factors.product, kept);
  for (const Contraction &part : plan.parts) {
    const bool isAsked = asks || part.along || !isAlwaysZero(part, plan, factors);
    const AccessId access = partOf(part, factors, isAsked && !isImplied(part, plan, factors));
    NodePtr value = makeNode(AccessNode{access}, factors.product->where);
    if (part.along && presences_.contains(access))
      value = makeBinary(BinaryOp::Mul, allAlong(*part.along, presences_.extract(access).mapped()), std::move(value));
    product = product ? makeBinary(BinaryOp::Mul, std::move(product), std::move(value)) : std::move(value);
  }
  return product ? std::move(product) : makeNode(NumberNode{1, "1"}, factors.product->where);
}

/// A product of some of its factors, in its own order; null where there are none.
NodePtr Expander::withFactors(const Node &node, const std::vector<const Node *> &kept) const {
  if (std::find(kept.begin(), kept.end(), &node) != kept.end())
    return clone(node);
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return withFactors(*negate->operand, kept);
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary || asSum(node))
    return nullptr;
  NodePtr left = withFactors(*binary->left, kept), right = withFactors(*binary->right, kept);
  if (right && binary->op == BinaryOp::Div && !left)
    left = makeNode(NumberNode{1, "1"}, node.where);
  if (!left || !right)
    return left ? std::move(left) : std::move(right);
  return makeNode(BinaryNode{binary->op, std::move(left), std::move(right)}, node.where);
}

/// Whether a nest is 0 where a part of it is for want of entries: what else it multiplies is finite.
bool Expander::isAlwaysZero(const Contraction &part, const Contraction &nest, const Factors &factors) const {
  return isExact() ||
         (nest.parts.size() == 1 && &nest.parts.front() == &part &&
          std::all_of(nest.factors.begin(), nest.factors.end(),
                      [&](size_t k) {
                        return !factors.list[k].isDivisor && isSurelyFinite(*factors.list[k].node, scope_, kernel_);
                      })) ||
         isTrusted();
}

/// Whether a part has entries wherever a factor beside it has: its one sparse factor is the same operand, at the same
/// place in all dimensions that it is not added up over.
bool Expander::isImplied(const Contraction &part, const Contraction &nest, const Factors &factors) const {
  std::vector<size_t> sparse;
  std::copy_if(part.factors.begin(), part.factors.end(), std::back_inserter(sparse),
               [&](size_t k) { return factors.isSparse(k); });
  const std::optional<AccessId> own = sparse.size() == 1 ? operandOf(*factors.list[sparse.front()].node) : std::nullopt;
  if (!own || !part.parts.empty())
    return false;
  const Access &access = scope_.accesses[*own];
  return std::any_of(nest.factors.begin(), nest.factors.end(), [&](size_t k) {
    const std::optional<AccessId> id = factors.isSparse(k) ? operandOf(*factors.list[k].node) : std::nullopt;
    if (!id || structureOwner(kernel_, scope_.accesses[*id].tensor) != structureOwner(kernel_, access.tensor))
      return false;
    const Access &other = scope_.accesses[*id];
    for (size_t dim = 0; dim < access.variables.size(); ++dim)
      if (has(part.variables, access.variables[dim]) && other.variables[dim] != access.variables[dim])
        return false;
    return true;
  });
}

/// The variables of a part in the order of `wanted`, but those of an operand's outer levels before those of its inner
/// ones: loops come to them so.
std::vector<VariableId> Expander::inOrderOf(const Node &product, const std::vector<VariableId> &variables,
                                            const std::vector<VariableId> &wanted) const {
  std::vector<std::pair<VariableId, VariableId>> around; ///< of an operand's neighbouring levels
  for (AccessId id : accessesOf(product)) {
    const Access &access = scope_.accesses[id];
    const format::Format &format = kernel_.tensors[access.tensor].format;
    for (size_t k = 1; !format.isDense() && k < format.levels.size(); ++k)
      around.emplace_back(access.variables[static_cast<size_t>(format.levels[k - 1].dim)],
                          access.variables[static_cast<size_t>(format.levels[k].dim)]);
  }
  std::vector<VariableId> seen, ordered;
  const auto add = [&](VariableId variable, const auto &again) -> void {
    if (has(seen, variable))
      return;
    seen.push_back(variable);
    for (const auto &[outer, inner] : around)
      if (inner == variable)
        again(outer, again);
    if (has(variables, variable))
      ordered.push_back(variable);
  };
  for (VariableId variable : wanted)
    add(variable, add);
  return ordered;
}

/// The variables of an array in the order of its dimensions: those that sparse operands list first, so that loops over
/// dense ones are inside of theirs, then as it is read.
std::vector<VariableId> Expander::asStored(const Node &product, std::vector<VariableId> variables) const {
  const std::vector<AccessId> accesses = accessesOf(product);
  std::stable_partition(variables.begin(), variables.end(), [&](VariableId variable) {
    return std::any_of(accesses.begin(), accesses.end(),
                       [&](AccessId id) { return isSparse(id) && has(scope_.accesses[id].variables, variable); });
  });
  return inOrderOf(product, variables, variables);
}

/// The text of a part, or of a sum, the same for all that differ by the names of variables alone, which run over the
/// same extents: a sum of numbers reads nothing that says so.
std::string Expander::textOf(const Node &value, const std::vector<VariableId> &variables,
                             const std::optional<AccessId> &mask) const {
  Scope named = scope_;
  int number = 0;
  const auto rename = [&](VariableId variable, const char *kind) {
    Variable &one = named.variables[variable];
    one.name = kind + std::to_string(number++) + ":" + std::to_string(one.extent.index());
  };
  for (VariableId variable : variables)
    rename(variable, "#");
  std::vector<VariableId> others = freeVariables(value, scope_);
  addBound(value, others);
  for (VariableId variable : others)
    if (!has(variables, variable))
      rename(variable, "%");
  std::string text = std::string(spelling(computeType_)) + " " + print(value, named, kernel_);
  if (mask)
    text += " where " + print(*makeNode(AccessNode{*mask}, value.where), named, kernel_);
  return text;
}

LogicalStatement Expander::partStatement(std::vector<VariableId> variables, ValueType type, Span where) const {
  LogicalStatement part;
  part.statement = statement_;
  part.targetVariables = std::move(variables);
  part.computeType = type;
  part.where = where;
  part.isPart = true;
  return part;
}

/// What stands for a part: the temporary of an equal one, else a new one.
AccessId Expander::partOf(const Contraction &plan, const Factors &factors, bool asks) {
  const bool lists = plan.isListed && listsWheres_;
  NodePtr product = nestOf(plan, factors, lists || asks);
  const std::optional<AccessId> mask = plan.mask ? operandOf(*factors.list[*plan.mask].node) : std::nullopt;
  const std::vector<VariableId> variables = inOrderOf(*product, plan.variables, freeVariables(*product, scope_));
  const Span where = factors.product->where;
  NodePtr condition = asks && !plan.isListed ? conditionOf(*product) : nullptr;
  contractions_.asks |= condition != nullptr;
  std::string text = textOf(*product, variables, mask);
  for (VariableId variable : plan.sums)
    if (!has(variables, variable)) // nothing in the product tells how often it is added up
      text += " over " + std::to_string(scope_.variables[variable].extent.index());
  auto known = partsApart_.find(text);
  if (known == partsApart_.end()) {
    const bool isArray = !mask && !plan.isListed;
    const std::vector<VariableId> &asRead = plan.isListed ? plan.variables : variables;
    const std::vector<VariableId> stored = isArray ? asStored(*product, plan.variables) : asRead;
    LogicalStatement value = partStatement(stored, typeOfTemporary(*product), where);
    value.terms.push_back(
        {lists ? listedWherePartsAre(*product) : guardedBeforeParts(*product), plan.sums, false, where});
    const AccessId access = addSumApart(std::move(value), mask, plan.isListed);
    PartApart part{scope_.accesses[access].tensor, {}, std::nullopt, std::nullopt};
    for (VariableId variable : stored)
      part.layout.push_back(
          static_cast<size_t>(std::find(variables.begin(), variables.end(), variable) - variables.begin()));
    known = partsApart_.emplace(text, std::move(part)).first;
    if (plan.isListed && hasDenseRoot(*product, stored.front()))
      kernel_.tensors[known->second.value].format = plainFormat(kernel_.tensors[known->second.value].format, false);
  }
  std::get<Temporary>(kernel_.tensors[known->second.value].role).mayLack |=
      !condition && !plan.isListed && isPartial(*product);
  Access read{known->second.value, {}, {}, where};
  for (size_t place : known->second.layout)
    read.variables.push_back(variables[place]);
  const AccessId value = scope_.intern(std::move(read));
  return condition ? withPresence(known->second, value, std::move(condition), plan) : value;
}

/// A part with what tells where it has entries, which is where `condition` holds anywhere that is summed over: a bool,
/// or in its place a mark in a copy of the part. Parts with the pattern of a mask are missing nowhere.
AccessId Expander::withPresence(PartApart &part, AccessId value, NodePtr condition, const Contraction &plan) {
  const std::vector<VariableId> variables = scope_.accesses[value].variables;
  const Span where = scope_.accesses[value].where;
  if (!part.presence) {
    // It is over those variables alone on which it depends.
    const std::vector<VariableId> free = freeVariables(*condition, scope_);
    const auto isFree = [&](VariableId variable) { return has(free, variable); };
    LogicalStatement presence = partStatement({}, ValueType::Bool, where);
    std::copy_if(variables.begin(), variables.end(), std::back_inserter(presence.targetVariables), isFree);
    std::vector<VariableId> sums;
    std::copy_if(plan.sums.begin(), plan.sums.end(), std::back_inserter(sums), isFree);
    presence.terms.push_back({std::move(condition), std::move(sums), false, where});
    const bool isWhole = presence.targetVariables.size() == variables.size();
    const AccessId access = addSumApart(std::move(presence), std::nullopt, false);
    part.presence = PartPresence{scope_.accesses[access].tensor, {}};
    for (VariableId variable : scope_.accesses[access].variables)
      part.presence->places.push_back(placeOf(variable, variables));
    if (isWhole && variables.size() == 1 && (computeType_ == ValueType::F64 || computeType_ == ValueType::F32))
      part.marked = addMarked(value, access);
  }
  if (part.marked) {
    const AccessId marked = scope_.intern({*part.marked, variables, {}, where});
    marked_.insert(marked);
    return marked;
  }
  Access presence{part.presence->tensor, {}, {}, where};
  for (size_t place : part.presence->places)
    presence.variables.push_back(variables[place]);
  presences_[value] = scope_.intern(std::move(presence));
  return value;
}

} // namespace spc::sema
