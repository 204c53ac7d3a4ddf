// Bodies that do nothing but add to one output, wherever a loop over rows gets to.
#pragma once

#include "transforms/parallel/body_steps.h"

namespace spc::transforms {

/// A body that only adds to one dense output, in sums that may be reassociated: chunks of its loop may add to copies of
/// the output, which are then added up.
struct Accumulation {
  RowLoop loop;
  llvm::StringRef output; ///< name of the tensor
  bool isZeroed;          ///< the body sets the output to zero first
};

/// `body` as an accumulation; nullopt where it is none. All sums may be reassociated with `allMayReassociate`, else
/// those whose additions say so.
std::optional<Accumulation> matchAccumulation(mlir::func::FuncOp body, const BodySteps &steps, bool allMayReassociate);

} // namespace spc::transforms
