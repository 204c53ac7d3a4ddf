// What conditions say of the blocks that loops run over.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace spc::transforms {

/// Where conditions around a loop say that it runs over a whole block, gives it that constant bound.
void settleFullBlocks(mlir::func::FuncOp body);

/// Puts what stands under one condition, with nothing that matters in between, under it together.
void joinConditions(mlir::func::FuncOp body);

} // namespace spc::transforms
