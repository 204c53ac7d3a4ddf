#include "transforms/passes.h"
#include "transforms/util/factors.h"
#include "transforms/util/hoist_unchanged.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace spc::transforms {

#define GEN_PASS_DEF_HOISTQUOTIENTS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;

/// Whether `op` is a product or a quotient, or one negated, and no part of a larger one in its block.
bool isWholeProduct(mlir::Operation &op) {
  if (!mlir::isa<arith::MulFOp, arith::DivFOp, arith::NegFOp>(op))
    return false;
  if (!op.hasOneUse())
    return true;
  mlir::OpOperand &use = *op.use_begin();
  mlir::Operation *user = use.getOwner();
  return user->getBlock() != op.getBlock() || !(mlir::isa<arith::MulFOp, arith::NegFOp>(user) ||
                                                (mlir::isa<arith::DivFOp>(user) && use.getOperandNumber() == 0));
}

/// Divides those factors of `product` that the loop does not change in front of it. A number that is given, and none,
/// are no such factors: `x / 3 * 3` is two operations on x, and `x * (1 / d)` would round once more than `x / d`.
void hoistQuotient(scf::ForOp loop, mlir::Operation &product) {
  const Factors factors = factorsOf(
      product.getResult(0), [&](mlir::Operation *op) { return op->getBlock() == loop.getBody(); },
      [&](mlir::Value value) { return loop.isDefinedOutsideOfLoop(value); });
  const auto isGiven = [](mlir::Value value) { return mlir::matchPattern(value, mlir::m_Constant()); };
  // Halves overflow soon, and quotients by small numbers first.
  const mlir::Type type = product.getResult(0).getType();
  if (type.isF16() || type.isBF16() || factors.inner.empty() || factors.divisors.empty() ||
      llvm::all_of(factors.outer, isGiven))
    return;

  const mlir::Location location = product.getLoc();
  mlir::OpBuilder builder(loop);
  const mlir::Value quotient =
      scaled(builder, location, factors.outer.front(), llvm::ArrayRef(factors.outer).drop_front(), factors.divisors);
  builder.setInsertionPoint(&product);
  mlir::Value result =
      arith::MulFOp::create(builder, location, quotient, multiply(builder, location, factors.inner)).getResult();
  if (factors.isNegative)
    result = arith::NegFOp::create(builder, location, result);
  product.getResult(0).replaceAllUsesWith(result);
}

class HoistQuotients : public impl::HoistQuotientsBase<HoistQuotients> {
public:
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      const auto divides = [](mlir::Operation &op) { return mlir::isa<arith::DivFOp>(op); };
      if (llvm::none_of(*loop.getBody(), divides))
        return;
      hoistUnchanged(loop);
      for (mlir::Operation &op : llvm::make_early_inc_range(*loop.getBody()))
        if (isWholeProduct(op))
          hoistQuotient(loop, op);
    });
  }
};

} // namespace
} // namespace spc::transforms
