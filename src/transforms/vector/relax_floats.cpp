#include "dialect/attributes.h"
#include "transforms/passes.h"
#include "transforms/util/loop_hints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace spc::transforms {

#define GEN_PASS_DEF_RELAXFLOATS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;

/// Whether `value` is read, or a product of what is read: no sum, quotient or function.
bool isReadOrProduct(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || mlir::isa<arith::ConstantOp, memref::LoadOp, mlir::vector::LoadOp, arith::SIToFPOp, arith::UIToFPOp>(op))
    return true;
  return mlir::isa<arith::MulFOp, arith::NegFOp, arith::ExtFOp, mlir::vector::BroadcastOp>(op) &&
         llvm::all_of(op->getOperands(), isReadOrProduct);
}

/// Whether `product` is what a loop has multiplied so far times another factor.
bool isStepOfProduct(arith::MulFOp product) {
  return llvm::any_of(product->getOperands(), [&](mlir::Value operand) {
    if (const auto carried = mlir::dyn_cast<mlir::BlockArgument>(operand))
      return mlir::isa<mlir::scf::ForOp>(carried.getOwner()->getParentOp());
    auto load = operand.getDefiningOp<memref::LoadOp>();
    return load && llvm::any_of(product->getUsers(), [&](mlir::Operation *user) {
             auto store = mlir::dyn_cast<memref::StoreOp>(user);
             return store && store.getMemRef() == load.getMemRef() && store.getIndices() == load.getIndices();
           });
  });
}

/// What a value is a multiple of: the factors of a product, else itself; of a complex number, which has the same in
/// both parts, those of its real one.
llvm::SmallVector<mlir::Value> multipliedIn(mlir::Value value) {
  const auto whole = [](mlir::Value part) {
    mlir::Operation *op = part.getDefiningOp();
    return op && mlir::isa<mlir::complex::ReOp, mlir::complex::ImOp>(op) ? op->getOperand(0) : part;
  };
  while (auto negation = value.getDefiningOp<arith::NegFOp>())
    value = negation.getOperand();
  if (auto number = value.getDefiningOp<mlir::complex::CreateOp>())
    value = number.getReal();
  if (auto product = value.getDefiningOp<arith::MulFOp>())
    return {whole(product.getLhs()), whole(product.getRhs())};
  return {whole(value)};
}

bool readsSame(mlir::Value a, mlir::Value b) {
  auto one = a.getDefiningOp<memref::LoadOp>(), other = b.getDefiningOp<memref::LoadOp>();
  return a == b || (one && other && one.getMemRef() == other.getMemRef() && one.getIndices() == other.getIndices());
}

/// Whether both sides of a sum are multiples of one value. LLVM makes one multiply-add of them, and of that, where the
/// sum may be reassociated, a single product, `0 * z + z` into `1 * z`: that of an infinity is no NaN.
bool addsMultiples(mlir::Operation *sum) {
  const llvm::SmallVector<mlir::Value> left = multipliedIn(sum->getOperand(0)),
                                       right = multipliedIn(sum->getOperand(1));
  return left.size() + right.size() > 2 && llvm::any_of(left, [&](mlir::Value factor) {
           return !factor.getDefiningOp<arith::ConstantOp>() &&
                  llvm::any_of(right, [&](mlir::Value other) { return readsSame(factor, other); });
         });
}

/// LLVM multiplies sums out, `(x - 1.1) * 0.1`, and takes functions together, `exp(x) * exp(y)` and `log(exp(x))`,
/// where it may reassociate.
bool mayReassociate(mlir::Operation *op) {
  if (auto product = mlir::dyn_cast<arith::MulFOp>(op))
    return llvm::all_of(product->getOperands(), isReadOrProduct) || isStepOfProduct(product);
  if (mlir::isa<arith::AddFOp, arith::SubFOp, mlir::complex::AddOp, mlir::complex::SubOp>(op))
    return !addsMultiples(op);
  return mlir::isa<mlir::vector::ReductionOp>(op);
}

class RelaxFloats : public impl::RelaxFloatsBase<RelaxFloats> {
public:
  void runOnOperation() override {
    if (dialect::isAsWritten(getOperation()))
      return;
    using arith::FastMathFlags;
    getOperation().walk([&](arith::ArithFastMathInterface op) {
      // What is contracted around a conversion that rounds is not rounded.
      if (mlir::isa<arith::ExtFOp, arith::TruncFOp>(op) || isKeptApart(op))
        return;
      const FastMathFlags flags =
          FastMathFlags::contract | (mayReassociate(op) ? FastMathFlags::reassoc : FastMathFlags::none);
      op->setAttr(op.getFastMathAttrName(), arith::FastMathFlagsAttr::get(&getContext(), flags));
    });
  }
};

} // namespace
} // namespace spc::transforms
