// Nests that calls leave out. Private to this folder's passes.
#pragma once

#include "dialect/attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace spc::transforms {

/// The nest that an operation is the outermost loop of, or lies in, if it has no loops of another one and calls leave
/// it out with some extents, as sums of nothing (NestAttr's `empty`); else null.
dialect::NestAttr skippedNest(mlir::func::FuncOp body, mlir::Operation *op);

} // namespace spc::transforms
