#include "entry/products.h"

#include "format/levels.h"

#include <algorithm>
#include <cstdint>
#include <set>

using mlir::Value;

namespace spc::entry {
namespace {

namespace LLVM = mlir::LLVM;
using runtime::AssemblySlot;
using runtime::RowPointersSlot;

/// Operands that a term has an entry of wherever it comes to one of its own; sorted. None say nothing.
using Factors = std::vector<sema::OperandId>;
/// … of one of these; too many become one that says nothing.
using FactorSets = std::vector<Factors>;

constexpr size_t kMaxSets = 8;
constexpr size_t kMaxFactors = 6;                   ///< of a set, of whose subsets each is tried
constexpr int64_t kMostStored = int64_t{1} << 31;   ///< products of two such numbers do not overflow
constexpr int64_t kMostProducts = int64_t{1} << 56; ///< nor do sums over terms

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

FactorSets setsOf(const sema::Domain &domain) {
  switch (domain.kind) {
  case sema::DomainKind::Stored:
    return {{domain.operand}};
  case sema::DomainKind::Everywhere:
  case sema::DomainKind::Missing:
    return nothing();
  case sema::DomainKind::All:
  case sema::DomainKind::Any:
    break;
  }
  FactorSets sets = setsOf(domain.parts.front());
  for (size_t p = 1; p < domain.parts.size(); ++p)
    sets = domain.kind == sema::DomainKind::All ? both(sets, setsOf(domain.parts[p]))
                                                : either(std::move(sets), setsOf(domain.parts[p]));
  return sets;
}

FactorSets setsOf(const sema::Kernel &kernel, const sema::Term &term, const sema::Expr &expr) {
  if (const auto *use = std::get_if<sema::Use>(&expr.node))
    return kernel.tensors[term.operands[use->operand].tensor].format.isDense() ? nothing() : FactorSets{{use->operand}};
  if (const auto *negated = std::get_if<sema::Negate>(&expr.node))
    return setsOf(kernel, term, *negated->operand);
  if (const auto *binary = std::get_if<sema::Binary>(&expr.node)) {
    const FactorSets left = setsOf(kernel, term, *binary->left), right = setsOf(kernel, term, *binary->right);
    const bool isSum = binary->op == sema::BinaryOp::Add || binary->op == sema::BinaryOp::Sub;
    return isSum ? either(left, right) : both(left, right);
  }
  return nothing();
}

/// The loops over coordinates of an operand. A coordinate that is a sum of loops' variables says of none where it is.
void addLoops(const sema::Term &term, sema::OperandId operand, std::set<sema::LoopId> &loops) {
  for (const sema::Index &index : term.operands[operand].indices)
    if (index.terms.size() == 1)
      loops.insert(index.terms.front().loop);
}

FactorSets factorsOf(const sema::Kernel &kernel, const sema::Term &term) {
  return term.domain ? setsOf(*term.domain) : setsOf(kernel, term, *term.expr);
}

/// Whether each of the loops runs over a coordinate of one of these operands.
bool coverLoops(const sema::Term &term, const Factors &factors) {
  std::set<sema::LoopId> loops;
  for (const sema::OperandId operand : factors)
    addLoops(term, operand, loops);
  return loops.size() == term.loops.size();
}

/// The product of how many entries operands have; null where some have none to count.
Value productOf(Entry &entry, const sema::Term &term, const Factors &factors) {
  EntryBuilder &build = entry.build;
  const Value most = build.constant(kMostStored);
  Value product;
  for (const sema::OperandId operand : factors) {
    Value stored = entry.tensors[term.operands[operand].tensor].stored;
    if (!stored)
      return {};
    stored = build.least(stored, most);
    product = product ? build.multiply(build.least(product, most), stored) : stored;
  }
  return product;
}

/// The least product of those factors that cover the loops; null where none do.
Value leastProduct(Entry &entry, const sema::Term &term, const Factors &factors) {
  if (factors.size() > kMaxFactors)
    return {};
  Value least;
  std::vector<unsigned> covers;
  for (unsigned chosen = 1; chosen < 1u << factors.size(); ++chosen) {
    if (llvm::any_of(covers, [&](unsigned cover) { return (cover & chosen) == cover; }))
      continue; // more factors make no less of it
    Factors some;
    for (size_t f = 0; f < factors.size(); ++f)
      if ((chosen >> f & 1u) != 0)
        some.push_back(factors[f]);
    if (!coverLoops(term, some))
      continue;
    covers.push_back(chosen);
    const Value product = productOf(entry, term, some);
    if (product)
      least = least ? entry.build.least(least, product) : product;
  }
  return least;
}

/// Operands of a product, the second one a matrix by rows.
struct Product {
  sema::OperandId first, second;
  bool isByRows = false; ///< the first is a matrix by rows, which are those that are collected
};

/// Whether the term is computed where both operands have an entry, and nowhere else, and has no loops but theirs.
bool isAllOf(const sema::Kernel &kernel, const sema::Term &term, sema::OperandId first, sema::OperandId second) {
  const FactorSets sets = factorsOf(kernel, term);
  return sets.size() == 1 && llvm::is_contained(sets.front(), first) && llvm::is_contained(sets.front(), second) &&
         coverLoops(term, {first, second});
}

/// Two operands of a product whose multiplications can be counted: the entries of the first one list rows of the
/// second. Of a matrix by rows as the first the rows are those that are collected, whatever else the term has.
std::optional<Product> findProduct(const Entry &entry, const sema::Statement &statement) {
  if (statement.terms.size() != 1)
    return std::nullopt;
  const sema::Term &term = statement.terms.front();
  const auto levelsOf = [&](sema::OperandId operand) -> const std::vector<format::Level> & {
    return entry.kernel.tensors[term.operands[operand].tensor].format.levels;
  };
  const auto endsWithList = [&](sema::OperandId operand) {
    const std::vector<format::Level> &levels = levelsOf(operand);
    return !levels.empty() && levels.back().part == format::Part::Whole && !levels.back().isFullyDense() &&
           entry.tensors[term.operands[operand].tensor].indices[levels.size() - 1];
  };
  std::optional<Product> found;
  for (const sema::OperandId first : term.operands.ids())
    for (const sema::OperandId second : term.operands.ids()) {
      if (first == second || !endsWithList(first) || levelsOf(second).size() != 2 || !endsWithList(second) ||
          !listsRows(entry.kernel, term.operands[second], term.operands[first].indices.back()))
        continue;
      const bool isByRows = statement.collecting->rowOrder == 1 && levelsOf(first).size() == 2 &&
                            listsRows(entry.kernel, term.operands[first], rowOf(term, *statement.collecting));
      if (isByRows || (!found && isAllOf(entry.kernel, term, first, second)))
        found = Product{first, second, isByRows};
      if (isByRows)
        return found;
    }
  return found;
}

} // namespace

/// A tensor whose first level has every row at that index, and whose second one lists what is in it.
bool listsRows(const sema::Kernel &kernel, const sema::Operand &operand, const sema::Index &row) {
  const std::vector<format::Level> &levels = kernel.tensors[operand.tensor].format.levels;
  return levels.size() > 1 && levels[0].isFullyDense() && levels[0].part == format::Part::Whole &&
         format::kindOf(levels, 1) == format::LevelKind::Compressed && !levels[1].hasLengths() &&
         operand.indices[0] == row;
}

/// The index of the term's rows: of the first dimension that its entries are collected by.
const sema::Index &rowOf(const sema::Term &term, const sema::Collecting &collecting) {
  return term.target[static_cast<size_t>(collecting.dims.front())];
}

Value mostProducts(Entry &entry, const sema::Statement &statement) {
  EntryBuilder &build = entry.build;
  Value sum = build.constant(0);
  for (const sema::Term &term : statement.terms)
    for (const Factors &factors : factorsOf(entry.kernel, term)) {
      const Value product = leastProduct(entry, term, factors);
      if (!product)
        return build.constant(INT64_MAX);
      sum = build.add(sum, build.least(product, build.constant(kMostProducts)));
    }
  return sum;
}

void storeFactors(Entry &entry, const Struct &type, Value object, const sema::Statement &statement) {
  EntryBuilder &build = entry.build;
  using Slot = runtime::FactorsSlot;
  const auto set = [&](unsigned slot, unsigned field, Value value) {
    build.storeField(type, object, AssemblySlot::factors + slot + field, value);
  };
  const auto bytesOf = [&](format::IndexType type) { return build.constant(format::bits(type) / 8); };
  const std::optional<Product> product = findProduct(entry, statement);
  if (!product) {
    set(Slot::first, RowPointersSlot::array, build.null());
    return set(Slot::count, 0, build.constant(0));
  }
  const sema::Term &term = statement.terms.front();
  const sema::TensorId first = term.operands[product->first].tensor, second = term.operands[product->second].tensor;
  const format::Format &a = entry.kernel.tensors[first].format, &b = entry.kernel.tensors[second].format;
  set(Slot::first, RowPointersSlot::array, product->isByRows ? entry.tensors[first].pointers[1] : build.null());
  set(Slot::first, RowPointersSlot::bytes, bytesOf(a.pointers));
  set(Slot::columns, 0, entry.tensors[first].indices[a.levels.size() - 1]);
  set(Slot::columnBytes, 0, bytesOf(a.indices));
  set(Slot::second, RowPointersSlot::array, entry.tensors[second].pointers[1]);
  set(Slot::second, RowPointersSlot::bytes, bytesOf(b.pointers));
  const bool isCounted = isAllOf(entry.kernel, term, product->first, product->second);
  set(Slot::count, 0, isCounted ? entry.tensors[first].stored : build.constant(0));
}

Value accumulationTime(Entry &entry, const sema::Statement &statement, Value expected, Value mostProducts) {
  constexpr int64_t ofProduct = 2, ofEntry = 4, mostEntries = int64_t{1} << 40, mostInRow = int64_t{1} << 20;
  EntryBuilder &build = entry.build;
  const auto order = static_cast<size_t>(entry.kernel.tensors[statement.target].order());
  if (llvm::all_of(statement.terms, [&](const sema::Term &term) { return term.loops.size() <= order; }))
    return {};
  const Value most = build.multiply(build.least(mostProducts, build.constant(mostEntries)), build.constant(ofEntry));
  const std::optional<Product> product = findProduct(entry, statement);
  if (!product)
    return build.least(most,
                       build.multiply(build.least(expected, build.constant(mostEntries)), build.constant(ofEntry)));
  const sema::TensorId first = statement.terms.front().operands[product->first].tensor,
                       second = statement.terms.front().operands[product->second].tensor;
  const sema::Tensor &matrix = entry.kernel.tensors[second];
  const Value rows = build.greatest(levelExtent(entry, matrix, matrix.format.levels[0]), build.constant(1));
  const Value inRow = LLVM::UDivOp::create(build.ops(), entry.tensors[second].stored, rows);
  const Value entries = build.least(entry.tensors[first].stored, build.constant(mostEntries / ofProduct));
  const Value mean = build.multiply(build.multiply(entries, build.constant(ofProduct)),
                                    build.add(build.least(inRow, build.constant(mostInRow)), build.constant(1)));
  return build.least(most, mean);
}

} // namespace spc::entry
