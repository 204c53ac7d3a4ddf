// Accumulator promotion: the elements that a reduction adds to stay in registers throughout.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

/// The target and the rules that accumulators are promoted for.
struct PromotionOptions {
  int64_t vectorBytes = 16;  ///< of the target's vector registers
  bool reassociates = false; ///< sums of floats may be added up in another order
};

/// Loads the elements that `reduction` updates in front of it and stores them after it, where their indices are known
/// before it and it accesses no other element of their buffers; else leaves the reduction alone. Inner loops of
/// constant length add lane by lane where sums may be reassociated, and the lanes are added up at the end. Requires:
/// the elements may be accessed wherever the reduction stands, even if it does not run.
void promoteAccumulators(mlir::scf::ForOp reduction, const PromotionOptions &options);

} // namespace spc::transforms
