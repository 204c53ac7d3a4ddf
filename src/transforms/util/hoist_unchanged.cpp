#include "transforms/util/hoist_unchanged.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

namespace scf = mlir::scf;

namespace {

mlir::Value bufferRead(mlir::Operation &op) {
  if (auto load = mlir::dyn_cast<mlir::memref::LoadOp>(op))
    return load.getMemRef();
  auto load = mlir::dyn_cast<mlir::vector::LoadOp>(op);
  return load ? load.getBase() : mlir::Value();
}

/// Whether anything in the loop stores to `buffer`, an argument: no other one shares memory with it.
bool isStoredIn(scf::ForOp loop, mlir::Value buffer) {
  return llvm::any_of(buffer.getUsers(), [&](mlir::Operation *user) {
    return loop->isProperAncestor(user) && !mlir::hasSingleEffect<mlir::MemoryEffects::Read>(user);
  });
}

} // namespace

void hoistUnchanged(scf::ForOp loop) {
  for (mlir::Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
    mlir::Value buffer = bufferRead(op);
    if (llvm::all_of(op.getOperands(), [&](mlir::Value v) { return loop.isDefinedOutsideOfLoop(v); }) &&
        (buffer ? mlir::isa<mlir::BlockArgument>(buffer) && !isStoredIn(loop, buffer)
                : op.getNumRegions() == 0 && mlir::isPure(&op)))
      op.moveBefore(loop);
  }
}

} // namespace spc::transforms
