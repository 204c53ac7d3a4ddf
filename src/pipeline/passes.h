// The pass list: what happens to a kernel's body between mlirgen and LLVM IR, in order.
#pragma once

#include "codegen/object.h"

#include "mlir/Pass/PassManager.h"

namespace spc::pipeline {

/// linalg.generic with sparse encodings → loops with storage queries (MLIR's sparsifier).
void addSparsification(mlir::OpPassManager &passes);

/// What the loop transformations depend on.
struct LoopOptions {
  bool strictFp = false;         ///< sums keep source order and rounding
  codegen::VectorUnit vectors{}; ///< of the target; with no registers loops stay scalar
};

/// Storage queries → arguments, outputs written in place, loops improved.
void addLoopLowering(mlir::OpPassManager &passes, const LoopOptions &options);

/// Loops on buffers → the LLVM dialect.
void addLlvmLowering(mlir::OpPassManager &passes, const LoopOptions &options);

} // namespace spc::pipeline
