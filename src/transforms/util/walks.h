// Questions about all operations of a region at once.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace spc::transforms {

/// Whether `holds` for each operation that a walk over `scope` meets: those inside of a block, or an operation and
/// those inside of it.
template <typename Scope, typename Predicate> bool holdsForAll(Scope *scope, Predicate holds) {
  return !scope
              ->walk([&](mlir::Operation *op) {
                return holds(op) ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Whether `holds` for one of them at least.
template <typename Scope, typename Predicate> bool holdsForAny(Scope *scope, Predicate holds) {
  return !holdsForAll(scope, [&](mlir::Operation *op) { return !holds(op); });
}

/// Erases what nothing in `scope` needs; gives the buffers of the loads among that.
inline llvm::SmallSetVector<mlir::Value, 4> eraseUnused(mlir::Operation *scope) {
  llvm::SmallSetVector<mlir::Value, 4> loaded;
  scope->walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>([&](mlir::Operation *op) {
    if (!mlir::isOpTriviallyDead(op))
      return;
    if (auto load = mlir::dyn_cast<mlir::memref::LoadOp>(op))
      loaded.insert(load.getMemRef());
    op->erase();
  });
  return loaded;
}

} // namespace spc::transforms
