#include "dialect/attributes.h"
#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace spc::transforms {

#define GEN_PASS_DEF_APPLYMASKS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
using mlir::Value;

/// The conversion that a factor is, if it has the mark.
arith::UIToFPOp maskIn(Value factor) {
  auto conversion = factor.getDefiningOp<arith::UIToFPOp>();
  return conversion && dialect::isMask(conversion) ? conversion : arith::UIToFPOp();
}

/// What is converted, as an i1.
Value truthOf(mlir::OpBuilder &builder, arith::UIToFPOp mask) {
  Value truth = mask.getIn();
  if (auto wide = truth.getDefiningOp<arith::ExtUIOp>(); wide && wide.getIn().getType().isInteger(1))
    return wide.getIn();
  const Value zero = arith::ConstantOp::create(builder, mask.getLoc(), builder.getZeroAttr(truth.getType()));
  return arith::CmpIOp::create(builder, mask.getLoc(), arith::CmpIPredicate::ne, truth, zero);
}

/// `value` where `truth` holds, else 0.
Value chosen(mlir::OpBuilder &builder, mlir::Location location, Value truth, Value value) {
  const Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(value.getType()));
  return arith::SelectOp::create(builder, location, truth, value, zero);
}

class ApplyMasks : public impl::ApplyMasksBase<ApplyMasks> {
public:
  void runOnOperation() override {
    llvm::SmallVector<arith::MulFOp> products;
    getOperation().walk([&](arith::MulFOp product) {
      if (maskIn(product.getLhs()) || maskIn(product.getRhs()))
        products.push_back(product);
    });
    for (arith::MulFOp product : products) {
      const unsigned place = maskIn(product.getRhs()) ? 1 : 0;
      mlir::OpBuilder builder(product);
      const Value truth = truthOf(builder, maskIn(product->getOperand(place)));
      product.getResult().replaceAllUsesWith(chosen(builder, product.getLoc(), truth, product->getOperand(1 - place)));
      product.erase();
    }
    getOperation().walk([](arith::UIToFPOp conversion) {
      dialect::unmarkMask(conversion);
      if (conversion->use_empty())
        conversion->erase();
    });
  }
};

} // namespace
} // namespace spc::transforms
