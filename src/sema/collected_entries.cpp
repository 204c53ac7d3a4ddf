#include "sema/collected_entries.h"

#include "format/levels.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace spc::sema {
namespace {

/// Operands that a term has an entry of wherever it comes to one of its own; sorted. None say nothing.
using Factors = std::vector<OperandId>;
/// … of one of these; too many become one that says nothing.
using FactorSets = std::vector<Factors>;

constexpr size_t kMaxSets = 8;
constexpr size_t kMaxFactors = 6; ///< of a set, of whose subsets each is tried

FactorSets nothing() {
  return {Factors()};
}

FactorSets limited(FactorSets sets) {
  return sets.size() > kMaxSets ? nothing() : sets;
}

/// Where one or the other has a place.
FactorSets either(FactorSets left, const FactorSets &right) {
  left.insert(left.end(), right.begin(), right.end());
  return limited(std::move(left));
}

/// Where both have one.
FactorSets both(const FactorSets &left, const FactorSets &right) {
  FactorSets sets;
  for (const Factors &a : left)
    for (const Factors &b : right) {
      Factors &joined = sets.emplace_back();
      std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(joined));
    }
  return limited(std::move(sets));
}

FactorSets setsOf(const Domain &domain) {
  switch (domain.kind) {
  case DomainKind::Stored:
    return {{domain.operand}};
  case DomainKind::Everywhere:
  case DomainKind::Missing:
    return nothing();
  case DomainKind::All:
  case DomainKind::Any:
    break;
  }
  FactorSets sets = setsOf(domain.parts.front());
  for (size_t p = 1; p < domain.parts.size(); ++p)
    sets = domain.kind == DomainKind::All ? both(sets, setsOf(domain.parts[p]))
                                          : either(std::move(sets), setsOf(domain.parts[p]));
  return sets;
}

FactorSets setsOf(const Kernel &kernel, const Term &term, const Expr &expr) {
  if (const auto *use = std::get_if<Use>(&expr.node))
    return kernel.tensors[term.operands[use->operand].tensor].format.isDense() ? nothing() : FactorSets{{use->operand}};
  if (const auto *negated = std::get_if<Negate>(&expr.node))
    return setsOf(kernel, term, *negated->operand);
  if (const auto *binary = std::get_if<Binary>(&expr.node)) {
    const FactorSets left = setsOf(kernel, term, *binary->left), right = setsOf(kernel, term, *binary->right);
    const bool isSum = binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub;
    return isSum ? either(left, right) : both(left, right);
  }
  return nothing();
}

FactorSets factorsOf(const Kernel &kernel, const Term &term) {
  return term.domain ? setsOf(*term.domain) : setsOf(kernel, term, *term.expr);
}

/// Whether each of the loops runs over a coordinate of one of these operands. A coordinate that is a sum of loops'
/// variables says of none where it is.
bool coverLoops(const Term &term, const Factors &factors) {
  std::set<LoopId> loops;
  for (const OperandId operand : factors)
    for (const Index &index : term.operands[operand].indices)
      if (index.terms.size() == 1)
        loops.insert(index.terms.front().loop);
  return loops.size() == term.loops.size();
}

std::vector<Cover> coversAmong(const Term &term, const Factors &factors) {
  std::vector<Cover> covers;
  if (factors.size() > kMaxFactors)
    return covers;
  std::vector<unsigned> found;
  for (unsigned chosen = 1; chosen < 1u << factors.size(); ++chosen) {
    if (std::any_of(found.begin(), found.end(), [&](unsigned cover) { return (cover & chosen) == cover; }))
      continue; // more factors make no less of it
    Cover some;
    for (size_t f = 0; f < factors.size(); ++f)
      if ((chosen >> f & 1u) != 0)
        some.push_back(factors[f]);
    if (!coverLoops(term, some))
      continue;
    found.push_back(chosen);
    covers.push_back(std::move(some));
  }
  return covers;
}

/// Whether the term is computed where both operands have an entry, and nowhere else, and has no loops but theirs.
bool isAllOf(const Kernel &kernel, const Term &term, OperandId first, OperandId second) {
  const FactorSets sets = factorsOf(kernel, term);
  const auto has = [&](OperandId one) {
    return std::find(sets.front().begin(), sets.front().end(), one) != sets.front().end();
  };
  return sets.size() == 1 && has(first) && has(second) && coverLoops(term, {first, second});
}

/// Whether the first level has every row at that index, and the second one lists what is in it.
bool listsRows(const Kernel &kernel, const Operand &operand, const Index &row) {
  const std::vector<format::Level> &levels = kernel.tensors[operand.tensor].format.levels;
  return levels.size() > 1 && levels[0].isFullyDense() && levels[0].part == format::Part::Whole &&
         format::kindOf(levels, 1) == format::LevelKind::Compressed && !levels[1].hasLengths() &&
         operand.indices[0] == row;
}

/// The index of the first dimension that entries are collected by.
const Index &rowOf(const Statement &statement, const Term &term) {
  return term.target[static_cast<size_t>(statement.collecting->dims.front())];
}

/// Whether an operand is a tie by an equation: it may be without lists.
bool isEquation(const Kernel &kernel, const Operand &operand) {
  const auto *tie = kernel.tensors[operand.tensor].as<Tie>();
  return tie && !tie->source;
}

/// Whether an array of its own lists the coordinates of the last level.
bool endsWithList(const Kernel &kernel, const Operand &operand) {
  if (isEquation(kernel, operand))
    return false;
  const format::Format &format = kernel.tensors[operand.tensor].format;
  return !format.levels.empty() && !format.interleaved && format.levels.back().part == format::Part::Whole &&
         format::listsCoordinates(format::kindOf(format, format.levelCount() - 1));
}

} // namespace

std::vector<std::vector<Cover>> coversOf(const Kernel &kernel, const Term &term) {
  std::vector<std::vector<Cover>> covers;
  for (const Factors &factors : factorsOf(kernel, term))
    covers.push_back(coversAmong(term, factors));
  return covers;
}

std::optional<CountedProduct> countedProduct(const Kernel &kernel, const Statement &statement) {
  if (statement.terms.size() != 1)
    return std::nullopt;
  const Term &term = statement.terms.front();
  const auto levels = [&](OperandId operand) {
    return kernel.tensors[term.operands[operand].tensor].format.levels.size();
  };
  std::optional<CountedProduct> found;
  for (const OperandId first : term.operands.ids())
    for (const OperandId second : term.operands.ids()) {
      if (first == second || !endsWithList(kernel, term.operands[first]) || levels(second) != 2 ||
          !endsWithList(kernel, term.operands[second]) ||
          !listsRows(kernel, term.operands[second], term.operands[first].indices.back()))
        continue;
      const bool isByRows = statement.collecting->rowOrder == 1 && levels(first) == 2 &&
                            listsRows(kernel, term.operands[first], rowOf(statement, term));
      const bool isAll = isAllOf(kernel, term, first, second);
      if (isByRows)
        return CountedProduct{first, second, isByRows, isAll};
      if (!found && isAll)
        found = CountedProduct{first, second, isByRows, isAll};
    }
  return found;
}

std::vector<OperandId> rowLists(const Kernel &kernel, const Statement &statement) {
  const Term &term = statement.terms.front();
  std::vector<OperandId> lists;
  for (const OperandId operand : term.operands.ids())
    if (!isEquation(kernel, term.operands[operand]) &&
        listsRows(kernel, term.operands[operand], rowOf(statement, term)))
      lists.push_back(operand);
  return lists;
}

} // namespace spc::sema
