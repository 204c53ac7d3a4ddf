// Questions about all operations of a region at once.
#pragma once

#include "mlir/IR/Operation.h"

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

} // namespace spc::transforms
