// Masks: a sparse factor says where the rest of its product is wanted, and so where sums within the rest are.
#include "format/levels.h"
#include "sema/expression_types.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/expander.h"
#include "sema/terms/sparsity.h"
#include "sema/terms/walking.h"

#include <algorithm>

namespace spc::sema {

Expander::ScopedMasks::ScopedMasks(Expander &expander, const Node &product)
    : expander_(expander), outer_(expander.masks_) {
  expander.collectMasks(product, expander.masks_);
}

Expander::ScopedMasks::ScopedMasks(Expander &expander, std::optional<AccessId> only)
    : expander_(expander), outer_(std::move(expander.masks_)) {
  expander.masks_.clear();
  if (only)
    expander.masks_.push_back(*only);
}

Expander::ScopedMasks::ScopedMasks(Expander &expander, const MaybeDomain &domain)
    : expander_(expander), outer_(expander.masks_) {
  expander.addMasksIn(domain, expander.masks_);
}

Expander::ScopedMasks::~ScopedMasks() {
  expander_.masks_ = std::move(outer_);
}

/// Whether the entries of an operand are there for as long as the statement is computed, or a canonical copy's.
bool Expander::mayMask(AccessId id) const {
  const Access &access = scope_.accesses[id];
  const Tensor &tensor = kernel_.tensors[access.tensor];
  const TensorId owner = structureOwner(kernel_, access.tensor);
  const auto *copy = kernel_.tensors[owner].as<Converted>();
  const TensorId source = copy ? copy->source : owner;
  const bool isOld = source == main_->target || access.tensor == main_->target;
  const bool isCopied = copy || !format::isCanonical(tensor.format);
  if (isCopied && kernel_.tensors[source].isWritten) // by an earlier statement: it is not there when the call begins
    return false;
  return !tensor.format.isDense() && tensor.fill == 0 && !hasDerived(access, scope_) && !isOld &&
         !kernel_.tensors[source].isAssembled();
}

/// The operand that a factor is, or the pattern of; nullopt where it is something else.
std::optional<AccessId> Expander::operandOf(const Node &factor) {
  const auto *use = std::get_if<AccessNode>(&factor.kind);
  if (const auto *call = std::get_if<CallNode>(&factor.kind); call && call->function == Function::Pattern)
    use = std::get_if<AccessNode>(&call->arguments.front()->kind);
  return use ? std::optional(use->access) : std::nullopt;
}

/// Adds the sparse operands without which a product is 0: its factors, those that it has the patterns of, and those
/// that make a function 0 where they have no entry, as `sqrt(S(i,j))`.
void Expander::collectMasks(const Node &product, std::vector<AccessId> &masks) const {
  if (const auto *negate = std::get_if<NegateNode>(&product.kind))
    return collectMasks(*negate->operand, masks);
  if (const auto *binary = std::get_if<BinaryNode>(&product.kind); binary && !asSum(product)) {
    collectMasks(*binary->left, masks);
    if (binary->op == BinaryOp::Mul)
      collectMasks(*binary->right, masks);
    return;
  }
  if (const std::optional<AccessId> operand = operandOf(product))
    return addMask(*operand, masks);
  if (const Sparsity sparsity = sparsityOf(product, computeType_, scope_, kernel_); sparsity.fill == 0.0)
    addMasksIn(sparsity.domain, masks);
}

void Expander::addMask(AccessId operand, std::vector<AccessId> &masks) const {
  if (mayMask(operand) && !has(masks, operand))
    masks.push_back(operand);
}

/// Adds the operands that have an entry wherever a domain has one.
void Expander::addMasksIn(const MaybeDomain &domain, std::vector<AccessId> &masks) const {
  if (domain && domain->kind == DomainKind::Stored)
    addMask(domain->operand, masks);
  if (domain && domain->kind == DomainKind::All)
    for (const AccessDomain &part : domain->parts)
      addMasksIn(part, masks);
}

/// Where the value of an argument matters to a call that is computed in a type, as the others say: what is chosen,
/// where the condition chooses it. Nullopt where nothing says so.
MaybeDomain Expander::wantedIn(const CallNode &call, size_t argument, ValueType type) const {
  const auto sparsity = [&](size_t k) {
    return sparsityOf(*call.arguments[k], argumentType(call, k, type, scope_, kernel_), scope_, kernel_);
  };
  /// An argument's domain, outside of which it is, or is not, 0.
  const auto domainWhere = [&](const Sparsity &other, bool isZero) {
    return other.fill && (*other.fill == 0) == isZero ? other.domain : std::nullopt;
  };
  switch (call.function) {
  case Function::Select: {
    if (argument > 0)
      return domainWhere(sparsity(0), argument == 1);
    const Sparsity yes = sparsity(1), no = sparsity(2);
    return yes.fill && yes.fill == no.fill ? unionOf(yes.domain, no.domain) : std::nullopt;
  }
  case Function::And:
  case Function::Or:
    return domainWhere(sparsity(1 - argument), call.function == Function::And);
  default:
    return std::nullopt;
  }
}

/// Whether a tree reads the very structure of a mask at another place, too. What has that structure has its positions,
/// which no copy has, and loops have one position in it.
bool Expander::readsElsewhere(const Node &node, AccessId mask) const {
  const TensorId owner = structureOwner(kernel_, scope_.accesses[mask].tensor);
  const std::vector<AccessId> read = accessesOf(node);
  return std::any_of(read.begin(), read.end(), [&](AccessId id) {
    const Access &access = scope_.accesses[id];
    return structureOwner(kernel_, access.tensor) == owner && access.variables != scope_.accesses[mask].variables;
  });
}

/// Whether a target may take a mask's pattern: a part with it, and the target, would be at one position of the mask.
bool Expander::mayTakePattern(AccessId mask, const LogicalStatement &logical) const {
  const std::vector<VariableId> &own = scope_.accesses[mask].variables, &targets = logical.targetVariables;
  return !isGivenDense_ && std::is_permutation(targets.begin(), targets.end(), own.begin(), own.end());
}

/// Whether the operands of a sum would have to be copied to be walked beside a vector that masks it, and not without
/// that: an array of all sums is less.
bool Expander::isHardToWalk(const Node &sum, AccessId mask) const {
  const Access &access = scope_.accesses[mask];
  if (access.variables.size() != 1)
    return false;
  const VariableId variable = access.variables.front();
  std::vector<Stored> operands = storedIn(sum, scope_, kernel_);
  const bool isResult = has(main_->targetVariables, variable) && isTargetDense(*main_);
  if (!isResult && std::none_of(operands.begin(), operands.end(),
                                [&](const Stored &operand) { return hasMemoryFor(variable, operand); }))
    return false;
  const bool isEasy = walkTogether(operands, scope_, kernel_);
  for (Stored &own : storedIn(*makeNode(AccessNode{mask}, access.where), scope_, kernel_))
    operands.push_back(std::move(own));
  return isEasy && !walkTogether(operands, scope_, kernel_);
}

/// The mask of a sum that has the most of these indices, and no others: what has them is wanted where that has entries.
std::optional<AccessId> Expander::maskFor(const std::vector<VariableId> &variables, const Node &sum) const {
  std::optional<AccessId> best;
  for (AccessId id : masks_) {
    const bool isVector = kernel_.tensors[structureOwner(kernel_, scope_.accesses[id].tensor)].order() == 1;
    if ((isVector && readsElsewhere(sum, id)) || isHardToWalk(sum, id))
      continue;
    const std::vector<VariableId> &own = scope_.accesses[id].variables;
    const bool fits = std::all_of(own.begin(), own.end(), [&](VariableId variable) {
      return std::count(own.begin(), own.end(), variable) == 1 &&
             std::find(variables.begin(), variables.end(), variable) != variables.end();
    });
    if (fits && (!best || own.size() > scope_.accesses[*best].variables.size()))
      best = id;
  }
  return best;
}

/// Multiplies the terms of a statement by the pattern of a mask.
void Expander::restrictTo(AccessId mask, LogicalStatement &logical) {
  for (LogicalTerm &term : logical.terms) {
    const Span where = term.expr->where;
    CallNode pattern{Function::Pattern, ValueType::Bool, {}};
    pattern.arguments.push_back(makeNode(AccessNode{mask}, where));
    NodePtr isThere = makeNode(std::move(pattern), where);
    if (logical.computeType != ValueType::Bool) {
      term.expr = makeNode(BinaryNode{BinaryOp::Mul, std::move(isThere), std::move(term.expr)}, where);
      continue;
    }
    CallNode both{Function::And, ValueType::Bool, {}};
    both.arguments.push_back(std::move(isThere));
    both.arguments.push_back(std::move(term.expr));
    term.expr = makeNode(std::move(both), where);
  }
}

} // namespace spc::sema
