#include "entry/products.h"

#include "sema/collected_entries.h"

#include <cstdint>

using mlir::Value;

namespace spc::entry {
namespace {

namespace LLVM = mlir::LLVM;
using runtime::AssemblySlot;
using runtime::RowPointersSlot;

constexpr int64_t kMostStored = int64_t{1} << 31;   ///< products of two such numbers do not overflow
constexpr int64_t kMostProducts = int64_t{1} << 56; ///< nor do sums over terms

/// The product of how many entries operands have; null where some have none to count.
Value productOf(Entry &entry, const sema::Term &term, const sema::Cover &factors) {
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

/// The least product of the numbers of entries of those that cover a term's loops; null where there is none.
Value leastProduct(Entry &entry, const sema::Term &term, const std::vector<sema::Cover> &covers) {
  Value least;
  for (const sema::Cover &cover : covers)
    if (const Value product = productOf(entry, term, cover))
      least = least ? entry.build.least(least, product) : product;
  return least;
}

} // namespace

Value mostProducts(Entry &entry, const sema::Statement &statement) {
  EntryBuilder &build = entry.build;
  Value sum = build.constant(0);
  for (const sema::Term &term : statement.terms)
    for (const std::vector<sema::Cover> &covers : sema::coversOf(entry.kernel, term)) {
      const Value product = leastProduct(entry, term, covers);
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
  const std::optional<sema::CountedProduct> product = sema::countedProduct(entry.kernel, statement);
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
  set(Slot::rows, 0, entry.tensors[second].rows ? entry.tensors[second].rows : build.null());
  set(Slot::count, 0, product->isAll ? entry.tensors[first].stored : build.constant(0));
}

Value accumulationTime(Entry &entry, const sema::Statement &statement, Value expected, Value mostProducts) {
  constexpr int64_t ofProduct = 2, ofEntry = 4, mostEntries = int64_t{1} << 40, mostInRow = int64_t{1} << 20;
  EntryBuilder &build = entry.build;
  const auto order = static_cast<size_t>(entry.kernel.tensors[statement.target].order());
  if (llvm::all_of(statement.terms, [&](const sema::Term &term) { return term.loops.size() <= order; }))
    return {};
  const Value most = build.multiply(build.least(mostProducts, build.constant(mostEntries)), build.constant(ofEntry));
  const std::optional<sema::CountedProduct> product = sema::countedProduct(entry.kernel, statement);
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
