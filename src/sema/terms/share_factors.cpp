#include "sema/terms/share_factors.h"

#include "sema/expression_types.h"
#include "sema/fold.h"
#include "sema/terms/addend_factors.h"
#include "sema/terms/sparsity.h"
#include "sema/terms/unify.h"

#include <algorithm>
#include <set>
#include <utility>

namespace spc::sema {
namespace {

constexpr size_t kMostAddends = 16; ///< of a sum that is looked through
constexpr size_t kMostTries = 500;  ///< of factors that may be each other's, before the first ones are taken
constexpr size_t kMostOwn = 1;      ///< factors beside numbers that an addend has of its own

/// Which factors of an addend are which of another one's.
struct Match {
  std::vector<std::pair<size_t, size_t>> common;
  Renamed renamed = {}; ///< variables of the other's sums

  bool hasOwn(size_t factor) const {
    return std::ranges::any_of(common, [&](const auto &pair) { return pair.first == factor; });
  }
  bool hasOther(size_t factor) const {
    return std::ranges::any_of(common, [&](const auto &pair) { return pair.second == factor; });
  }
};

class FactorSharing {
public:
  FactorSharing(ResolvedStatement &statement, const Kernel &kernel)
      : statement_(statement), scope_(statement.scope), kernel_(kernel), type_(computeTypeOf(kernel, statement)) {}

  /// Whether anything is shared.
  bool run() {
    std::vector<VariableId> implicit = freeVariables(*statement_.value, scope_);
    std::erase_if(implicit, [&](VariableId variable) { return has(statement_.target.variables, variable); });
    NodePtr value = shared(*statement_.value, implicit, false);
    if (isShared_)
      statement_.value = std::move(value);
    return isShared_;
  }

private:
  NodePtr shared(const Node &node, const std::vector<VariableId> &implicit, bool isSummed);
  NodePtr sharedSum(const Node &sum, const std::vector<VariableId> &implicit, bool isSummed);
  bool shareIn(std::vector<AddendProduct> &addends, bool isSummed);

  std::optional<Match> match(const AddendProduct &own, const AddendProduct &other) const;
  Match mostCommon(const AddendProduct &own, const AddendProduct &other, size_t from, Match so, size_t &tries) const;
  bool nameRest(const AddendProduct &own, const AddendProduct &other, Renamed &renamed) const;
  bool mayAddUp(const AddendProduct &own, const AddendProduct &other, const Match &match) const;
  std::optional<double> numberOf(const Node &node) const;
  std::optional<double> numberBeside(const AddendProduct &product, const Match &match, bool isOwn) const;
  bool leaveNumber(const AddendProduct &own, const AddendProduct &other, const Match &match) const;
  void merge(AddendProduct &own, AddendProduct &other, const Match &match);

  ResolvedStatement &statement_;
  Scope &scope_;
  const Kernel &kernel_;
  ValueType type_;
  bool isShared_ = false;
};

/// A tree with the factors shared that addends of its sums have. `implicit`: the variables over which each addend of it
/// is summed on its own. `isSummed`: all of it is added up over something.
NodePtr FactorSharing::shared(const Node &node, const std::vector<VariableId> &implicit, bool isSummed) {
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return makeNode(NegateNode{shared(*negate->operand, implicit, isSummed)}, node.where);
  if (const auto *sum = std::get_if<ReduceNode>(&node.kind); sum && sum->reduction == Reduction::Sum)
    return makeNode(ReduceNode{sum->reduction, sum->variables, shared(*sum->body, {}, true)}, node.where);
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary)
    return clone(node);
  if (asSum(node))
    return sharedSum(node, implicit, isSummed);
  const bool isWithin = isSummed || isIndexedBy(node, implicit, scope_);
  NodePtr right = binary->op == BinaryOp::Div ? clone(*binary->right) : shared(*binary->right, {}, isWithin);
  return makeNode(BinaryNode{binary->op, shared(*binary->left, {}, isWithin), std::move(right)}, node.where);
}

NodePtr FactorSharing::sharedSum(const Node &sum, const std::vector<VariableId> &implicit, bool isSummed) {
  const bool before = std::exchange(isShared_, false);
  std::vector<AddendProduct> addends;
  for (const Addend &addend : openAddends(sum, false)) {
    const bool isWithin = isSummed || isIndexedBy(*addend.node, implicit, scope_);
    addends.push_back(addendProduct(shared(*addend.node, {}, isWithin), addend.negative, implicit, scope_, kernel_));
  }
  while (shareIn(addends, isSummed))
    isShared_ = true;
  if (!std::exchange(isShared_, isShared_ || before))
    return clone(sum);
  NodePtr value;
  for (AddendProduct &product : addends) {
    const bool negative = product.negative;
    NodePtr addend = treeOf(std::move(product));
    const Span where = addend->where;
    if (value)
      value = makeBinary(negative ? BinaryOp::Sub : BinaryOp::Add, std::move(value), std::move(addend));
    else
      value = negative ? makeNode(NegateNode{std::move(addend)}, where) : std::move(addend);
  }
  return value;
}

/// Joins the two addends that share most; false where none do.
bool FactorSharing::shareIn(std::vector<AddendProduct> &addends, bool isSummed) {
  std::optional<Match> best;
  size_t first = 0, second = 0;
  for (size_t a = 0; a < addends.size() && addends.size() <= kMostAddends; ++a)
    for (size_t b = a + 1; b < addends.size() && (isSummed || !addends[a].sums.empty()); ++b)
      if (std::optional<Match> found = match(addends[a], addends[b]);
          found && (!best || found->common.size() > best->common.size())) {
        best = std::move(found);
        first = a;
        second = b;
      }
  if (!best)
    return false;
  merge(addends[first], addends[second], *best);
  addends.erase(addends.begin() + static_cast<ptrdiff_t>(second));
  return true;
}

/// The largest match of the factors from a number on, beside those that are matched already.
Match FactorSharing::mostCommon(const AddendProduct &own, const AddendProduct &other, size_t from, Match so,
                                size_t &tries) const {
  const Unifier unifier(scope_, own.sums, other.sums);
  for (size_t k = from; k < own.factors.size(); ++k) {
    std::optional<Match> best;
    for (size_t o = 0; o < other.factors.size(); ++o) {
      Match with = so;
      if (own.factors[k].divides != other.factors[o].divides || so.hasOther(o) || (best && tries > kMostTries) ||
          !unifier.unify(*own.factors[k].node, *other.factors[o].node, with.renamed))
        continue;
      ++tries;
      with.common.emplace_back(k, o);
      with = mostCommon(own, other, k + 1, std::move(with), tries);
      if (!best || with.common.size() > best->common.size())
        best = std::move(with);
    }
    if (best)
      return std::move(*best);
  }
  return so;
}

/// Names what is left of the other's sums; false where those have other extents.
bool FactorSharing::nameRest(const AddendProduct &own, const AddendProduct &other, Renamed &renamed) const {
  for (VariableId variable : other.sums) {
    if (renamed.contains(variable))
      continue;
    const auto isFree = [&](VariableId one) {
      return scope_.variables[one].extent == scope_.variables[variable].extent &&
             std::ranges::none_of(renamed, [&](const auto &pair) { return pair.second == one; });
    };
    const auto found = std::ranges::find_if(own.sums, isFree);
    if (found == own.sums.end())
      return false;
    renamed[variable] = *found;
  }
  return true;
}

/// The number that a tree is in the statement's type; nullopt where it is none, or not certain.
std::optional<double> FactorSharing::numberOf(const Node &node) const {
  if (const auto *number = std::get_if<NumberNode>(&node.kind))
    return foldCast(type_, ValueType::F64, number->value);
  if (const auto *negate = std::get_if<NegateNode>(&node.kind)) {
    const std::optional<double> operand = numberOf(*negate->operand);
    return operand ? foldNegate(type_, *operand) : std::nullopt;
  }
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  const std::optional<double> left = binary ? numberOf(*binary->left) : std::nullopt,
                              right = left ? numberOf(*binary->right) : std::nullopt;
  return right ? fold(binary->op, type_, *left, *right) : std::nullopt;
}

/// Whether a factor is one of those that two addends share.
static bool isCommon(size_t factor, const Match &match, bool isOwn) {
  return isOwn ? match.hasOwn(factor) : match.hasOther(factor);
}

/// What an addend has of its own, if that is a number.
std::optional<double> FactorSharing::numberBeside(const AddendProduct &product, const Match &match, bool isOwn) const {
  std::optional<double> total = 1;
  for (size_t k = 0; k < product.factors.size() && total; ++k) {
    if (isCommon(k, match, isOwn))
      continue;
    const std::optional<double> number = numberOf(*product.factors[k].node);
    total = number ? fold(product.factors[k].divides ? BinaryOp::Div : BinaryOp::Mul, type_, *total, *number)
                   : std::nullopt;
  }
  return total;
}

/// Whether a number that is not 0 is left wherever numbers are added up: what is multiplied with 0 has entries, too,
/// and is no number where a factor is infinite.
bool FactorSharing::leaveNumber(const AddendProduct &own, const AddendProduct &other, const Match &match) const {
  const std::optional<double> left = numberBeside(own, match, true), right = numberBeside(other, match, false);
  const BinaryOp op = own.isNegated != other.isNegated ? BinaryOp::Sub : BinaryOp::Add;
  return left.value_or(1) != 0 && right.value_or(1) != 0 &&
         (!left || !right || fold(op, type_, *left, *right).value_or(0) != 0);
}

/// Whether what two addends have of their own may be added up: none stands outside of an explicit sum that the other is
/// within. That has no index which the common factors lack: loops over it alone would read two arrays at a time. It
/// calls no function that takes long, which would be called for each entry. Where one lists entries both do, or it is a
/// vector's and the target is dense: else loops over what the common factors list would merge it.
bool FactorSharing::mayAddUp(const AddendProduct &own, const AddendProduct &other, const Match &match) const {
  std::vector<VariableId> common;
  for (const auto &[k, o] : match.common)
    std::ranges::copy(freeVariables(*own.factors[k].node, scope_), std::back_inserter(common));
  bool isOutside = false, isWithin = false;
  size_t listed = 0;
  bool isMerged = !kernel_.tensors[statement_.target.tensor].format.isDense();
  for (const AddendProduct *product : {&own, &other}) {
    size_t count = 0;
    for (size_t k = 0; k < product->factors.size(); ++k) {
      const AddendFactor &factor = product->factors[k];
      if (isCommon(k, match, product == &own) || factor.isNumber())
        continue;
      isOutside |= factor.isOutside;
      isWithin |= isIndexedBy(*factor.node, product->sums, scope_);
      if (hasSparse(*factor.node, scope_, kernel_)) {
        ++listed;
        isMerged |= freeVariables(*factor.node, scope_).size() > 1;
      }
      if (++count > kMostOwn || typeOf(*factor.node, scope_, kernel_) != type_ || callsLong(*factor.node))
        return false;
      for (VariableId variable : freeVariables(*factor.node, scope_)) {
        const auto name = match.renamed.find(variable);
        if (!has(common, product == &other && name != match.renamed.end() ? name->second : variable))
          return false;
      }
    }
  }
  return (!isOutside || !isWithin) && (listed != 1 || !isMerged) && leaveNumber(own, other, match);
}

std::optional<Match> FactorSharing::match(const AddendProduct &own, const AddendProduct &other) const {
  if (own.factors.empty() || other.factors.empty() || own.sums.size() != other.sums.size())
    return std::nullopt;
  size_t tries = 0;
  Match found = mostCommon(own, other, 0, {}, tries);
  const auto isMore = [&](const auto &pair) { return !own.factors[pair.first].isNumber(); };
  return std::ranges::any_of(found.common, isMore) && nameRest(own, other, found.renamed) && mayAddUp(own, other, found)
             ? std::optional(std::move(found))
             : std::nullopt;
}

/// Adds what the other addend has of its own to what the first one has.
void FactorSharing::merge(AddendProduct &own, AddendProduct &other, const Match &match) {
  std::vector<AddendFactor> left, right, common;
  for (size_t k = 0; k < own.factors.size(); ++k)
    if (!match.hasOwn(k))
      left.push_back(std::move(own.factors[k]));
  for (size_t k = 0; k < other.factors.size(); ++k)
    if (!match.hasOther(k))
      right.push_back(std::move(other.factors[k]));
  const auto isOutside = [](const AddendFactor &factor) { return factor.isOutside && !factor.isNumber(); };
  AddendFactor sum;
  sum.isOutside = std::ranges::any_of(left, isOutside) || std::ranges::any_of(right, isOutside);
  const auto valueOf = [](std::vector<AddendFactor> factors, Span where) {
    NodePtr value = multiplied(std::move(factors));
    return value ? std::move(value) : makeNode(NumberNode{1, "1"}, where);
  };
  NodePtr first = valueOf(std::move(left), own.where), second = valueOf(std::move(right), other.where);
  renameIndices(*second, match.renamed, scope_);
  sum.node =
      makeBinary(own.isNegated != other.isNegated ? BinaryOp::Sub : BinaryOp::Add, std::move(first), std::move(second));
  for (const auto &[k, o] : match.common) {
    common.push_back(std::move(own.factors[k]));
    common.back().isOutside |= other.factors[o].isOutside;
  }
  common.push_back(std::move(sum));
  // What stands outside of an explicit sum leaves no other sum around it.
  if (std::ranges::any_of(common, isOutside))
    own.bound = own.sums;
  own.factors = std::move(common);
  own.negative = own.isNegated;
  own.whole = nullptr;
}

using ReadBy = std::map<TensorId, std::set<TensorId>>;

/// Tensors that a tree reads, temporaries seen through.
std::set<TensorId> tensorsIn(const Node &node, const Scope &scope, const ReadBy &temporaries) {
  std::set<TensorId> tensors;
  for (AccessId id : accessesOf(node)) {
    const TensorId tensor = scope.accesses[id].tensor;
    tensors.insert(tensor);
    if (const auto made = temporaries.find(tensor); made != temporaries.end())
      tensors.insert(made->second.begin(), made->second.end());
  }
  return tensors;
}

/// Whether two addends of a sum in a tree read one tensor.
bool hasCommon(const Node &node, const Scope &scope, const ReadBy &temporaries) {
  std::set<TensorId> seen;
  if (asSum(node))
    for (const Addend &addend : openAddends(node, false))
      for (TensorId tensor : tensorsIn(*addend.node, scope, temporaries))
        if (!seen.insert(tensor).second)
          return true;
  return std::ranges::any_of(children(node), [&](const Node *child) { return hasCommon(*child, scope, temporaries); });
}

} // namespace

bool mayShareFactors(const Program &program) {
  ReadBy temporaries;
  for (const ResolvedStatement &statement : program.statements) {
    if (!statement.value)
      continue;
    if (hasCommon(*statement.value, statement.scope, temporaries))
      return true;
    if (statement.isTemporary)
      temporaries[statement.target.tensor].merge(tensorsIn(*statement.value, statement.scope, temporaries));
  }
  return false;
}

void shareFactors(Planning &planning) {
  const Kernel &kernel = planning.kernel;
  for (ResolvedStatement &statement : planning.statements) {
    const bool isSum = statement.op == AssignOp::Assign || statement.op == AssignOp::Add;
    if (isSum && !statement.isFused && !statement.takesIn && kernel.tensors[statement.target.tensor].fill == 0 &&
        computeTypeOf(kernel, statement) != ValueType::Bool && !hasFill(*statement.value, statement.scope, kernel))
      planning.contractions.shared |= FactorSharing(statement, kernel).run();
  }
}

} // namespace spc::sema
