// Streams: arrays that the innermost loop over a segment reads from its first position to its last one.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

/// Whether `load`, in the body of `loop`, reads an argument of the body position by position.
bool isStream(mlir::memref::LoadOp load, mlir::scf::ForOp loop);

/// The index arrays and values that `loop` reads position by position, arguments of the body, where some of them say
/// where to find elements of other arrays; none for loops that have others inside, or do more than to load, to compute
/// and to store elements.
llvm::SmallVector<mlir::Value> streamsOf(mlir::scf::ForOp loop);

} // namespace spc::transforms
