// The steps of a body, at its top.
#pragma once

#include "transforms/parallel/row_loops.h"

namespace spc::transforms {

/// An operation at the top that writes memory, or a loop that sums up what is stored after it.
struct Step {
  mlir::Operation *op;
  std::optional<RowLoop> rows; ///< what it is as a loop over rows
};

/// The steps of a body, in order. Operations that only load are part of no step.
struct BodySteps {
  llvm::SmallVector<Step> all;
  llvm::SmallSetVector<mlir::Value, 4> written; ///< buffers

  /// The number of the step that `op` is part of; nullopt where there is none.
  std::optional<size_t> stepOf(mlir::Operation *op) const;
};

/// The steps of `body`, whose row loops are recorded; nullopt where it does anything else than loops over loads and
/// stores.
std::optional<BodySteps> findSteps(mlir::func::FuncOp body);

} // namespace spc::transforms
