// Bodies that do nothing but add to one output, wherever a loop over rows gets to.
#pragma once

#include "transforms/parallel/body_steps.h"

namespace spc::transforms {

/// A body that only adds to one dense output, in sums that may be reassociated: chunks of its loops may add to copies
/// of the output, which are then added up.
struct Accumulation {
  llvm::SmallVector<RowLoop> loops;          ///< over the same items
  llvm::StringRef output;                    ///< name of the tensor
  bool isZeroed = false;                     ///< the body sets the output to zero first
  llvm::SmallVector<mlir::Operation *> once; ///< steps that one chunk does, on the output itself
  mlir::Operation *fill = nullptr;           ///< in the first loop: sets each row to zero as the loop gets to it
};

/// `body` as an accumulation; nullopt where it is none. All sums may be reassociated with `allMayReassociate`, else
/// those whose additions say so.
std::optional<Accumulation> matchAccumulation(mlir::func::FuncOp body, const BodySteps &steps, bool allMayReassociate);

} // namespace spc::transforms
