// Products of which several factors are sums: each sum() is computed before the product.
#include "format/levels.h"
#include "sema/equations.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/expander.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spc::sema {
namespace {

NodePtr call(Function function, NodePtr a, NodePtr b = nullptr, NodePtr c = nullptr) {
  const Span where = a->where;
  CallNode call{function, ValueType::Bool, {}};
  for (NodePtr *argument : {&a, &b, &c})
    if (*argument)
      call.arguments.push_back(std::move(*argument));
  return makeNode(std::move(call), where);
}

/// The factors of a product; nullopt where it is divided by what may be 0, or no number.
std::optional<std::vector<const Node *>> numerators(const Node &product) {
  if (const auto *negate = std::get_if<NegateNode>(&product.kind))
    return numerators(*negate->operand);
  const auto *binary = std::get_if<BinaryNode>(&product.kind);
  if (!binary || asSum(product))
    return std::vector<const Node *>{&product};
  std::optional<std::vector<const Node *>> all = numerators(*binary->left);
  if (binary->op == BinaryOp::Div)
    return isPlainDivisor(*binary->right) ? all : std::nullopt;
  const std::optional<std::vector<const Node *>> others = numerators(*binary->right);
  if (!all || !others)
    return std::nullopt;
  all->insert(all->end(), others->begin(), others->end());
  return all;
}

} // namespace

bool holdsSum(const Node &node) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return holdsSum(*negate->operand);
  if (const auto *binary = std::get_if<BinaryNode>(&node.kind))
    return holdsSum(*binary->left) || (binary->op != BinaryOp::Div && holdsSum(*binary->right));
  if (const auto *call = std::get_if<CallNode>(&node.kind))
    return call->function == Function::Where && holdsSum(*call->arguments[1]);
  const auto *reduction = std::get_if<ReduceNode>(&node.kind);
  return reduction && reduction->reduction == Reduction::Sum;
}

/// Whether a product has factors beside one sum(), or beside one that adds some up, which might make something else of
/// its 0 where it has no entries. Equal sums are 0 together.
bool Expander::mayUndoZero(const Node &product) const {
  if (asSum(product)) {
    const std::vector<Addend> addends = openAddends(product, false);
    return !holdsSum(product) || std::any_of(addends.begin(), addends.end(), [&](const Addend &addend) {
      return holdsSum(*addend.node) && mayUndoZero(*addend.node);
    });
  }
  std::optional<std::vector<const Node *>> factors = numerators(product);
  if (!factors)
    return true;
  std::erase_if(*factors, [](const Node *factor) { return isPlainNumber(*factor); });
  if (factors->empty())
    return true;
  const Node &first = *factors->front();
  const std::string text = print(first, scope_, kernel_);
  if (!std::all_of(factors->begin(), factors->end(),
                   [&](const Node *factor) { return factor == &first || print(*factor, scope_, kernel_) == text; }))
    return true;
  return asSum(first) ? mayUndoZero(first) : !std::holds_alternative<ReduceNode>(first.kind);
}

/// `node`, which is part of `product` or all of it, with temporaries in place of its sum() nodes, or only of those that
/// are addends.
NodePtr Expander::sumsApart(const Node &node, const Node &product, WhichSums which) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return makeNode(NegateNode{sumsApart(*negate->operand, product, which)}, node.where);
  if (const auto *reduction = std::get_if<ReduceNode>(&node.kind);
      reduction && reduction->reduction == Reduction::Sum) {
    if (which == WhichSums::Addends)
      return makeNode(ReduceNode{Reduction::Sum, reduction->variables, sumsApart(*reduction->body, product, which)},
                      node.where);
    if (!mayBeTemporary(node, freeVariables(node, scope_)))
      return makeNode(NumberNode{0, "0"}, node.where);
    const AccessId value = sumApart(node, product).value;
    summedApart_.emplace(value, reduction->variables);
    return makeNode(AccessNode{value}, node.where);
  }
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary || !holdsSum(node))
    return clone(node);
  if (asSum(node))
    which = WhichSums::All;
  NodePtr left = sumsApart(*binary->left, product, which);
  NodePtr right = binary->op == BinaryOp::Div ? clone(*binary->right) : sumsApart(*binary->right, product, which);
  return makeNode(BinaryNode{binary->op, std::move(left), std::move(right)}, node.where);
}

/// The variables over which the factors of a product that are computed apart are summed.
std::vector<VariableId> Expander::sumsOfFactors(const Node &product) const {
  if (const auto *negate = std::get_if<NegateNode>(&product.kind))
    return sumsOfFactors(*negate->operand);
  if (const auto *use = std::get_if<AccessNode>(&product.kind)) {
    const auto known = summedApart_.find(use->access);
    return known == summedApart_.end() ? std::vector<VariableId>() : known->second;
  }
  if (conditionOfChoice(product)) // of one that is 0 elsewhere
    return sumsOfFactors(*std::get<CallNode>(product.kind).arguments[1]);
  const auto *binary = std::get_if<BinaryNode>(&product.kind);
  if (!binary || asSum(product))
    return {};
  std::vector<VariableId> sums = sumsOfFactors(*binary->left);
  if (binary->op == BinaryOp::Mul)
    for (VariableId variable : sumsOfFactors(*binary->right))
      sums.push_back(variable);
  return sums;
}

/// Whether places where a sum without entries leaves a term without any are no entries of the target.
bool Expander::tellsEntries() const {
  return kernel_.tensors[main_->target].isAssembled() && !isArgument_;
}

/// The product with temporaries in place of the sum() nodes that are addends of its factors, or of what these add up,
/// where it has to be told whether they have entries; null where there are none.
NodePtr Expander::addendsApart(const Node &product) {
  if (asSum(product) || !sumFactorsOf(product, scope_, kernel_).hasReductionsInSums)
    return nullptr;
  if (!tellsEntries() && (isExact() || !mayUndoZero(product))) {
    choosesEntries_ = true;
    return nullptr;
  }
  return sumsApart(product, product, WhichSums::Addends);
}

/// A sum that is computed apart already, over other variables perhaps, at those of `apart`; nullopt where none is.
std::optional<Expander::SumApart> Expander::knownSum(const SumApart &apart) {
  const auto known = std::find_if(sumsApart_.begin(), sumsApart_.end(), [&](const SumApart &other) {
    return other.text == apart.text && other.asksForPresence == apart.asksForPresence;
  });
  if (known == sumsApart_.end())
    return std::nullopt;
  const auto here = [&](AccessId id) {
    Access access = scope_.accesses[id];
    for (VariableId &variable : access.variables)
      variable = apart.variables[static_cast<size_t>(
          std::find(known->variables.begin(), known->variables.end(), variable) - known->variables.begin())];
    return scope_.intern(std::move(access));
  };
  SumApart same = apart;
  same.value = here(known->value);
  if (same.value != known->value && (presences_.contains(known->value) || presencesAsked_.contains(known->value)))
    presences_.emplace(same.value, here(presenceAt(known->value)));
  return same;
}

/// The temporary that stands for a sum: the one that is there for the same sum, else a new one.
Expander::SumApart Expander::sumApart(const Node &sum, const Node &product) {
  LogicalStatement logical = statementFor(sum);
  logical.isApart = true;
  const std::optional<AccessId> mask = maskFor(logical.targetVariables, sum);
  const bool isVector = mayFillColumns_ && isAlongColumns(logical, product);
  SumApart apart{textOf(sum, logical.targetVariables, mask) + (isVector ? " along columns" : ""),
                 logical.targetVariables,
                 isVector || tellsEntries() || (!isExact() && mayUndoZero(product)),
                 {}};
  if (std::optional<SumApart> known = knownSum(apart))
    return *std::move(known);
  const bool isAsked = apart.asksForPresence && (isVector || !isTrusted());
  logical.asksForEntries = isAsked;
  {
    const ScopedArgument within(*this, false);
    const ScopedMasks wanted(*this, mask);
    addTerms({&sum, false}, logical);
  }
  std::optional<LogicalStatement> presence = presenceOf(logical);
  const bool isListed = presence && !isTargetDense(*main_) && !logical.targetVariables.empty() && !isVector;
  apart.value = addSumApart(std::move(logical), mask, isListed);
  if (isVector)
    columns_.insert(apart.value);
  const bool asks = presence && !isListed && apart.asksForPresence;
  contractions_.asks |= asks;
  if (asks && !isAsked)
    std::get<Temporary>(kernel_.tensors[scope_.accesses[apart.value].tensor].role).mayLack = true;
  else if (asks) {
    if (mask)
      presence->targetVariables = scope_.accesses[apart.value].variables; // it has the mask's pattern, too
    presencesAsked_.emplace(apart.value, PresenceAsked{std::move(*presence), mask});
  }
  sumsApart_.push_back(apart);
  return apart;
}

/// Adds the computation of a temporary, where a mask has entries if there is one. `isListed`: it is assembled, as a
/// sparse target has entries only where it does.
AccessId Expander::addSumApart(LogicalStatement logical, const std::optional<AccessId> &mask, bool isListed) {
  const AccessId access = addTemporary(kernel_, scope_, logical.targetVariables, logical.computeType, logical.where);
  logical.target = scope_.accesses[access].tensor;
  Tensor &tensor = kernel_.tensors[logical.target];
  tensor.role = Temporary{.isRestricted = mask && !isListed, .isPart = logical.isPart};
  if (isListed) {
    tensor.format = plainFormat(tensor.format, true);
    takeIndexTypes(logical, scope_, kernel_, tensor.format);
    tensor.structure = Assembled{};
  } else if (mask) {
    const Access &source = scope_.accesses[*mask];
    const KeptPattern pattern = patternOf(source, logical.targetVariables);
    tensor.format = formatFrom(kernel_, pattern, tensor.order());
    tensor.structure = SharedWith{structureOwner(kernel_, source.tensor)};
    copies_.noteKept(logical.target, source.tensor);
  }
  if (mask)
    restrictTo(*mask, logical);
  temporaries_.push_back(std::move(logical));
  return access;
}

/// A copy of a part in which elements that are missing are -0.
TensorId Expander::addMarked(AccessId value, AccessId presence) {
  const Span where = scope_.accesses[value].where;
  CallNode choice{Function::Select, computeType_, {}};
  choice.arguments.push_back(makeNode(AccessNode{presence}, where));
  choice.arguments.push_back(makeNode(AccessNode{value}, where));
  choice.arguments.push_back(makeNode(NumberNode{-0.0, "-0"}, where));
  LogicalStatement marked = partStatement(scope_.accesses[value].variables, computeType_, where);
  marked.terms.push_back({makeNode(std::move(choice), where), {}, false, where});
  const TensorId tensor = scope_.accesses[addSumApart(std::move(marked), std::nullopt, false)].tensor;
  kernel_.tensors[tensor].role = Temporary{.isPart = true, .marksMissing = true};
  return tensor;
}

/// The computation of whether any term of a sum has an entry, over those of its variables alone on which that depends;
/// nullopt where one always has.
std::optional<LogicalStatement> Expander::presenceOf(const LogicalStatement &logical) const {
  LogicalStatement presence;
  presence.statement = logical.statement;
  presence.computeType = ValueType::Bool;
  presence.where = logical.where;
  const auto add = [&](NodePtr condition, const LogicalTerm &term) {
    const std::vector<VariableId> free = freeVariables(*condition, scope_);
    std::vector<VariableId> sums;
    std::copy_if(term.reductions.begin(), term.reductions.end(), std::back_inserter(sums),
                 [&](VariableId variable) { return has(free, variable); });
    presence.terms.push_back({std::move(condition), std::move(sums), false, term.where});
  };
  for (const LogicalTerm &term : logical.terms) {
    if (term.toldBy) {
      add(clone(*term.toldBy), term);
      continue;
    }
    const Sparsity sparsity = sparsityOf(*term.expr, logical.computeType, scope_, kernel_);
    if (sparsity.fill != 0.0 || isEverywhere(sparsity.domain))
      return std::nullopt;
    if (sparsity.domain)
      add(asCondition(*sparsity.domain, term.where), term);
  }
  std::copy_if(logical.targetVariables.begin(), logical.targetVariables.end(),
               std::back_inserter(presence.targetVariables), [&](VariableId variable) {
                 return std::any_of(presence.terms.begin(), presence.terms.end(), [&](const LogicalTerm &term) {
                   return has(freeVariables(*term.expr, scope_), variable);
                 });
               });
  return presence.terms.empty() ? std::nullopt : std::optional(std::move(presence));
}

/// Whether a value, whose sum() nodes are temporaries, may be 0 for want of entries, and it is computed whether it is.
bool Expander::isTold(const Node &value) const {
  const std::vector<AccessId> accesses = accessesOf(value);
  return std::any_of(accesses.begin(), accesses.end(), [&](AccessId access) {
    return presences_.contains(access) || presencesAsked_.contains(access) || marked_.contains(access);
  });
}

/// What tells whether any entry takes part in a sum; it is computed from when it is first asked for.
AccessId Expander::presenceAt(AccessId value) {
  if (auto asked = presencesAsked_.extract(value))
    presences_.emplace(value, addSumApart(std::move(asked.mapped().statement), asked.mapped().mask, false));
  return presences_.at(value);
}

/// Both conditions; one that is null always holds.
NodePtr Expander::both(NodePtr a, NodePtr b) const {
  if (!a || !b || print(*a, scope_, kernel_) == print(*b, scope_, kernel_))
    return a ? std::move(a) : std::move(b);
  return call(Function::And, std::move(a), std::move(b));
}

/// Whether a value, whose sum() nodes are temporaries, may have no entry.
bool Expander::isPartial(const Node &value) const {
  if (!isTold(value)) {
    const Sparsity sparsity = sparsityOf(value, computeType_, scope_, kernel_);
    return sparsity.fill == 0.0 && sparsity.domain && !isEverywhere(sparsity.domain);
  }
  if (const auto *negate = std::get_if<NegateNode>(&value.kind))
    return isPartial(*negate->operand);
  const auto *binary = std::get_if<BinaryNode>(&value.kind);
  if (!binary)
    return std::holds_alternative<AccessNode>(value.kind);
  if (asSum(value))
    return isPartial(*binary->left) && isPartial(*binary->right);
  return isPartial(*binary->left) || (binary->op != BinaryOp::Div && isPartial(*binary->right));
}

/// Where a value, whose sum() nodes are temporaries, has entries; null: everywhere.
NodePtr Expander::conditionOf(const Node &value) {
  if (!isPartial(value))
    return nullptr;
  if (!isTold(value))
    return asCondition(*sparsityOf(value, computeType_, scope_, kernel_).domain, value.where);
  if (const auto *use = std::get_if<AccessNode>(&value.kind))
    return marked_.contains(use->access) ? call(Function::Pattern, clone(value))
                                         : makeNode(AccessNode{presenceAt(use->access)}, value.where);
  if (const auto *negate = std::get_if<NegateNode>(&value.kind))
    return conditionOf(*negate->operand);
  const auto &binary = std::get<BinaryNode>(value.kind);
  NodePtr left = conditionOf(*binary.left);
  if (binary.op == BinaryOp::Div)
    return left;
  NodePtr right = conditionOf(*binary.right);
  return asSum(value) ? call(Function::Or, std::move(left), std::move(right)) : both(std::move(left), std::move(right));
}

/// A value whose sum() nodes are temporaries: each product in it is 0 where one of its factors has no entries. As a
/// factor of a term of the target it is missing there.
NodePtr Expander::guarded(NodePtr value, EntryPlace place) {
  const Span where = value->where;
  const bool isGuarded = std::holds_alternative<CallNode>(value->kind);
  const bool isNumber = place != EntryPlace::Factor || !tellsEntries();
  if (isGuarded || !isTold(*value) || (isNumber && std::holds_alternative<AccessNode>(value->kind)))
    return value;
  if (const BinaryNode *sum = asSum(*value))
    return makeNode(BinaryNode{sum->op, guarded(clone(*sum->left), place), guarded(clone(*sum->right), place)}, where);
  NodePtr condition;
  NodePtr product = guardedFactors(*value, condition);
  if (!condition)
    return product;
  if (place == EntryPlace::Factor)
    return presentWhere(std::move(condition), std::move(product));
  return call(Function::Select, std::move(condition), std::move(product), makeNode(NumberNode{0, "0"}, where));
}

/// A product of which a part may be missing: where it is, so is the product. Where that is one part, all that it is
/// multiplied by is chosen in the product's place, so that loops multiply and add at once: it is 0 itself there.
NodePtr Expander::guardedBeforeParts(const Node &product) {
  const Node *told = nullptr, *rest = &product;
  std::vector<const Node *> others;
  while (const auto *binary = std::get_if<BinaryNode>(&rest->kind)) {
    if (binary->op != BinaryOp::Mul || !std::holds_alternative<AccessNode>(binary->right->kind))
      break;
    const Node &part = *binary->right;
    if (!isTold(part))
      others.push_back(&part);
    else if (std::exchange(told, &part))
      return guarded(clone(product));
    rest = binary->left.get();
  }
  if (!told || isTold(*rest))
    return guarded(clone(product));
  NodePtr factors = clone(*rest);
  for (auto other = others.rbegin(); other != others.rend(); ++other)
    factors = makeBinary(BinaryOp::Mul, std::move(factors), clone(**other));
  NodePtr chosen =
      call(Function::Select, conditionOf(*told), std::move(factors), makeNode(NumberNode{0, "0"}, product.where));
  return makeBinary(BinaryOp::Mul, std::move(chosen), clone(*told));
}

/// A product whose factors are guarded, each by itself; adds to the condition where all of them have entries.
NodePtr Expander::guardedFactors(const Node &product, NodePtr &condition) {
  if (!isTold(product))
    return clone(product);
  if (const auto *negate = std::get_if<NegateNode>(&product.kind))
    return makeNode(NegateNode{guardedFactors(*negate->operand, condition)}, product.where);
  const auto *binary = std::get_if<BinaryNode>(&product.kind);
  if (!binary || asSum(product)) {
    condition = both(std::move(condition), conditionOf(product));
    return guarded(clone(product));
  }
  NodePtr left = guardedFactors(*binary->left, condition);
  NodePtr right = binary->op == BinaryOp::Div ? clone(*binary->right) : guardedFactors(*binary->right, condition);
  return makeNode(BinaryNode{binary->op, std::move(left), std::move(right)}, product.where);
}

} // namespace spc::sema
