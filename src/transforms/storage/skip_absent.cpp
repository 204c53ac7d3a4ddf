#include "dialect/dialect.h"
#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace spc::transforms {

#define GEN_PASS_DEF_SKIPABSENT
#include "transforms/Passes.h.inc"

namespace {

class SkipAbsent : public impl::SkipAbsentBase<SkipAbsent> {
public:
  void runOnOperation() override {
    llvm::SmallVector<dialect::AbsentOp> absent;
    getOperation().walk([&](dialect::AbsentOp op) { absent.push_back(op); });
    if (absent.empty())
      return;
    // Idle stores that are there already stay: they say where an assembled output has entries. Folding makes no stores,
    // so that none has the address of one that is gone.
    llvm::SmallPtrSet<mlir::Operation *, 8> staying;
    for (auto [store, load] : idleStores())
      staying.insert(store);
    for (dialect::AbsentOp op : absent)
      if (failed(skip(op)))
        return signalPassFailure();
    // Loops that add nothing fold, and leave a store of what was loaded.
    mlir::OpPassManager folding(mlir::func::FuncOp::getOperationName());
    folding.addPass(mlir::createCanonicalizerPass());
    if (failed(runPipeline(folding, getOperation())))
      return signalPassFailure();
    eraseIdleStores(staying);
  }

private:
  llvm::SmallVector<std::pair<mlir::memref::StoreOp, mlir::memref::LoadOp>> idleStores();
  void eraseIdleStores(const llvm::SmallPtrSetImpl<mlir::Operation *> &staying);
  mlir::LogicalResult skip(dialect::AbsentOp absent);
  mlir::Value withoutAbsent(mlir::OpOperand &end);

  llvm::SetVector<mlir::Operation *> made_; ///< `spc.absent` and what is computed from it
};

/// Whether an operation adds.
bool isSum(mlir::Operation *op) {
  return mlir::isa_and_present<mlir::arith::AddFOp, mlir::arith::AddIOp, mlir::arith::OrIOp, mlir::complex::AddOp>(op);
}

/// Whether an operation subtracts.
bool isDifference(mlir::Operation *op) {
  return mlir::isa_and_present<mlir::arith::SubFOp, mlir::arith::SubIOp, mlir::complex::SubOp>(op);
}

/// Whether an operation takes a value into a reduction other than a sum.
bool isOtherReduction(mlir::Operation *op) {
  using namespace mlir::arith;
  return mlir::isa_and_present<MulFOp, MulIOp, AndIOp, MaximumFOp, MinimumFOp, MaxSIOp, MinSIOp, MaxUIOp, MinUIOp,
                               mlir::complex::MulOp>(op);
}

/// Whether a loop or an array carries `value` on to where `end` puts it, as it does the value of a reduction so far.
bool isCarried(mlir::Value value, mlir::Operation *end) {
  if (mlir::isa<mlir::BlockArgument>(value))
    return true;
  auto load = value.getDefiningOp<mlir::memref::LoadOp>();
  auto store = mlir::dyn_cast<mlir::memref::StoreOp>(end);
  return load && store && load.getMemRef() == store.getMemRef() && load.getIndices() == store.getIndices();
}

/// `x`, where `end` stores or yields `x + absent`, `absent + x`, `x - absent` or what another reduction makes of `x`
/// and of what is absent; else null.
mlir::Value SkipAbsent::withoutAbsent(mlir::OpOperand &end) {
  mlir::Operation *op = end.get().getDefiningOp();
  if (!isSum(op) && !isDifference(op) && !isOtherReduction(op))
    return {};
  const auto isAbsent = [&](mlir::Value value) { return made_.contains(value.getDefiningOp()); };
  const mlir::Value left = op->getOperand(0), right = op->getOperand(1);
  if (isAbsent(left) == isAbsent(right) || (isDifference(op) && isAbsent(left)))
    return {};
  const mlir::Value rest = isAbsent(left) ? right : left;
  return !isOtherReduction(op) || isCarried(rest, end.getOwner()) ? rest : mlir::Value();
}

mlir::LogicalResult SkipAbsent::skip(dialect::AbsentOp absent) {
  made_.clear();
  made_.insert(absent);
  llvm::SmallVector<mlir::OpOperand *> ends; ///< stores and yields of reductions with what is absent
  for (size_t next = 0; next < made_.size(); ++next)
    for (mlir::OpOperand &use : made_[next]->getUses()) {
      if (mlir::isa<mlir::scf::YieldOp, mlir::memref::StoreOp>(use.getOwner()))
        ends.push_back(&use);
      else if (use.getOwner()->getNumRegions() == 0 && mlir::isMemoryEffectFree(use.getOwner()))
        made_.insert(use.getOwner());
      else
        return use.getOwner()->emitError("an absent value reaches more than a reduction");
    }
  for (mlir::OpOperand *end : ends) {
    const mlir::Value rest = withoutAbsent(*end);
    if (!rest)
      return end->getOwner()->emitError("an absent value is kept");
    if (mlir::isa<mlir::memref::StoreOp>(end->getOwner()))
      end->getOwner()->erase();
    else
      end->set(rest);
  }
  for (mlir::Operation *op : made_)
    op->dropAllUses();
  for (mlir::Operation *op : made_)
    op->erase();
  return mlir::success();
}

/// Whether nothing between two operations of a block may write memory.
bool isQuietBetween(mlir::Operation *first, mlir::Operation *last) {
  for (mlir::Operation *op = first->getNextNode(); op && op != last; op = op->getNextNode())
    if (!mlir::isMemoryEffectFree(op) && !mlir::isa<mlir::memref::LoadOp>(op))
      return false;
  return true;
}

/// The stores that write what was loaded from the same place, with that load.
llvm::SmallVector<std::pair<mlir::memref::StoreOp, mlir::memref::LoadOp>> SkipAbsent::idleStores() {
  llvm::SmallVector<std::pair<mlir::memref::StoreOp, mlir::memref::LoadOp>> idle;
  getOperation().walk([&](mlir::memref::StoreOp store) {
    auto load = store.getValueToStore().getDefiningOp<mlir::memref::LoadOp>();
    if (load && load->getBlock() == store->getBlock() && load.getMemRef() == store.getMemRef() &&
        load.getIndices() == store.getIndices() && isQuietBetween(load, store))
      idle.emplace_back(store, load);
  });
  return idle;
}

void SkipAbsent::eraseIdleStores(const llvm::SmallPtrSetImpl<mlir::Operation *> &staying) {
  for (auto [store, load] : idleStores()) {
    if (staying.contains(store))
      continue;
    store->erase();
    if (load->use_empty())
      load->erase();
  }
}

} // namespace
} // namespace spc::transforms
