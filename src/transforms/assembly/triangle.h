// Computing one triangle of a symmetric output. Private to this folder.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Support/LogicalResult.h"

namespace spc::transforms {

/// Makes everything from `load`, of an element of a matrix, to `store`, of the same one, be done only where the element
/// is in the lower triangle, or the upper one. Operations in between of which something else needs the results are put
/// in front. Fails, with an error reported, where that cannot be.
mlir::LogicalResult confineToTriangle(mlir::memref::LoadOp load, mlir::memref::StoreOp store, bool isLower);

} // namespace spc::transforms
