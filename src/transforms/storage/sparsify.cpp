#include "transforms/passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace spc::transforms {

#define GEN_PASS_DEF_SPARSIFY
#include "transforms/Passes.h.inc"

namespace {

/// The last operation of `op`'s block whose results `op` uses before it; null where there is none.
mlir::Operation *lateOperand(mlir::Operation &op) {
  mlir::Operation *last = nullptr;
  for (mlir::Value operand : op.getOperands()) {
    mlir::Operation *made = operand.getDefiningOp();
    if (made && made->getBlock() == op.getBlock() && op.isBeforeInBlock(made) && (!last || last->isBeforeInBlock(made)))
      last = made;
  }
  return last;
}

class Sparsify : public impl::SparsifyBase<Sparsify> {
public:
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    // Serial loops: which loops may run in parallel follows from who owns the output, which MLIR does not look at.
    mlir::populateSparsificationPatterns(patterns);
    // Whether all has been rewritten shows when dense tensors are lowered.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
    getOperation().walk([](mlir::Block *block) {
      for (mlir::Operation &op : llvm::make_early_inc_range(*block))
        if (mlir::Operation *operand = lateOperand(op))
          op.moveAfter(operand);
    });
  }
};

} // namespace
} // namespace spc::transforms
