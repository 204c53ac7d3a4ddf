// Temporaries that are sums of products, as factors of the products that read them.
#include "sema/renaming.h"
#include "sema/terms/contraction.h"
#include "sema/terms/distribution.h"
#include "sema/terms/fuse.h"
#include "sema/terms/listed_temporaries.h"
#include "sema/terms/products.h"

#include <algorithm>
#include <map>

namespace spc::sema {
namespace {

/// The body of sums that are a whole value.
const Node *bodyOf(const Node *value) {
  const auto *reduction = std::get_if<ReduceNode>(&value->kind);
  return reduction && reduction->reduction == Reduction::Sum ? bodyOf(reduction->body.get()) : value;
}

/// The variables of `value` that are none of `targets`.
std::vector<VariableId> summedOver(const Node &value, const Scope &scope, const std::vector<VariableId> &targets) {
  std::vector<VariableId> variables = freeVariables(value, scope);
  std::erase_if(variables, [&](VariableId variable) { return has(targets, variable); });
  return variables;
}

/// How many variables the sums within a value run over.
size_t boundIn(const Node &value) {
  const auto *reduction = std::get_if<ReduceNode>(&value.kind);
  size_t count = reduction ? reduction->variables.size() : 0;
  for (const Node *child : children(value))
    count += boundIn(*child);
  return count;
}

/// How many variables an addend of a statement is added up over.
size_t sumsOf(const Node &addend, const ResolvedStatement &statement) {
  return boundIn(addend) + summedOver(addend, statement.scope, statement.target.variables).size();
}

/// Whether no operand has all indices of what is made of them.
bool isLargerThanOperands(const ResolvedStatement &made) {
  const std::vector<AccessId> accesses = accessesOf(*made.value);
  return accesses.size() > 1 && std::none_of(accesses.begin(), accesses.end(), [&](AccessId id) {
           const std::vector<VariableId> &own = made.scope.accesses[id].variables;
           return std::all_of(made.target.variables.begin(), made.target.variables.end(),
                              [&](VariableId variable) { return has(own, variable); });
         });
}

/// Whether a tree is a sum of products, none of whose factors is a sum within a function.
bool isSumOfProducts(const Node &value, const Scope &scope, const std::vector<VariableId> &targets) {
  const Node &body = *bodyOf(&value);
  return !asSum(body) && !std::holds_alternative<AccessNode>(body.kind) && !hasOtherReduction(value) &&
         !summedOver(body, scope, targets).empty();
}

/// Whether a reader is a factor or a numerator, perhaps within sums, or an addend: additions are around the whole
/// product alone.
bool isFactor(const Reader &reader) {
  bool isInside = false;
  for (size_t k = 0; k + 1 < reader.path.size(); ++k) {
    const Node &node = *reader.path[k];
    const auto *binary = std::get_if<BinaryNode>(&node.kind);
    const auto *reduction = std::get_if<ReduceNode>(&node.kind);
    const bool isSum = asSum(node), isNegative = std::holds_alternative<NegateNode>(node.kind);
    const bool isScaled = binary && (binary->op == BinaryOp::Mul ||
                                     (binary->op == BinaryOp::Div && binary->left.get() == reader.path[k + 1]));
    if ((isSum && isInside) || (reduction && reduction->reduction != Reduction::Sum) ||
        (!binary && !reduction && !isNegative) || (binary && !isSum && !isScaled))
      return false;
    isInside = isInside || (!isSum && !isNegative);
  }
  return true;
}

/// Whether what a statement reads is divided there.
bool isDivided(const Reader &reader) {
  return std::any_of(reader.path.begin(), reader.path.end(), [](const Node *node) {
    const auto *binary = std::get_if<BinaryNode>(&node->kind);
    return binary && binary->op == BinaryOp::Div;
  });
}

/// Whether a statement, or all that reads the temporary that it makes, adds up over an index of what is read. `known`:
/// by statement, whether all that reads what it makes does.
bool isAddedUp(const Planning &planning, size_t statement, AccessId read, std::map<size_t, bool> &known) {
  const ResolvedStatement &use = planning.statements[statement];
  if (sumsOver(use, read) || !use.isTemporary)
    return sumsOver(use, read);
  const auto [entry, isNew] = known.try_emplace(statement, false);
  if (!isNew)
    return entry->second;
  size_t readers = 0;
  bool doAll = true;
  for (size_t k = statement + 1; k < planning.statements.size() && doAll; ++k)
    for (AccessId id : accessesOf(*planning.statements[k].value))
      if (const Access &access = planning.statements[k].scope.accesses[id]; access.tensor == use.target.tensor) {
        doAll = doAll && !hasDerived(access, planning.statements[k].scope) && isAddedUp(planning, k, id, known);
        ++readers;
      }
  return known[statement] = doAll && readers > 0;
}

/// Whether what a reader divides may be divided product by product. That pays where it is added up, but for a result
/// that lists its entries and places that an equation says: these are few.
bool mayBeDivided(const Planning &planning, const Reader &reader) {
  const ResolvedStatement &use = planning.statements[reader.statement];
  const std::vector<AccessId> accesses = accessesOf(*use.value);
  const bool isListed =
      planning.symbols[use.target.tensor].boundBy && !planning.kernel.tensors[use.target.tensor].format.isDense();
  std::map<size_t, bool> known;
  return !isListed && isAddedUp(planning, reader.statement, reader.access, known) &&
         std::none_of(accesses.begin(), accesses.end(),
                      [&](AccessId id) { return planning.kernel.tensors[use.scope.accesses[id].tensor].is<Tie>(); });
}

/// The addend that a reader is in.
const Node &addendOf(const Reader &reader) {
  return **std::find_if(reader.path.begin(), reader.path.end(), [](const Node *node) {
    return !asSum(*node) && !std::holds_alternative<NegateNode>(node->kind);
  });
}

/// Whether a reader is a factor of an addend of the one sum in a product that has sparse operands, and no sum() beside
/// it: that may be multiplied out.
bool isFactorInSum(const Planning &planning, const Reader &reader) {
  const ResolvedStatement &use = planning.statements[reader.statement];
  auto node = std::ranges::find(reader.path, &addendOf(reader));
  const auto isAround = [](const Node *each) {
    const auto *reduction = std::get_if<ReduceNode>(&each->kind);
    return (reduction && reduction->reduction == Reduction::Sum) || std::holds_alternative<NegateNode>(each->kind);
  };
  node = std::find_if_not(node, reader.path.end(), isAround);
  const SumFactors factors = sumFactorsOf(**node, use.scope, planning.kernel);
  const auto sum = factors.sums.size() == 1 && factors.reductions.empty()
                       ? std::find(node, reader.path.end(), factors.sums.front())
                       : reader.path.end();
  const auto isAdded = [](const Node *each) { return asSum(*each) || std::holds_alternative<NegateNode>(each->kind); };
  return sum != reader.path.end() && std::all_of(std::find_if_not(sum, reader.path.end() - 1, isAdded),
                                                 reader.path.end() - 1, [](const Node *each) {
                                                   const auto *binary = std::get_if<BinaryNode>(&each->kind);
                                                   return std::holds_alternative<NegateNode>(each->kind) ||
                                                          (binary && binary->op == BinaryOp::Mul);
                                                 });
}

/// Whether the sums of a temporary and of the addend that reads it may be taken in any order.
bool mayJoinSums(const Planning &planning, const ResolvedStatement &made, const Reader &reader) {
  const ResolvedStatement &use = planning.statements[reader.statement];
  return sumsOf(*made.value, made) + sumsOf(addendOf(reader), use) <= kMostSums &&
         computeTypeOf(planning.kernel, use) != ValueType::Bool &&
         isReorderable(*made.value, made.scope, planning.kernel) &&
         isReorderable(addendOf(reader), use.scope, planning.kernel);
}

/// Whether a temporary adds something that has elements everywhere to a sparse operand with all its indices.
bool isSparseBesideAny(const Planning &planning, const ResolvedStatement &made) {
  bool isListed = false;
  for (AccessId id : accessesOf(*made.value)) {
    const std::vector<VariableId> &own = made.scope.accesses[id].variables;
    const bool hasAll = std::all_of(made.target.variables.begin(), made.target.variables.end(),
                                    [&](VariableId variable) { return has(own, variable); });
    const bool isSparse = !planning.kernel.tensors[made.scope.accesses[id].tensor].format.isDense();
    if (hasAll && !isSparse)
      return false;
    isListed |= hasAll;
  }
  return isListed && asSum(*made.value) && hasWholeAddend(made, planning);
}

/// Whether each variable that a statement adds up over is in one of its addends.
bool addsUpApart(const ResolvedStatement &made) {
  std::vector<VariableId> seen;
  for (const Addend &addend : openAddends(*made.value, false))
    for (VariableId variable : summedOver(*addend.node, made.scope, made.target.variables)) {
      if (has(seen, variable))
        return false;
      seen.push_back(variable);
    }
  return true;
}

/// The same of one that has sums among its addends, which are then taken with those of what reads it.
bool isSparseBesideSum(const Planning &planning, const ResolvedStatement &made) {
  return isSparseBesideAny(planning, made) && (hasReduction(*made.value) || !isElementwise(made)) &&
         addsUpApart(made) && !hasOtherReduction(*made.value);
}

/// A value with sums around what they are of: each addend's are its own.
NodePtr withSums(NodePtr value, const std::vector<VariableId> &sums, const Scope &scope) {
  const Span where = value->where;
  if (auto *negate = std::get_if<NegateNode>(&value->kind)) {
    negate->operand = withSums(std::move(negate->operand), sums, scope);
    return value;
  }
  if (asSum(*value)) {
    auto &binary = std::get<BinaryNode>(value->kind);
    binary.left = withSums(std::move(binary.left), sums, scope);
    binary.right = withSums(std::move(binary.right), sums, scope);
    return value;
  }
  const std::vector<VariableId> free = freeVariables(*value, scope);
  std::vector<VariableId> own = sums;
  std::erase_if(own, [&](VariableId variable) { return !has(free, variable); });
  return own.empty() ? std::move(value) : makeNode(ReduceNode{Reduction::Sum, std::move(own), std::move(value)}, where);
}

} // namespace

bool isIndexedBeside(VariableId variable, const ResolvedStatement &use, const Reader &reader) {
  const std::vector<AccessId> accesses = accessesOf(addendOf(reader));
  return std::any_of(accesses.begin(), accesses.end(), [&](AccessId id) {
    return id != reader.access && has(plainVariables(use.scope.accesses[id], use.scope), variable);
  });
}

bool isAddendsFactor(const Reader &reader) {
  bool isInside = false;
  for (const Node *node : reader.path) {
    if (isInside && asSum(*node))
      return false;
    isInside = isInside || !(asSum(*node) || std::holds_alternative<NegateNode>(node->kind));
  }
  return true;
}

bool sumsOver(const ResolvedStatement &use, AccessId read) {
  const std::vector<VariableId> &own = use.scope.accesses[read].variables;
  return std::any_of(own.begin(), own.end(),
                     [&](VariableId variable) { return use.scope.variables[variable].kind != Variable::Kind::Target; });
}

bool isProductInAddend(const Planning &planning, const ResolvedStatement &made, const Reader &reader) {
  return !asSum(*bodyOf(made.value.get())) && !hasOtherReduction(*made.value) && mayJoinSums(planning, made, reader) &&
         isFactor(reader) && !isDivided(reader);
}

bool isProductWithin(const Planning &planning, const ResolvedStatement &made, const Reader &reader) {
  if (!mayJoinSums(planning, made, reader))
    return false;
  const ResolvedStatement &use = planning.statements[reader.statement];
  return planning.mayReorderSums() && made.target.variables.size() > 1 &&
         (isSumOfProducts(*made.value, made.scope, made.target.variables) ||
          ((isSparseBesideWhole(planning, made) || isSparseBesideSum(planning, made)) &&
           sumsOver(use, reader.access)) ||
          (isLargerThanOperands(made) && !asSum(*made.value) && !hasOtherReduction(*made.value))) &&
         (isFactor(reader) || (sumsOver(use, reader.access) && isFactorInSum(planning, reader))) &&
         (!isDivided(reader) || mayBeDivided(planning, reader));
}

bool isSparseBesideWhole(const Planning &planning, const ResolvedStatement &made) {
  return isSparseBesideAny(planning, made) && isElementwise(made) && !hasReduction(*made.value);
}

bool isBesideSparseInEach(const Planning &planning, size_t producer, const std::vector<Reader> &readers) {
  const ResolvedStatement &made = planning.statements[producer];
  for (size_t k = 0; k < readers.size(); ++k)
    for (size_t other = 0; other < k; ++other)
      if (&addendOf(readers[k]) == &addendOf(readers[other]))
        return false;
  const bool adds = isSparseBesideSum(planning, made);
  const bool isProduct =
      !adds && isSumOfProducts(*made.value, made.scope, made.target.variables) && isLargerThanOperands(made);
  return (adds || isProduct) && std::ranges::all_of(readers, [&](const Reader &reader) {
           return sumsOver(planning.statements[reader.statement], reader.access) &&
                  (adds || isFactorInSum(planning, reader));
         });
}

bool isScattered(const Planning &planning, const ResolvedStatement &made) {
  const std::vector<AccessId> accesses = accessesOf(*made.value);
  const std::vector<VariableId> &targets = made.target.variables;
  return targets.size() > 1 && std::all_of(targets.begin(), targets.end(), [&](VariableId target) {
           return std::any_of(accesses.begin(), accesses.end(), [&](AccessId id) {
             const Access &access = made.scope.accesses[id];
             const auto *tie = planning.kernel.tensors[access.tensor].as<Tie>();
             return tie && tie->source && access.variables.back() == target;
           });
         });
}

void putInPlace(const ResolvedStatement &made, ResolvedStatement &use, AccessId access, Node &place) {
  Renamed variables;
  const std::vector<VariableId> indices = use.scope.accesses[access].variables;
  for (size_t dim = 0; dim < indices.size(); ++dim)
    variables[made.target.variables[dim]] = indices[dim];
  std::vector<VariableId> sums;
  for (VariableId variable : summedOver(*made.value, made.scope, made.target.variables)) {
    Variable bound = made.scope.variables[variable];
    bound.kind = Variable::Kind::Bound;
    sums.push_back(variables[variable] = addVariable(use.scope, std::move(bound)));
  }
  NodePtr value = clone(*made.value);
  rename(*value, variables, made.scope, use.scope);
  replaceAccesses(*value, [&](AccessId id) {
    Access own = made.scope.accesses[id];
    for (VariableId &variable : own.variables)
      variable = variables.at(variable);
    return use.scope.intern(std::move(own));
  });
  const Span where = value->where;
  place = std::move(*(asSum(*value)  ? withSums(std::move(value), sums, use.scope)
                      : sums.empty() ? std::move(value)
                                     : makeNode(ReduceNode{Reduction::Sum, std::move(sums), std::move(value)}, where)));
}

} // namespace spc::sema
