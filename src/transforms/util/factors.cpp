#include "transforms/util/factors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace spc::transforms {

namespace arith = mlir::arith;

namespace {

void collect(mlir::Value value, llvm::function_ref<bool(mlir::Operation *)> isWithin,
             llvm::function_ref<bool(mlir::Value)> isUnchanged, Factors &factors) {
  mlir::Operation *op = value.getDefiningOp();
  const bool isOpen = op && value.hasOneUse() && isWithin(op);
  if (isUnchanged(value)) {
    factors.outer.push_back(value);
  } else if (isOpen && mlir::isa<arith::NegFOp>(op)) {
    factors.isNegative = !factors.isNegative;
    collect(op->getOperand(0), isWithin, isUnchanged, factors);
  } else if (isOpen && mlir::isa<arith::MulFOp>(op)) {
    collect(op->getOperand(0), isWithin, isUnchanged, factors);
    collect(op->getOperand(1), isWithin, isUnchanged, factors);
  } else if (isOpen && mlir::isa<arith::DivFOp>(op) && isUnchanged(op->getOperand(1))) {
    collect(op->getOperand(0), isWithin, isUnchanged, factors);
    factors.divisors.push_back(op->getOperand(1));
  } else {
    factors.inner.push_back(value);
  }
}

} // namespace

Factors factorsOf(mlir::Value product, llvm::function_ref<bool(mlir::Operation *)> isWithin,
                  llvm::function_ref<bool(mlir::Value)> isUnchanged) {
  Factors factors;
  collect(product, isWithin, isUnchanged, factors);
  return factors;
}

mlir::Value multiply(mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<mlir::Value> factors) {
  mlir::Value product = factors.front();
  for (mlir::Value factor : factors.drop_front())
    product = arith::MulFOp::create(builder, location, product, factor);
  return product;
}

mlir::Value scaled(mlir::OpBuilder &builder, mlir::Location location, mlir::Value sum,
                   llvm::ArrayRef<mlir::Value> factors, llvm::ArrayRef<mlir::Value> divisors) {
  if (!factors.empty())
    sum = arith::MulFOp::create(builder, location, multiply(builder, location, factors), sum);
  for (mlir::Value divisor : divisors)
    sum = arith::DivFOp::create(builder, location, sum, divisor);
  return sum;
}

} // namespace spc::transforms
