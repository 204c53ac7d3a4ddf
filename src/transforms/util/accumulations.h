// Buffers to which a loop only adds, so that parts of it may add to copies that are summed up afterwards.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

/// Whether everything that `loop` does to `buffer` is to add to its elements, and each sum may be reassociated: by its
/// flags, or because all may.
bool onlyAddsTo(mlir::Operation *loop, mlir::Value buffer, bool allMayReassociate);

/// Whether the one result of `loop` is the value with which it starts and what is added to it, and the sum may be
/// reassociated.
bool sumsUp(mlir::scf::ForOp loop, bool allMayReassociate);

} // namespace spc::transforms
