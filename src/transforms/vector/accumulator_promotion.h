// Accumulator promotion: the elements that a reduction adds to stay in registers throughout.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

/// What accumulators are promoted for.
struct PromotionOptions {
  int64_t vectorBytes = 16;  ///< of the target's vector registers
  bool reassociates = false; ///< sums of floats may be added up in another order
};

/// Loads the elements that `reduction` updates before it and stores them after it, where each of them is known before
/// and no other is accessed. What inner loops of constant length add to them is added lane by lane, and the lanes are
/// summed at the end, if that is allowed. Requires: the elements may be accessed wherever the reduction stands, even
/// if it does not run.
void promoteAccumulators(mlir::scf::ForOp reduction, const PromotionOptions &options);

} // namespace spc::transforms
