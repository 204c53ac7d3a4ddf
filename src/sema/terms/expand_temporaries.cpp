// Sums that are no factors by themselves, and entries that are picked: temporaries that a statement needs.
#include "format/rule.h"
#include "sema/expression_types.h"
#include "sema/terms/distribution.h"
#include "sema/terms/expander.h"
#include "sema/terms/pick_entries.h"
#include "sema/terms/reading_order.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <utility>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kTemporaryOrderLimit{"temporary-order-limit", Severity::Error};

} // namespace

NodePtr Expander::withTemporaries(const Node &node) {
  if (std::holds_alternative<ReduceNode>(node.kind))
    return temporaryFor(node);
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return makeNode(NegateNode{withTemporaries(*negate->operand)}, node.where);
  if (const auto *binary = std::get_if<BinaryNode>(&node.kind)) {
    const ScopedMasks wanted(*this, node);
    if (!isArgument_ && !sumFactorsOf(node, scope_, kernel_).reductions.empty())
      return guarded(withTemporaries(*sumsApart(node, node, WhichSums::All)));
    if (const NodePtr apart = isArgument_ ? nullptr : addendsApart(node))
      return guarded(withTemporaries(*apart));
    NodePtr left = withTemporaries(*binary->left);
    const ScopedArgument within(*this, isArgument_ || binary->op == BinaryOp::Div);
    return makeNode(BinaryNode{binary->op, std::move(left), withTemporaries(*binary->right)}, node.where);
  }
  if (const auto *use = std::get_if<AccessNode>(&node.kind);
      use && isSparse(use->access) && hasDerived(scope_.accesses[use->access], scope_))
    return makeNode(AccessNode{pickedFrom(use->access, node.where)}, node.where);
  if (const auto *call = std::get_if<CallNode>(&node.kind))
    return callWithTemporaries(*call, node);
  return clone(node);
}

NodePtr Expander::callWithTemporaries(const CallNode &call, const Node &node) {
  if (call.function == Function::Pattern) {
    checkPattern(accessesOf(node).front(), node.where, scope_, kernel_, diagnostics_);
    return clone(node);
  }
  CallNode copy{call.function, call.castTo, {}};
  const ScopedArgument within(*this, true);
  const ValueType type = computeType_;
  for (size_t k = 0; k < call.arguments.size(); ++k) {
    const ScopedMasks wanted(*this, wantedIn(call, k, type));
    computeType_ = argumentType(call, k, type, scope_, kernel_);
    copy.arguments.push_back(withTemporaries(*call.arguments[k]));
  }
  computeType_ = type;
  return makeNode(std::move(copy), node.where);
}

/// What stands for a sparse access with constants or repeated indices.
AccessId Expander::pickedFrom(AccessId id, Span where) {
  if (const auto known = picked_.find(id); known != picked_.end())
    return known->second;
  for (VariableId variable : scope_.accesses[id].variables)
    if (const Variable &index = scope_.variables[variable];
        index.kind == Variable::Kind::Derived && index.terms.empty())
      kernel_.leastExtents.push_back({index.extent, index.constant + 1});
  LogicalStatement logical = pickEntries(id, where, scope_, kernel_, diagnostics_);
  logical.statement = statement_;
  const AccessId result = addTemporary(kernel_, scope_, logical.targetVariables, logical.computeType, where);
  logical.target = scope_.accesses[result].tensor;
  temporaries_.push_back(std::move(logical));
  picked_.emplace(id, result);
  return result;
}

bool Expander::mayBeTemporary(const Node &sum, const std::vector<VariableId> &variables) {
  if (variables.size() <= format::kMaxOrder)
    return true;
  diagnostics_.report(kTemporaryOrderLimit, sum.where,
                      "this needs a temporary of order " + std::to_string(variables.size()) + "; the highest is " +
                          std::to_string(format::kMaxOrder));
  return false;
}

LogicalStatement Expander::statementFor(const Node &sum) {
  LogicalStatement logical;
  logical.statement = statement_;
  logical.targetVariables = freeVariables(sum, scope_);
  if (isTargetDense(*main_))
    orderForOperands(logical.targetVariables, sum, main_->targetVariables, scope_, kernel_);
  else
    sortByTarget(logical.targetVariables);
  logical.computeType = typeOfTemporary(sum);
  logical.where = sum.where;
  return logical;
}

/// Whether nothing is left to add up: all sums are taken in parts. The value may stand where it is read.
bool Expander::isElementwise(const LogicalStatement &logical) const {
  return logical.terms.size() == 1 && logical.terms.front().reductions.empty() &&
         typeOf(*logical.terms.front().expr, scope_, kernel_) == logical.computeType;
}

/// What stands for a reduction that is no factor: the temporary of the same one, else a new one. A sum is computed
/// where a mask wants it.
NodePtr Expander::temporaryFor(const Node &node) {
  LogicalStatement logical = statementFor(node);
  if (!mayBeTemporary(node, logical.targetVariables))
    return makeNode(NumberNode{0, "0"}, node.where);
  const bool mayList = std::exchange(mayList_, false);
  if (mayList)
    sortByTarget(logical.targetVariables);
  const auto &reduction = std::get<ReduceNode>(node.kind);
  const bool isSum = reduction.reduction == Reduction::Sum;
  const std::optional<AccessId> mask = isSum ? maskFor(logical.targetVariables, node) : std::nullopt;
  SumApart apart{textOf(node, logical.targetVariables, mask), logical.targetVariables, mayList, {}};
  if (const std::optional<SumApart> known = knownSum(apart))
    return makeNode(AccessNode{known->value}, node.where);
  {
    const ScopedArgument within(*this, false);
    const ScopedMasks wanted(*this, mask);
    if (isSum)
      addTerms({&node, false}, logical);
    else
      setReduction(reduction, node.where, logical);
  }
  if (isSum && !mask && isElementwise(logical))
    return std::move(logical.terms.front().expr);
  const bool isListed = mayList && !logical.targetVariables.empty() && presenceOf(logical);
  apart.value = isListed ? addListed(std::move(logical)) : addSumApart(std::move(logical), mask, false);
  sumsApart_.push_back(apart);
  return makeNode(AccessNode{apart.value}, node.where);
}

NodePtr Expander::addTemporaryStatement(LogicalStatement logical) {
  const Span where = logical.where;
  AccessId access = addTemporary(kernel_, scope_, logical.targetVariables, logical.computeType, where);
  logical.target = scope_.accesses[access].tensor;
  temporaries_.push_back(std::move(logical));
  return makeNode(AccessNode{access}, where);
}

/// A group of addends, `(b(i,j) + c(i,k))`, each of which is summed over what `outer` lacks.
NodePtr Expander::groupApart(const Node &group, const LogicalStatement &outer) {
  LogicalStatement logical = statementFor(group);
  std::erase_if(logical.targetVariables, [&](VariableId variable) { return !has(outer.targetVariables, variable); });
  for (const Addend &addend : openAddends(group, options_.strictFp))
    addTerms(addend, logical);
  return addTemporaryStatement(std::move(logical));
}

AccessId addTemporary(Kernel &kernel, Scope &scope, const std::vector<VariableId> &variables, ValueType type,
                      Span where) {
  Tensor tensor;
  const auto isCopy = [](const Tensor &other) { return other.is<Converted>() || other.is<Tie>(); };
  const auto copies = std::count_if(kernel.tensors.begin(), kernel.tensors.end(), isCopy);
  tensor.name = "$" + std::to_string(static_cast<ptrdiff_t>(kernel.tensors.size()) - copies);
  tensor.role = Temporary{};
  tensor.type = type;
  tensor.format = format::denseFormat(static_cast<int>(variables.size()));
  for (VariableId variable : variables)
    tensor.extents.push_back(scope.variables[variable].extent);
  tensor.isWritten = true;
  tensor.where = where;
  return scope.intern({kernel.tensors.add(std::move(tensor)), variables, {}, where});
}

/// Whether a sparse operand of a product has all coordinates of a variable in its outermost level.
bool Expander::hasDenseRoot(const Node &product, VariableId variable) const {
  const std::vector<AccessId> accesses = accessesOf(product);
  return std::any_of(accesses.begin(), accesses.end(), [&](AccessId id) {
    const Access &access = scope_.accesses[id];
    const format::Format &format = kernel_.tensors[access.tensor].format;
    if (format.isDense() || format.levels.empty())
      return false;
    const format::Level &root = format.levels.front();
    return root.isFullyDense() && access.variables[static_cast<size_t>(root.dim)] == variable;
  });
}

} // namespace spc::sema
