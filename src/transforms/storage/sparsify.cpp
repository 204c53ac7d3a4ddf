#include "dialect/attributes.h"
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

/// What MLIR's sparsifier puts on the loops of an iteration space, not on those that look for the end of a segment.
constexpr llvm::StringLiteral kOfSparsifier = "Emitted from";

/// The place in a location, or null.
dialect::PlaceAttr carriedPlace(mlir::Location location) {
  auto fused = mlir::dyn_cast<mlir::FusedLoc>(location);
  return fused ? mlir::dyn_cast_or_null<dialect::PlaceAttr>(fused.getMetadata()) : dialect::PlaceAttr();
}

/// Puts the place of each operation that has one into its location, which all has that is made of it, loops above all.
void carryPlaces(mlir::Operation *module) {
  module->walk([](mlir::Operation *op) {
    if (const dialect::PlaceAttr place = dialect::placeOf(op))
      op->setLoc(mlir::FusedLoc::get(op->getContext(), {op->getLoc()}, place));
  });
}

/// Gives loops the place that their location carries, as far inside as such loops are around them; no location has one
/// afterwards.
void settlePlaces(mlir::Operation *module) {
  module->walk([](mlir::Operation *op) {
    const dialect::PlaceAttr first = carriedPlace(op->getLoc());
    if (!first || !op->hasAttr(kOfSparsifier))
      return;
    int64_t depth = 0;
    for (mlir::Operation *around = op->getParentOp(); around; around = around->getParentOp())
      depth += around->hasAttr(kOfSparsifier) && carriedPlace(around->getLoc()) == first;
    dialect::setPlace(op, dialect::PlaceAttr::get(op->getContext(), first.getNest(), depth));
  });
  module->walk([](mlir::Operation *op) {
    if (carriedPlace(op->getLoc()))
      op->setLoc(mlir::cast<mlir::FusedLoc>(op->getLoc()).getLocations().front());
  });
}

class Sparsify : public impl::SparsifyBase<Sparsify> {
public:
  void runOnOperation() override {
    carryPlaces(getOperation());
    mlir::RewritePatternSet patterns(&getContext());
    // Serial loops: which loops may run in parallel follows from who owns the output, which MLIR does not look at.
    mlir::populateSparsificationPatterns(patterns);
    // Whether all has been rewritten shows when dense tensors are lowered.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
    settlePlaces(getOperation());
    getOperation().walk([](mlir::Block *block) {
      for (mlir::Operation &op : llvm::make_early_inc_range(*block))
        if (mlir::Operation *operand = lateOperand(op))
          op.moveAfter(operand);
    });
  }
};

} // namespace
} // namespace spc::transforms
