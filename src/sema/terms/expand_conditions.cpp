// Conditional entries, `where(condition, e)`. A target that lists its entries has some only where the condition holds:
// a bool temporary lists these places, and is a factor. Anywhere else a value is chosen.
#include "sema/expression_types.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/expander.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <utility>

namespace spc::sema {
namespace {

NodePtr callOf(Function function, std::vector<NodePtr> arguments, Span where) {
  return makeNode(CallNode{function, ValueType::Bool, std::move(arguments)}, where);
}

template <typename... Nodes> std::vector<NodePtr> listOf(Nodes... nodes) {
  std::vector<NodePtr> list;
  (list.push_back(std::move(nodes)), ...);
  return list;
}

const CallNode *asWhere(const Node &node) {
  const auto *call = std::get_if<CallNode>(&node.kind);
  return call && call->function == Function::Where ? call : nullptr;
}

/// The places of a domain, as far as those of some variables tell; nullopt where these tell nothing.
MaybeDomain knownBy(const AccessDomain &domain, const std::vector<VariableId> &variables, const Scope &scope) {
  MaybeDomain known;
  switch (domain.kind) {
  case DomainKind::Stored: {
    const std::vector<VariableId> &own = scope.accesses[domain.operand].variables;
    const bool isKnown = std::all_of(own.begin(), own.end(), [&](VariableId one) { return has(variables, one); });
    return isKnown ? MaybeDomain(domain) : std::nullopt;
  }
  case DomainKind::All:
    for (const AccessDomain &part : domain.parts)
      if (const MaybeDomain own = knownBy(part, variables, scope))
        known = known ? intersectionOf(known, own) : own;
    return known;
  case DomainKind::Any:
    for (const AccessDomain &part : domain.parts) {
      const MaybeDomain own = knownBy(part, variables, scope);
      if (!own)
        return std::nullopt;
      known = known ? unionOf(known, own) : own;
    }
    return known;
  default:
    return std::nullopt;
  }
}

/// Whether some product has a factor that is a sum, as what a sparse operand holds at other places is.
bool multipliesSum(const Node &node) {
  if (const auto *binary = std::get_if<BinaryNode>(&node.kind); binary && !asSum(node))
    return holdsSum(node);
  if (std::holds_alternative<CallNode>(node.kind))
    return false;
  const std::vector<const Node *> below = children(node);
  return std::any_of(below.begin(), below.end(), [](const Node *child) { return multipliesSum(*child); });
}

} // namespace

bool holdsWhere(const Node &node) {
  const std::vector<const Node *> below = children(node);
  return asWhere(node) || std::any_of(below.begin(), below.end(), [](const Node *child) { return holdsWhere(*child); });
}

/// Whether the places of conditions in `node` are listed, where it has fill 0. A chosen value is a number, in which a
/// sum of nothing would be a 0 and no missing factor.
bool Expander::listsPlaces(const Node &node, EntryPlace place) {
  return place == EntryPlace::Factor || (place != EntryPlace::Number && multipliesSum(node));
}

/// The tree without where(...).
NodePtr Expander::withoutWheres(const Node &node, EntryPlace place) {
  if (!holdsWhere(node))
    return clone(node);
  if (const CallNode *where = asWhere(node))
    return conditional(*where, place);
  if (const auto *reduction = std::get_if<ReduceNode>(&node.kind)) {
    const EntryPlace inside = reduction->reduction != Reduction::Sum ? EntryPlace::Number
                              : place == EntryPlace::Addend          ? EntryPlace::Summand
                                                                     : place;
    NodePtr copy = clone(node);
    std::get<ReduceNode>(copy->kind).body = withoutWheres(*reduction->body, inside);
    return copy;
  }
  if (const auto *call = std::get_if<CallNode>(&node.kind)) {
    NodePtr value = ofNumbers(*call, node.where);
    NodePtr present = place == EntryPlace::Factor ? presenceOfCall(node) : nullptr;
    return present ? entryWhere(std::move(present), std::move(value), 0, place) : std::move(value);
  }
  if (asSum(node)) {
    const auto &sum = std::get<BinaryNode>(node.kind);
    return makeNode(BinaryNode{sum.op, withoutWheres(*sum.left, place), withoutWheres(*sum.right, place)}, node.where);
  }
  const bool isChosen = !listsWheres_ && !listsPlaces(node, place);
  NodePtr condition;
  NodePtr product = factorsOf(node, isChosen ? &condition : nullptr);
  choosesEntries_ |= condition != nullptr;
  return condition ? chosen(std::move(condition), std::move(product), 0) : std::move(product);
}

/// A call whose arguments are numbers as any other.
NodePtr Expander::ofNumbers(const CallNode &call, Span where) {
  CallNode copy{call.function, call.castTo, {}, call.typeParameter};
  const ValueType type = computeType_;
  for (size_t k = 0; k < call.arguments.size(); ++k) {
    computeType_ = argumentType(call, k, type, scope_, kernel_);
    copy.arguments.push_back(withoutWheres(*call.arguments[k], EntryPlace::Number));
  }
  computeType_ = type;
  return makeNode(std::move(copy), where);
}

/// A product without where(...); with `condition` it is that where this holds, and missing elsewhere.
NodePtr Expander::factorsOf(const Node &node, NodePtr *condition) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return makeNode(NegateNode{factorsOf(*negate->operand, condition)}, node.where);
  if (const auto *binary = std::get_if<BinaryNode>(&node.kind); binary && !asSum(node)) {
    NodePtr left = factorsOf(*binary->left, condition);
    NodePtr right = binary->op == BinaryOp::Div ? withoutWheres(*binary->right, EntryPlace::Number)
                                                : factorsOf(*binary->right, condition);
    return makeNode(BinaryNode{binary->op, std::move(left), std::move(right)}, node.where);
  }
  const CallNode *where = condition ? asWhere(node) : nullptr;
  if (const auto *call = std::get_if<CallNode>(&node.kind); condition && call && !where && holdsWhere(node)) {
    *condition = both(std::move(*condition), presenceOfCall(node));
    return ofNumbers(*call, node.where);
  }
  if (!where || fillOf(*where->arguments[1]) != 0)
    return withoutWheres(node, EntryPlace::Factor);
  *condition = both(std::move(*condition), conditionIn(*where));
  return factorsOf(*where->arguments[1], condition);
}

/// What is missing where a condition of an expression does not hold: 0, unless it reads what has another fill.
double Expander::fillOf(const Node &node) const {
  return hasFill(node, scope_, kernel_) ? sparsityOf(node, computeType_, scope_, kernel_).fill.value_or(0) : 0;
}

NodePtr Expander::conditionIn(const CallNode &where) {
  const ValueType type = std::exchange(computeType_, argumentType(where, 0, computeType_, scope_, kernel_));
  NodePtr condition = withoutWheres(*where.arguments[0], EntryPlace::Number);
  computeType_ = type;
  return condition;
}

/// `value` where a condition holds, else a number.
NodePtr Expander::chosen(NodePtr condition, NodePtr value, double otherwise) const {
  const Span where = value->where;
  const bool isComplement = complementedMask(*condition, scope_, kernel_).has_value();
  if (otherwise == 0 && (isComplement || isIndexMask(*condition, scope_, kernel_)))
    return makeBinary(BinaryOp::Mul, std::move(value), std::move(condition));
  NodePtr number = makeNode(NumberNode{otherwise, sema::textOf(computeType_, otherwise)}, where);
  return callOf(Function::Select, listOf(std::move(condition), std::move(value), std::move(number)), where);
}

NodePtr Expander::conditional(const CallNode &call, EntryPlace place) {
  NodePtr condition = conditionIn(call);
  NodePtr value = withoutWheres(*call.arguments[1], place);
  return entryWhere(std::move(condition), std::move(value), fillOf(*call.arguments[1]), place);
}

/// A value without where(...) where a condition holds, and a missing entry elsewhere, which has that fill.
NodePtr Expander::entryWhere(NodePtr condition, NodePtr value, double fill, EntryPlace place) {
  const Span where = value->where;
  const bool isListed = listsWheres_ || (fill == 0 && listsPlaces(*value, place));
  // A number has no places to list.
  const bool hasPlaces = !main_->targetVariables.empty() || !freeVariables(*condition, scope_).empty() ||
                         !freeVariables(*value, scope_).empty();
  choosesEntries_ |= !isListed;
  if (!isListed || !hasPlaces)
    return chosen(std::move(condition), std::move(value), fill);
  if (place == EntryPlace::Addend)
    value = summedApart(std::move(value), *condition);
  NodePtr holds = callOf(Function::Pattern, listOf(makeNode(AccessNode{listWhere(*condition, *value)}, where)), where);
  return place == EntryPlace::Number || fill != 0 ? chosen(std::move(holds), std::move(value), fill)
                                                  : makeBinary(BinaryOp::Mul, std::move(holds), std::move(value));
}

/// A product of the target's terms where a condition holds, of which one that is assembled has no entries elsewhere.
NodePtr Expander::presentWhere(NodePtr condition, NodePtr product) {
  if (tellsEntries() && isListShort(*condition, *product))
    return entryWhere(std::move(condition), std::move(product), 0, EntryPlace::Factor);
  choosesEntries_ = true;
  return chosen(std::move(condition), std::move(product), 0);
}

/// Whether a sum is a vector along what factors list within rows of the target, and an operand has memory for as many
/// elements: a list of its own would be walked in each row. Loops over the columns first walk lists as well.
bool Expander::isAlongColumns(const LogicalStatement &sum, const Node &product) const {
  const std::vector<format::Level> &stored = kernel_.tensors[main_->target].format.levels;
  if (sum.targetVariables.size() != 1 || stored.empty())
    return false;
  const VariableId column = sum.targetVariables.front();
  bool isListed = false;
  for (AccessId id : accessesBesideReductions(product)) {
    const Access &access = scope_.accesses[id];
    if (!isSparse(id) || !has(access.variables, column))
      continue;
    const std::vector<format::Level> &levels = kernel_.tensors[access.tensor].format.levels; // a sum of parts has none
    if (levels.empty() || access.variables[static_cast<size_t>(levels.front().dim)] == column)
      return false;
    isListed = true;
  }
  return isListed && main_->targetVariables[static_cast<size_t>(stored.front().dim)] != column &&
         std::any_of(scope_.accesses.begin(), scope_.accesses.end(), [&](const Access &access) {
           return has(access.variables, column) && hasDenseLevel(kernel_.tensors[access.tensor].format);
         });
}

/// The product of a nest, for a target that has entries only where its parts have some.
NodePtr Expander::listedWherePartsAre(const Node &nest) {
  NodePtr condition;
  NodePtr product = guardedFactors(nest, condition);
  return condition ? entryWhere(std::move(condition), std::move(product), 0, EntryPlace::Factor) : std::move(product);
}

/// Whether a list of where a condition holds is no longer than a target or than some operand.
bool Expander::isListShort(const Node &condition, const Node &product) const {
  const std::vector<VariableId> asked = freeVariables(condition, scope_), all = freeVariables(product, scope_);
  const MaybeDomain domain = sparsityOf(product, computeType_, scope_, kernel_).domain;
  return asked.size() < 2 || (domain && knownBy(*domain, asked, scope_)) ||
         std::all_of(all.begin(), all.end(), [&](VariableId one) { return has(main_->targetVariables, one); });
}

/// A value as the temporary that lists its sum, where a condition on its elements alone says which are wanted.
NodePtr Expander::summedApart(NodePtr value, const Node &condition) {
  std::vector<VariableId> summed = freeVariables(*value, scope_);
  std::erase_if(summed, [&](VariableId one) { return has(main_->targetVariables, one); });
  const std::vector<VariableId> asked = freeVariables(condition, scope_);
  const bool asksForElements =
      std::none_of(summed.begin(), summed.end(), [&](VariableId one) { return has(asked, one); });
  const Span where = value->where;
  const MaybeDomain domain = sparsityOf(*value, computeType_, scope_, kernel_).domain;
  if (!summed.empty() && asksForElements && asked.size() > 1 && domain && !knownBy(*domain, asked, scope_))
    value = makeNode(ReduceNode{Reduction::Sum, std::move(summed), std::move(value)}, where);
  return std::holds_alternative<ReduceNode>(value->kind) ? withListedSums(*value) : std::move(value);
}

/// By which variables the places of a condition on some are listed: those of a factor that lists them within others, as
/// the columns of a matrix by rows. The list goes along with its entries, in the order in which they are stored: of
/// several factors the one with the result's rows is taken.
std::vector<VariableId> Expander::listedBy(const std::vector<VariableId> &asked, const Node &value) const {
  const MaybeDomain domain = sparsityOf(value, computeType_, scope_, kernel_).domain;
  std::vector<VariableId> around = asked;
  const std::vector<format::Level> &stored = kernel_.tensors[main_->target].format.levels;
  const auto hasRows = [&](const std::vector<VariableId> &own) {
    return !stored.empty() && has(own, main_->targetVariables[static_cast<size_t>(stored.front().dim)]);
  };
  for (AccessId id : accessesOf(value)) {
    const Access &access = scope_.accesses[id];
    const auto isOwn = [&](VariableId variable) { return has(access.variables, variable); };
    const format::Format &format = kernel_.tensors[access.tensor].format;
    if (asked.empty() || !isSparse(id) || hasDerived(access, scope_) || !std::ranges::all_of(asked, isOwn) || !domain ||
        !knownBy(*domain, access.variables, scope_))
      continue;
    // Rows are skipped by a list of their own.
    const size_t outer = std::min(asked.size(), format.levels.size());
    if (std::all_of(
            format.levels.begin(), format.levels.begin() + static_cast<ptrdiff_t>(outer),
            [&](const format::Level &level) { return has(asked, access.variables[static_cast<size_t>(level.dim)]); }))
      return asked;
    if (around.size() == asked.size() || (!hasRows(around) && hasRows(access.variables)))
      around = access.variables;
  }
  return around;
}

/// Puts the variables of a list in the order in which the result is stored; where some are summed over, in that of an
/// operand with just these, along which loops go. Whether there is such an operand.
bool Expander::sortList(std::vector<VariableId> &variables, const Node &value) const {
  const auto isOfTarget = [&](VariableId variable) { return has(main_->targetVariables, variable); };
  sortByTarget(variables);
  if (std::ranges::all_of(variables, isOfTarget))
    return false;
  for (AccessId id : accessesOf(value)) {
    const Access &access = scope_.accesses[id];
    if (!isSparse(id) || !std::ranges::is_permutation(access.variables, variables))
      continue;
    const std::vector<format::Level> &levels = kernel_.tensors[access.tensor].format.levels;
    const auto levelOf = [&](VariableId variable) {
      const auto dim = static_cast<int>(placeOf(variable, access.variables));
      return std::ranges::find(levels, dim, &format::Level::dim) - levels.begin();
    };
    std::ranges::stable_sort(variables, {}, levelOf);
    return true;
  }
  return false;
}

/// The temporary that lists where a condition holds and, as far as its variables tell, the value has entries.
AccessId Expander::listWhere(const Node &condition, const Node &value) {
  LogicalStatement logical;
  logical.statement = statement_;
  logical.targetVariables = listedBy(freeVariables(condition, scope_), value);
  // A condition without indices is listed over those of an operand, if sums within the value bind none of them.
  const std::vector<AccessId> accesses = accessesOf(value);
  const std::vector<VariableId> free = freeVariables(value, scope_);
  for (auto access = accesses.begin(); logical.targetVariables.empty() && access != accesses.end(); ++access)
    if (const std::vector<VariableId> &own = scope_.accesses[*access].variables;
        std::all_of(own.begin(), own.end(), [&](VariableId variable) { return has(free, variable); }))
      logical.targetVariables = own;
  if (logical.targetVariables.empty()) // it holds everywhere or nowhere, so that one index will do
    logical.targetVariables = {free.empty() ? main_->targetVariables.front() : free.front()};
  const bool isAlongOperand = sortList(logical.targetVariables, value);
  logical.computeType = ValueType::Bool;
  logical.where = condition.where;
  const Sparsity sparsity = sparsityOf(value, computeType_, scope_, kernel_);
  const MaybeDomain domain = sparsity.fill == fillOf(value) && sparsity.domain
                                 ? knownBy(*sparsity.domain, logical.targetVariables, scope_)
                                 : std::nullopt;
  const ValueType type =
      std::exchange(computeType_, arithmeticType(typeOf(condition, scope_, kernel_).value_or(ValueType::Bool)));
  NodePtr holds;
  {
    const ScopedArgument within(*this, true);
    const ScopedMasks wanted(*this, domain);
    holds = withTemporaries(condition);
  }
  computeType_ = type;
  if (typeOf(*holds, scope_, kernel_) != ValueType::Bool)
    holds = callOf(Function::Cast, listOf(std::move(holds)), condition.where);
  checkIndexValues(*holds, *holds, logical);
  logical.terms.push_back(
      {both(domain ? asCondition(*domain, condition.where) : nullptr, std::move(holds)), {}, false, condition.where});
  const AccessId access = addListed(std::move(logical));
  Tensor &list = kernel_.tensors[scope_.accesses[access].tensor];
  list.role = Temporary{.dropsZeros = true};
  if (isAlongOperand && isStoredWhole(kernel_, list.extents.front())) {
    format::Format rows = plainFormat(list.format, false);
    rows.pointers = list.format.pointers;
    rows.indices = list.format.indices;
    list.format = std::move(rows);
  }
  return access;
}

/// The pattern of a temporary that lists all coordinates of a variable where a condition without indices holds, or
/// none.
NodePtr Expander::allAlong(VariableId variable, AccessId condition) {
  const Span where = scope_.accesses[condition].where;
  LogicalStatement logical = partStatement({variable}, ValueType::Bool, where);
  logical.terms.push_back({makeNode(AccessNode{condition}, where), {}, false, where});
  const AccessId access = addListed(std::move(logical));
  kernel_.tensors[scope_.accesses[access].tensor].role = Temporary{.dropsZeros = true};
  return callOf(Function::Pattern, listOf(makeNode(AccessNode{access}, where)), where);
}

} // namespace spc::sema
