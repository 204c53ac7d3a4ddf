// Unroll-and-jam of loops over the rows of a block, inside of a reduction that adds to these rows.
#pragma once

#include "transforms/util/affine_sums.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace spc::transforms {

/// A reduction that adds to the rows of a block. No row loop touches what another row's iteration writes, so that the
/// rows may be taken in any order and side by side.
struct BlockReduction {
  mlir::scf::ForOp reduction;                    ///< the outermost loop in which the rows stay the same
  llvm::SmallPtrSet<mlir::Operation *, 4> loops; ///< over the rows, in the reduction: all of `size` iterations
  mlir::scf::ForOp before;                       ///< one of `loops` right before the reduction, or null
  int64_t size = 0;
  bool isTiled = false; ///< loops inside of the row loops write the rows, for register tiles
};

/// The reductions of `body` that add to the rows of a block; none inside of another one.
llvm::SmallVector<BlockReduction> findBlockReductions(mlir::func::FuncOp body);

/// Unrolls the row loops by `rows`, which divides the size, and jams the copies: they go through the reduction side by
/// side. Returns the new reduction, which is inside of a loop over the groups of rows where there are several.
mlir::scf::ForOp unrollAndJam(const BlockReduction &block, int64_t rows);

} // namespace spc::transforms
