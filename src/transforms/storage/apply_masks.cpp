#include "dialect/attributes.h"
#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

namespace spc::transforms {

#define GEN_PASS_DEF_APPLYMASKS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace complex = mlir::complex;
using mlir::Value;

/// The conversion that a factor is, if it has the mark.
arith::UIToFPOp maskIn(Value factor) {
  if (auto number = factor.getDefiningOp<complex::CreateOp>())
    factor = number.getReal();
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

Value chosen(mlir::OpBuilder &builder, mlir::Location location, Value truth, Value value) {
  if (!mlir::isa<mlir::ComplexType>(value.getType()))
    return arith::SelectOp::create(builder, location, truth, value,
                                   arith::ConstantOp::create(builder, location, builder.getZeroAttr(value.getType())));
  const Value real = complex::ReOp::create(builder, location, value),
              imaginary = complex::ImOp::create(builder, location, value);
  return complex::CreateOp::create(builder, location, value.getType(), chosen(builder, location, truth, real),
                                   chosen(builder, location, truth, imaginary));
}

class ApplyMasks : public impl::ApplyMasksBase<ApplyMasks> {
public:
  void runOnOperation() override {
    llvm::SmallVector<mlir::Operation *> products;
    getOperation().walk([&](mlir::Operation *op) {
      if (mlir::isa<arith::MulFOp, complex::MulOp>(op) && (maskIn(op->getOperand(0)) || maskIn(op->getOperand(1))))
        products.push_back(op);
    });
    for (mlir::Operation *product : products) {
      const unsigned place = maskIn(product->getOperand(1)) ? 1 : 0;
      mlir::OpBuilder builder(product);
      const Value truth = truthOf(builder, maskIn(product->getOperand(place)));
      product->getResult(0).replaceAllUsesWith(
          chosen(builder, product->getLoc(), truth, product->getOperand(1 - place)));
      product->erase();
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
