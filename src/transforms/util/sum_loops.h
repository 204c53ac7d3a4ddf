// Loops of constant length that add up products of contiguous elements, done on vectors.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace spc::transforms {

/// How many iterations of a loop that carries sums can be done at once on vectors of at most `vectorBytes`: a power of
/// two that divides the loop's constant length; 1 where the length is not constant, or the body has operations that
/// vectors cannot do.
int64_t lanesOf(mlir::scf::ForOp loop, int64_t vectorBytes);

/// Writes the sum loop at the builder's place, `lanes` iterations at a time: each of `sums` is a vector, and each of
/// its lanes a sum of its own. Returns the sums afterwards. `values` maps what the loop uses of its surroundings.
/// Requires: `lanes` divides lanesOf().
llvm::SmallVector<mlir::Value> writeOnLanes(mlir::OpBuilder &builder, mlir::scf::ForOp loop, int64_t lanes,
                                            llvm::ArrayRef<mlir::Value> sums, const mlir::IRMapping &values);

} // namespace spc::transforms
