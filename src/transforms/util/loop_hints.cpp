#include "transforms/util/loop_hints.h"

#include "transforms/passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace spc::transforms {

#define GEN_PASS_DEF_KEEPLOOPHINTS
#include "transforms/Passes.h.inc"

namespace {

/// The name under which MLIR's lowering of scf.for carries a hint on.
constexpr llvm::StringLiteral kHint = "llvm.loop_annotation";

class KeepLoopHints : public impl::KeepLoopHintsBase<KeepLoopHints> {
public:
  void runOnOperation() override {
    getOperation().walk([&](mlir::LLVM::BrOp branch) {
      if (auto hint = branch->getAttrOfType<mlir::LLVM::LoopAnnotationAttr>(kHint)) {
        branch->removeAttr(kHint);
        branch.setLoopAnnotationAttr(hint);
      }
    });
  }
};

} // namespace

namespace LLVM = mlir::LLVM;

/// Sets the hint of a loop that is not to be unrolled.
static void setHint(mlir::scf::ForOp loop, LLVM::LoopVectorizeAttr vectorize, LLVM::LoopInterleaveAttr interleave) {
  mlir::MLIRContext *context = loop.getContext();
  const auto isOff = mlir::BoolAttr::get(context, true);
  auto unroll = LLVM::LoopUnrollAttr::get(context, isOff, {}, {}, {}, {}, {}, {});
  loop->setAttr(kHint, LLVM::LoopAnnotationAttr::get(context, {}, vectorize, interleave, unroll, {}, {}, {}, {}, {}, {},
                                                     {}, {}, {}, {}, {}));
}

void keepLoopAsItIs(mlir::scf::ForOp loop) {
  mlir::MLIRContext *context = loop.getContext();
  const auto isOff = mlir::BoolAttr::get(context, true);
  setHint(loop, LLVM::LoopVectorizeAttr::get(context, isOff, {}, {}, {}, {}, {}, {}), {});
}

void vectoriseWhole(mlir::scf::ForOp loop, int64_t vectors) {
  mlir::MLIRContext *context = loop.getContext();
  const auto together = mlir::IntegerAttr::get(mlir::IntegerType::get(context, 32), vectors);
  setHint(loop, {}, LLVM::LoopInterleaveAttr::get(context, together));
}

bool isKeptAsItIs(mlir::scf::ForOp loop) {
  const auto hint = loop->getAttrOfType<LLVM::LoopAnnotationAttr>(kHint);
  return hint && hint.getVectorize();
}

} // namespace spc::transforms
