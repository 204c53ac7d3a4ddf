// Conditions on the blocks that loops run over, as spc-clip-loops leaves them.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace spc::transforms {

/// Gives loops constant bounds where conditions around them say that they run over a whole block.
void settleFullBlocks(mlir::func::FuncOp body);

/// Joins branches on one condition where nothing between them matters.
void joinConditions(mlir::func::FuncOp body);

/// Gives innermost loops over blocks that test each whether it lies inside of the matrix a copy without the test, for
/// matrices that whole blocks make up.
void separateBorders(mlir::func::FuncOp body);

} // namespace spc::transforms
