// What loops tell LLVM of their own optimisation.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

/// Asks LLVM neither to vectorise nor to unroll a loop: it is on vectors already, or as long as it should be.
void keepLoopAsItIs(mlir::scf::ForOp loop);

/// Whether that has been asked.
bool isKeptAsItIs(mlir::scf::ForOp loop);

} // namespace spc::transforms
