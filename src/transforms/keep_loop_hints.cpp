#include "transforms/passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace spc::transforms {

#define GEN_PASS_DEF_KEEPLOOPHINTS
#include "transforms/Passes.h.inc"

namespace {

class KeepLoopHints : public impl::KeepLoopHintsBase<KeepLoopHints> {
public:
  void runOnOperation() override {
    constexpr llvm::StringLiteral kHint = "llvm.loop_annotation";
    getOperation().walk([&](mlir::LLVM::BrOp branch) {
      if (auto hint = branch->getAttrOfType<mlir::LLVM::LoopAnnotationAttr>(kHint)) {
        branch->removeAttr(kHint);
        branch.setLoopAnnotationAttr(hint);
      }
    });
  }
};

} // namespace
} // namespace spc::transforms
