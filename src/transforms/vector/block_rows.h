// Loops of a small constant length over the rows of a block, inside of a reduction that adds to these rows.
#pragma once

#include "transforms/util/affine_sums.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace spc::transforms {

/// The rows of a block that a reduction adds to. No row loop touches what another row's iteration writes, so that the
/// rows may be taken in any order and side by side.
struct BlockRows {
  mlir::scf::ForOp reduction;                    ///< the outermost loop in which the rows stay the same
  llvm::SmallPtrSet<mlir::Operation *, 4> loops; ///< over the rows, in the reduction: all of `size` iterations
  mlir::scf::ForOp before;                       ///< one of `loops` right before the reduction, or null
  int64_t size = 0;
  bool hasStrips = false; ///< the rows are written in loops inside of the row loops, not element by element
};

/// The reductions of `body` that add to the rows of a block; none inside of another one.
llvm::SmallVector<BlockRows> findBlockRows(mlir::func::FuncOp body);

/// Takes `rows` of the rows at a time through the reduction, side by side; `rows` divides the size. Returns the new
/// reduction, which is inside of a loop over the groups of rows where there are several.
mlir::scf::ForOp jamRows(const BlockRows &block, int64_t rows);

} // namespace spc::transforms
