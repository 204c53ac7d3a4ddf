#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace spc::transforms {

#define GEN_PASS_DEF_RELAXFLOATS
#include "transforms/Passes.h.inc"

namespace {

class RelaxFloats : public impl::RelaxFloatsBase<RelaxFloats> {
public:
  void runOnOperation() override {
    using mlir::arith::FastMathFlags;
    getOperation().walk([&](mlir::arith::ArithFastMathInterface op) {
      // What is contracted around a conversion that rounds is not rounded.
      if (mlir::isa<mlir::arith::ExtFOp, mlir::arith::TruncFOp>(op))
        return;
      auto flags = mlir::arith::FastMathFlagsAttr::get(&getContext(), FastMathFlags::reassoc | FastMathFlags::contract);
      op->setAttr(op.getFastMathAttrName(), flags);
    });
  }
};

} // namespace
} // namespace spc::transforms
