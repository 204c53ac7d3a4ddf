#include "transforms/util/iterations.h"

#include "mlir/IR/IRMapping.h"

#include <functional>

namespace spc::transforms {

mlir::Value valueAt(mlir::OpBuilder &ops, mlir::scf::ForOp loop, mlir::Value value, mlir::Value iteration) {
  mlir::IRMapping known;
  known.map(loop.getInductionVar(), iteration);
  const std::function<void(mlir::Value)> copy = [&](mlir::Value one) {
    if (loop.isDefinedOutsideOfLoop(one) || known.contains(one))
      return;
    llvm::for_each(one.getDefiningOp()->getOperands(), copy);
    ops.clone(*one.getDefiningOp(), known);
  };
  copy(value);
  return known.lookupOrDefault(value);
}

} // namespace spc::transforms
