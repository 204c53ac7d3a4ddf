// The pass list: what happens to a kernel's body between mlirgen and LLVM IR, in order.
#pragma once

#include "mlir/Pass/PassManager.h"

namespace spc::pipeline {

/// linalg.generic with sparse encodings → loops with storage queries (MLIR's sparsifier).
void addSparsification(mlir::OpPassManager &passes);

/// Storage queries → arguments, outputs written in place, loops improved. With `strictFp` sums keep source order and
/// rounding.
void addLoopLowering(mlir::OpPassManager &passes, bool strictFp);

/// Loops on buffers → the LLVM dialect.
void addLlvmLowering(mlir::OpPassManager &passes);

} // namespace spc::pipeline
