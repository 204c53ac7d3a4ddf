// The pass list: what happens to a kernel's body between mlirgen and LLVM IR, in order.
#pragma once

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace spc::pipeline {

/// spc-sparsification: linalg.generic with sparse encodings → loops with storage queries (MLIR's sparsifier).
void addSparsification(mlir::OpPassManager &passes);

/// spc-loops, its first part: storage queries → arguments, outputs written in place. The same for every processor.
/// `marksIndices`: marks what holds index variables, for debuggers. `looksUp`: there is a runtime, which has memory for
/// lookups.
void addStorageLowering(mlir::OpPassManager &passes, bool strictFp, bool marksIndices = false, bool looksUp = true);

/// The options that the loops of one processor depend on.
struct LoopOptions : mlir::PassPipelineOptions<LoopOptions> {
  Option<bool> strictFp{*this, "strict-fp", llvm::cl::desc("Keep the order and the rounding of the source's sums"),
                        llvm::cl::init(false)};
  Option<int64_t> vectorBytes{*this, "vector-bytes", llvm::cl::desc("Bytes of the target's vector registers"),
                              llvm::cl::init(0)};
  Option<int64_t> registers{*this, "registers",
                            llvm::cl::desc("How many vector registers the target has; 0: loops stay scalar"),
                            llvm::cl::init(0)};
  Option<bool> maskedGathers{*this, "masked-gathers",
                             llvm::cl::desc("The target gathers under masks as fast as it loads"),
                             llvm::cl::init(false)};
  Option<bool> trials{*this, "trials", llvm::cl::desc("Let large calls find out for themselves whether prefetches pay"),
                      llvm::cl::init(false)};
};

/// spc-loops, its second part, passes on functions: loops improved for a processor.
void addProcessorLoops(mlir::OpPassManager &passes, const LoopOptions &options);

/// The options that the lowering to LLVM depends on.
struct LlvmOptions : mlir::PassPipelineOptions<LlvmOptions> {
  Option<bool> hoist{*this, "hoist", llvm::cl::desc("Move what the loops of assemblies do not change in front of them"),
                     llvm::cl::init(false)};
  Option<bool> storesIndices{*this, "store-indices",
                             llvm::cl::desc("Store marked index variables where debuggers find them"),
                             llvm::cl::init(false)};
};

/// spc-llvm: loops on buffers → the LLVM dialect.
void addLlvmLowering(mlir::OpPassManager &passes, const LlvmOptions &options);

/// Registers the three under their names, for tools that take pipelines as text.
void registerPipelines();

} // namespace spc::pipeline
