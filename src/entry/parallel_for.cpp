#include "entry/parallel_for.h"

#include "entry/checks.h"
#include "runtime/runtime.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {

using LLVM::ICmpPredicate;

Value pays(Entry &entry, Value time) {
  EntryBuilder &build = entry.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const mlir::Type number = build.int32Type();
  const Value cost = loadParallelCost(entry), isKnown = build.negate(build.isNull(cost));
  const auto load = [&] {
    const Value narrow =
        LLVM::LoadOp::create(ops, number, cost, 4, false, false, false, false, LLVM::AtomicOrdering::monotonic);
    return Value(LLVM::SExtOp::create(ops, build.int64Type(), narrow));
  };
  const Value known = build.computeIf(isKnown, load, build.constant(runtime::kUsualCost));
  const Value worth = LLVM::UDivOp::create(ops, time, build.constant(runtime::kWorthCosts));
  const Value isWorth = build.compare(ICmpPredicate::sge, worth, known);
  const auto lessen = [&] {
    const Value share = LLVM::UDivOp::create(ops, time, build.constant(runtime::kTimeOfCost));
    const Value less = LLVM::TruncOp::create(ops, number, build.subtract(known, share));
    LLVM::StoreOp::create(ops, less, cost, 4, false, false, false, LLVM::AtomicOrdering::monotonic);
  };
  build.branch(build.both(isKnown, build.negate(isWorth)), lessen, [] {});
  return isWorth;
}

Value findParallelFor(Entry &entry, Value several, const std::function<Value()> &isWorth) {
  EntryBuilder &build = entry.build;
  const Value hasContext = build.both(several, build.negate(build.isNull(entry.context)));
  const Value hook = build.computeIf(
      hasContext, [&] { return build.loadField(contextStruct(build), entry.context, kParallelFor); }, build.null());
  if (!isWorth)
    return hook;
  const Value takes = build.computeIf(build.negate(build.isNull(hook)), isWorth, build.truth(false));
  return build.select(takes, hook, build.null());
}

} // namespace spc::entry
