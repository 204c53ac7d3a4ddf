#include "transforms/passes.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/walks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

namespace spc::transforms {

#define GEN_PASS_DEF_REVEALZEROS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;

/// `(x << 1) & 1`
bool isZeroInHiding(arith::AndIOp op) {
  auto even = op.getLhs().getDefiningOp<arith::ShLIOp>();
  return even && mlir::matchPattern(op.getRhs(), mlir::m_One()) && mlir::matchPattern(even.getRhs(), mlir::m_One());
}

class RevealZeros : public impl::RevealZerosBase<RevealZeros> {
public:
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    bool hasFound = false;
    getOperation().walk([&](arith::AndIOp op) {
      if (!isZeroInHiding(op))
        return;
      mlir::OpBuilder builder(op);
      op.replaceAllUsesWith(
          arith::ConstantOp::create(builder, op.getLoc(), builder.getZeroAttr(op.getType())).getResult());
      op.erase();
      hasFound = true;
    });
    if (hasFound && mlir::failed(forgetValues()))
      signalPassFailure();
  }

private:
  mlir::LogicalResult forgetValues();
};

/// Erases loads that nothing needs any more, and values of which there are no others.
mlir::LogicalResult RevealZeros::forgetValues() {
  const llvm::SmallSetVector<mlir::Value, 4> loaded = eraseUnused(getOperation());
  for (unsigned index = getOperation().getNumArguments(); index-- > 0;) {
    const mlir::Value argument = getOperation().getArgument(index);
    const dialect::BindAttr bind = dialect::bindOf(getOperation(), index);
    const bool isForgotten = loaded.contains(argument) && argument.use_empty();
    if (isForgotten && bind && bind.getKind() == dialect::BindKind::Values &&
        mlir::failed(eraseArgument(getOperation(), index)))
      return mlir::failure();
  }
  return mlir::success();
}

} // namespace
} // namespace spc::transforms
