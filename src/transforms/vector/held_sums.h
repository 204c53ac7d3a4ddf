// Elements that a reduction adds to, held in registers throughout.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

/// What sums are held for.
struct HoldOptions {
  int64_t vectorBytes = 16;  ///< of the target's vector registers
  bool reassociates = false; ///< sums of floats may be added up in another order
};

/// Loads the elements that `reduction` updates before it and stores them after it, where each of them is known before
/// and no other is accessed. What inner loops of constant length add to them is added lane by lane, and the lanes are
/// summed at the end, if that is allowed. Requires: the elements may be accessed wherever the reduction stands, even
/// if it does not run.
void holdSums(mlir::scf::ForOp reduction, const HoldOptions &options);

} // namespace spc::transforms
