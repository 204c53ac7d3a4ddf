// What a loop loads and computes alike in each iteration.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

/// Moves loads whose place the loop does not change in front of it, and what is computed of them. The place is an
/// element even if the loop does not run: its indices are variables of loops around this one, or coordinates.
void hoistUnchanged(mlir::scf::ForOp loop);

} // namespace spc::transforms
