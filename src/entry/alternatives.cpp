#include "entry/alternatives.h"

#include "sema/alternatives.h"

#include <map>

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

/// Costs in steps as numbers of 64 bits with a fraction: as integers they would overflow.
class Costs {
public:
  explicit Costs(Entry &entry) : entry_(entry), build_(entry.build), type_(entry.build.ops().getF64Type()) {}

  Value constant(double value) {
    return LLVM::ConstantOp::create(build_.ops(), type_, build_.ops().getF64FloatAttr(value));
  }

  /// As sema's evaluate() adds up.
  Value of(const std::vector<sema::StatementCost> &costs) {
    listed_.clear();
    Value total = constant(0);
    for (const sema::StatementCost &cost : costs) {
      Value steps = of(cost.steps);
      if (!cost.byFibers.empty()) {
        const Value byFibers = of(cost.byFibers);
        steps = build_.select(isLess(byFibers, steps), byFibers, steps);
      }
      total = sum(sum(total, steps), of(cost.beside));
      if (!cost.copied.empty())
        total = sum(total, scaled(of(cost.copied), constant(sema::kCopyingCost)));
      if (!cost.called.empty())
        total = sum(total, scaled(of(cost.called), constant(sema::kCallingCost)));
      if (!cost.listed)
        continue;
      const Value places = of({cost.places});
      listed_[*cost.listed] = build_.select(isLess(steps, places), steps, places);
      const Value entries = listed_[*cost.listed];
      total = sum(total, cost.isSorted ? scaled(entries, constant(1 + sema::kCopyingCost)) : entries);
    }
    return total;
  }

  Value isLess(Value left, Value right) {
    return LLVM::FCmpOp::create(build_.ops(), LLVM::FCmpPredicate::olt, left, right);
  }

private:
  Value scaled(Value left, Value right) { return LLVM::FMulOp::create(build_.ops(), left, right); }

  Value sum(Value left, Value right) { return LLVM::FAddOp::create(build_.ops(), left, right); }

  Value of(const std::vector<sema::CostProduct> &cost) {
    Value total = constant(0);
    for (const sema::CostProduct &product : cost) {
      Value value = constant(1);
      for (const sema::CostFactor &factor : product)
        value = factor.divides ? divided(value, of(factor)) : scaled(value, of(factor));
      total = sum(total, value);
    }
    return total;
  }

  Value number(Value integer) { return LLVM::SIToFPOp::create(build_.ops(), type_, integer); }

  Value of(const sema::CostFactor &factor) {
    if (!factor.entriesOf) {
      const Value extent = entry_.extents[factor.extent];
      return factor.part == format::Part::Quotient    ? number(blocksOf(build_, extent, factor.block))
             : factor.part == format::Part::Remainder ? constant(static_cast<double>(factor.block))
                                                      : number(extent);
    }
    if (const auto own = listed_.find(*factor.entriesOf); own != listed_.end())
      return own->second;
    Value entries = entry_.tensors[*factor.entriesOf].stored;
    for (sema::TensorId part : factor.otherParts)
      entries = build_.add(entries, entry_.tensors[part].stored);
    return number(entries);
  }

  /// 0 where nothing is divided into no parts.
  Value divided(Value value, Value by) {
    const Value isNone = LLVM::FCmpOp::create(build_.ops(), LLVM::FCmpPredicate::oeq, by, constant(0));
    const Value share = LLVM::FDivOp::create(build_.ops(), value, build_.select(isNone, constant(1), by));
    return build_.select(isNone, constant(0), share);
  }

  Entry &entry_;
  EntryBuilder &build_;
  mlir::Type type_;
  std::map<sema::TensorId, Value> listed_; ///< of an alternative's assembled tensors: how many entries they may have
};

} // namespace

void chooseAlternative(Entry &entry) {
  const std::vector<sema::Alternative> &all = entry.kernel.alternatives;
  if (all.empty())
    return;
  Costs costs(entry);
  entry.alternative = entry.build.constant(0);
  Value least = costs.of(sema::costOf(entry.kernel, all.front()));
  for (size_t k = 1; k < all.size(); ++k) {
    const Value steps = costs.of(sema::costOf(entry.kernel, all[k]));
    const Value weighed = LLVM::FMulOp::create(entry.build.ops(), steps, costs.constant(sema::kFirstMayCost));
    const Value isBetter = costs.isLess(weighed, least);
    least = entry.build.select(isBetter, weighed, least);
    entry.alternative = entry.build.select(isBetter, entry.build.constant(static_cast<int64_t>(k)), entry.alternative);
  }
}

void askForRecomputation(Entry &entry) {
  const Value count =
      entry.build.load(entry.build.int64Type(), entry.tensors[entry.kernel.recomputation->count].values);
  entry.recomputes = entry.build.negate(entry.build.isZero(count));
}

Value isUsed(Entry &entry, const sema::Tensor &tensor) {
  const Value taken = tensor.alternative ? isTaken(entry, *tensor.alternative) : Value();
  if (!tensor.isOfRecomputation)
    return taken;
  return taken ? entry.build.both(entry.recomputes, taken) : entry.recomputes;
}

BorrowedBody::BorrowedBody(Entry &entry, const std::optional<sema::LentBody> &lent) : entry_(entry) {
  if (!lent)
    return;
  tensors_ = entry.tensors;
  extents_ = entry.extents;
  for (const auto &[lenders, own] : lent->tensors)
    entry.tensors[lenders] = tensors_[own];
  for (const auto &[lenders, own] : lent->extents)
    entry.extents[lenders] = extents_[own];
}

BorrowedBody::~BorrowedBody() {
  if (tensors_.empty())
    return;
  entry_.tensors = std::move(tensors_);
  entry_.extents = std::move(extents_);
}

Value isTaken(Entry &entry, size_t alternative) {
  return entry.build.equal(entry.alternative, entry.build.constant(static_cast<int64_t>(alternative)));
}

} // namespace spc::entry
