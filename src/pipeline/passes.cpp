#include "pipeline/passes.h"

#include "transforms/passes.h"

#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SparseTensor/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace spc::pipeline {

using mlir::func::FuncOp;

/// Half floats are stored, not computed with: many targets would call a library for each operation.
static mlir::arith::ArithEmulateUnsupportedFloatsOptions halfFloatsAsF32() {
  mlir::arith::ArithEmulateUnsupportedFloatsOptions options;
  options.sourceTypeStrs.push_back("f16");
  options.sourceTypeStrs.push_back("bf16");
  options.targetTypeStr = "f32";
  return options;
}

/// Loops and choices have regions of one block each, in which there is nothing to join.
static std::unique_ptr<mlir::Pass> createCanonicalizer() {
  mlir::GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  return mlir::createCanonicalizerPass(config);
}

void addSparsification(mlir::OpPassManager &passes) {
  passes.addPass(mlir::createSparseReinterpretMapPass());
  passes.addPass(transforms::createSparsify());
}

void addStorageLowering(mlir::OpPassManager &passes, bool strictFp, bool marksIndices, bool looksUp) {
  passes.addNestedPass<FuncOp>(transforms::createLowerDense());
  passes.addNestedPass<FuncOp>(transforms::createApplyMasks());
  // Before canonicalization: it folds loops of one iteration.
  if (marksIndices)
    passes.addNestedPass<FuncOp>(transforms::createMarkIndices());
  passes.addNestedPass<FuncOp>(transforms::createResumeReductions());
  // Only now: before dense tensors are buffers, canonicalization folds loads of an output into its initial fill.
  passes.addNestedPass<FuncOp>(createCanonicalizer());
  // Before assembly, which appends where no loop is in between.
  passes.addNestedPass<FuncOp>(transforms::createComputeTies());
  passes.addNestedPass<FuncOp>(transforms::createSkipAbsent());
  passes.addPass(transforms::createAssemble());
  passes.addNestedPass<FuncOp>(transforms::createShareStructure());
  passes.addNestedPass<FuncOp>(transforms::createSinkFill());
  passes.addNestedPass<FuncOp>(transforms::createClipLoops());
  passes.addNestedPass<FuncOp>(transforms::createLowerStorage());
  passes.addNestedPass<FuncOp>(transforms::createRevealZeros());
  passes.addNestedPass<FuncOp>(transforms::createScaleRows());
  if (!strictFp) {
    passes.addNestedPass<FuncOp>(transforms::createFactorReductions());
    passes.addNestedPass<FuncOp>(transforms::createHoistQuotients());
  }
  passes.addNestedPass<FuncOp>(createCanonicalizer());
  passes.addNestedPass<FuncOp>(mlir::createCSEPass());
  passes.addNestedPass<FuncOp>(transforms::createBranchMerges());
  passes.addNestedPass<FuncOp>(mlir::arith::createArithEmulateUnsupportedFloats(halfFloatsAsF32()));
  passes.addNestedPass<FuncOp>(transforms::createWidenSums());
  passes.addNestedPass<FuncOp>(transforms::createChunkRows({!strictFp}));
  passes.addNestedPass<FuncOp>(transforms::createFillRoots());
  passes.addNestedPass<FuncOp>(transforms::createBlockDiagonals());
  // Behind what tells loops over all rows by their bounds.
  passes.addNestedPass<FuncOp>(transforms::createNarrowLoops());
  passes.addNestedPass<FuncOp>(transforms::createSkipEmpty());
  // Behind what looks for merges, and for what writes to arguments alone.
  if (looksUp)
    passes.addNestedPass<FuncOp>(transforms::createLookUpMerges());
}

/// Dense loops and sums on vectors.
static void addVectorLoops(mlir::OpPassManager &passes, const LoopOptions &options) {
  transforms::TileRegistersOptions tiling;
  tiling.vectorBytes = options.vectorBytes;
  tiling.registers = options.registers;
  transforms::PromoteBlocksOptions blocks{tiling.vectorBytes, tiling.registers, options.strictFp};
  passes.addPass(transforms::createJoinRows());
  passes.addPass(transforms::createPromoteBlocks(blocks));
  passes.addPass(mlir::createLoopInvariantCodeMotionPass());
  passes.addPass(mlir::createCSEPass());
  // Behind what moves rows on the stack out of the loops that fill them.
  if (!options.strictFp)
    passes.addPass(transforms::createFactorFibers());
  passes.addPass(transforms::createTileRegisters(tiling));
  passes.addPass(transforms::createWidenSums());
  if (!options.strictFp)
    passes.addPass(transforms::createUnrollAndJamReductions({options.vectorBytes}));
  passes.addPass(createCanonicalizer());
  passes.addPass(mlir::createCSEPass());
}

void addProcessorLoops(mlir::OpPassManager &passes, const LoopOptions &options) {
  if (options.registers > 0 && !options.strictFp)
    passes.addPass(transforms::createSplitComplexSums());
  if (options.registers > 0)
    addVectorLoops(passes, options);
  if (!options.strictFp)
    passes.addPass(transforms::createFactorReductions());
  // Before what has several versions of the loop over a segment.
  if (options.registers > 0)
    passes.addPass(transforms::createFlattenSegments({!options.strictFp}));
  if (options.registers > 0 && options.trials)
    passes.addPass(transforms::createPrefetchStreams());
  if (!options.strictFp) {
    if (options.maskedGathers)
      passes.addPass(transforms::createMaskGathers());
    if (options.registers > 0)
      passes.addPass(transforms::createInterleaveReductions());
    passes.addPass(transforms::createRelaxFloats());
    // Behind relaxing, which would let LLVM rearrange how they round.
    passes.addPass(transforms::createExpandExponentials());
  }
  if (options.registers > 0) {
    passes.addPass(transforms::createPrefetchRows({options.trials}));
    passes.addPass(transforms::createPrefetchSegments());
  }
}

static void addLoopLowering(mlir::OpPassManager &passes, const LoopOptions &options) {
  addStorageLowering(passes, options.strictFp);
  addProcessorLoops(passes.nest<FuncOp>(), options);
}

void addLlvmLowering(mlir::OpPassManager &passes, const LlvmOptions &options) {
  if (options.storesIndices)
    passes.addNestedPass<FuncOp>(transforms::createStoreIndices());
  passes.addPass(transforms::createLowerAssembly({options.hoist}));
  passes.addPass(transforms::createLowerTrials());
  passes.addPass(transforms::createLowerLookups());
  passes.addNestedPass<FuncOp>(transforms::createBindBuffers());
  // Complex division by Smith's method, which neither overflows nor underflows where the quotient does not.
  passes.addPass(mlir::createConvertComplexToStandardPass());
  passes.addPass(transforms::createCallLibm());
  passes.addPass(mlir::createSCFToControlFlowPass());
  passes.addPass(mlir::createConvertToLLVMPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
}

void registerPipelines() {
  mlir::PassPipelineRegistration<>("spc-sparsification", "MLIR's sparsifier, as spc runs it", addSparsification);
  mlir::PassPipelineRegistration<LoopOptions>("spc-loops", "What spc does to loops and storage", addLoopLowering);
  mlir::PassPipelineRegistration<LlvmOptions>("spc-llvm", "spc's lowering of loops on buffers to LLVM",
                                              addLlvmLowering);
}

} // namespace spc::pipeline
