// How MLIR's sparsifier reads index arrays: a load, widened where it is narrow, cast to index.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace spc::transforms {

/// The array load behind `index_cast(ext(load array[x]))`, or null.
mlir::memref::LoadOp loadedIndex(mlir::Value value);

/// The index values that `load` ends in. Failure, with an error reported, where it is used in another way.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> indexUses(mlir::memref::LoadOp load);

/// Replaces the whole chain from `load` to its index values by `index`. No part of the chain may stay: a round trip
/// through the array's integer type would truncate.
mlir::LogicalResult replaceChain(mlir::memref::LoadOp load, mlir::Value index);

/// Makes the chain sign-extend, and comparisons with its index values signed.
mlir::LogicalResult makeSigned(mlir::memref::LoadOp load);

/// The value that `index` is one more than; null where it is no such sum.
mlir::Value predecessor(mlir::Value index);

} // namespace spc::transforms
