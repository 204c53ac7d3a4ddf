#include "transforms/assembly/triangle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace spc::transforms {
namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;

using OpRange = llvm::SetVector<mlir::Operation *>;

/// Whether an operation outside of a range of its block uses what `op`, in the range, gives.
bool isUsedBeyond(mlir::Operation *op, const OpRange &range) {
  return llvm::any_of(op->getUsers(), [&](mlir::Operation *user) {
    return !range.contains(op->getBlock()->findAncestorOpInBlock(*user));
  });
}

/// Adds an operation and those of the range that it needs to `early`. False where that takes one with regions.
bool moveAlong(mlir::Operation *op, const OpRange &range, OpRange &early) {
  if (!range.contains(op) || early.contains(op))
    return true;
  early.insert(op);
  return op->getNumRegions() == 0 && llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
           mlir::Operation *source = operand.getDefiningOp();
           return !source || moveAlong(source, range, early);
         });
}

} // namespace

mlir::LogicalResult confineToTriangle(memref::LoadOp load, memref::StoreOp store, bool isLower) {
  mlir::Block *block = load->getBlock();
  mlir::Operation *last = block->findAncestorOpInBlock(*store);
  if (!last)
    return store.emitError("an element is stored elsewhere than it is loaded");
  OpRange range, early;
  for (mlir::Operation *op = load; op != last; op = op->getNextNode())
    range.insert(op);
  range.insert(last);
  for (mlir::Operation *op : range)
    if (isUsedBeyond(op, range) && !moveAlong(op, range, early))
      return op->emitError("what is computed for one triangle is needed beyond it");
  mlir::ImplicitLocOpBuilder ops(load.getLoc(), load);
  const auto inside = isLower ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle;
  const mlir::Value condition = arith::CmpIOp::create(ops, inside, load.getIndices()[0], load.getIndices()[1]);
  auto guarded = scf::IfOp::create(ops, condition, /*withElseRegion=*/false);
  for (mlir::Operation *op : range)
    if (early.contains(op))
      op->moveBefore(guarded);
    else
      op->moveBefore(guarded.thenBlock()->getTerminator());
  return mlir::success();
}

} // namespace spc::transforms
