// Horizontal reductions: the sums of the lanes of several vectors together.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

/// Adds up the lanes of each of up to four floating-point vectors of one type; returns the scalars. One tree of
/// shuffles and additions for all of four takes half as many operations as a tree for each.
llvm::SmallVector<mlir::Value> reduceHorizontally(mlir::ImplicitLocOpBuilder &ops, llvm::ArrayRef<mlir::Value> vectors);

} // namespace spc::transforms
