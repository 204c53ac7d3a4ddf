// The rows that an assembling body's runs go through where these are listed by compressed roots: one root's positions
// or segments, or the positions of several roots that are merged.
#pragma once

#include "transforms/parallel/row_loops.h"

namespace spc::transforms {

/// The outermost loops of all runs of a body.
struct RunRows {
  dialect::ExtentAttr rows;                   ///< what all of them run over
  llvm::SmallVector<mlir::Operation *> loops; ///< over all rows of it or, where there is no such loop, over roots
  std::string root;                           ///< a tensor whose root lists rows; empty where some run goes through all
};

/// Makes all runs of `body` go through the rows from what is bound as `begin` to what is bound as `end`. nullopt where
/// the loops of some run are not over rows of one extent, each at most once and in order: nothing has changed then.
std::optional<RunRows> cutRuns(mlir::func::FuncOp body);

} // namespace spc::transforms
