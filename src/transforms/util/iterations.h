// Iterations of a loop other than the one that its body computes.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace spc::transforms {

/// What a value in the body of a loop, of operations without regions that read nothing that the loop writes, is where
/// the loop's variable is `iteration`.
mlir::Value valueAt(mlir::OpBuilder &ops, mlir::scf::ForOp loop, mlir::Value value, mlir::Value iteration);

} // namespace spc::transforms
