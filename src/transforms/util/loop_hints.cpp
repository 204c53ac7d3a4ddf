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

void keepLoopAsItIs(mlir::scf::ForOp loop) {
  namespace LLVM = mlir::LLVM;
  mlir::MLIRContext *context = loop.getContext();
  const auto yes = mlir::BoolAttr::get(context, true);
  auto vectorize = LLVM::LoopVectorizeAttr::get(context, yes, {}, {}, {}, {}, {}, {});
  auto unroll = LLVM::LoopUnrollAttr::get(context, yes, {}, {}, {}, {}, {}, {});
  loop->setAttr(kHint, LLVM::LoopAnnotationAttr::get(context, {}, vectorize, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {},
                                                     {}, {}, {}));
}

bool isKeptAsItIs(mlir::scf::ForOp loop) {
  return loop->hasAttr(kHint);
}

} // namespace spc::transforms
