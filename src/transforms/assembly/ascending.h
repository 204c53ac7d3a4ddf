// In which order loops come to coordinates.
#pragma once

#include "mlir/IR/Value.h"

namespace spc::transforms {

/// Whether `op` is a loop of the scf dialect.
bool isLoop(mlir::Operation *op);

/// The innermost loop in whose iterations `value` differs, or null.
mlir::Operation *loopDefining(mlir::Value value);

/// Whether the coordinate `value` ascends with the iterations of `loop`, in which it differs. Those of loops do, but
/// what spc-compute-ties puts in their place may be in any order.
bool ascends(mlir::Value value, mlir::Operation *loop);

} // namespace spc::transforms
