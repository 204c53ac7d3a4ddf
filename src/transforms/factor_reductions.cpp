#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace spc::transforms {

#define GEN_PASS_DEF_FACTORREDUCTIONS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;

/// Collects the factors of the product `value`, looking into multiplications inside `loop` that serve nothing else.
void collectFactors(mlir::Value value, scf::ForOp loop, llvm::SmallVectorImpl<mlir::Value> &factors) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (product && product->getBlock() == loop.getBody() && value.hasOneUse()) {
    collectFactors(product.getLhs(), loop, factors);
    collectFactors(product.getRhs(), loop, factors);
    return;
  }
  factors.push_back(value);
}

mlir::Value multiply(mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<mlir::Value> factors) {
  mlir::Value product = factors.front();
  for (mlir::Value factor : factors.drop_front())
    product = arith::MulFOp::create(builder, location, product, factor);
  return product;
}

/// The addend of `acc + addend` where the loop carries acc for nothing else, or null.
mlir::Value addendOf(scf::ForOp loop, unsigned number) {
  mlir::BlockArgument carried = loop.getRegionIterArg(number);
  auto sum = loop.getBody()->getTerminator()->getOperand(number).getDefiningOp<arith::AddFOp>();
  if (!sum || !carried.hasOneUse() || *carried.getUsers().begin() != sum || !sum->hasOneUse())
    return {};
  return sum.getLhs() == carried ? sum.getRhs() : sum.getLhs();
}

class FactorReductions : public impl::FactorReductionsBase<FactorReductions> {
public:
  void runOnOperation() override {
    llvm::SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned number = 0; number < loop.getNumResults(); ++number)
        factor(loop, number);
  }

private:
  void factor(scf::ForOp loop, unsigned number);
};

void FactorReductions::factor(scf::ForOp loop, unsigned number) {
  mlir::Value addend = addendOf(loop, number);
  if (!addend)
    return;
  llvm::SmallVector<mlir::Value> factors;
  collectFactors(addend, loop, factors);
  auto isOutside = [&](mlir::Value value) { return loop.isDefinedOutsideOfLoop(value); };
  auto middle = std::stable_partition(factors.begin(), factors.end(), [&](mlir::Value v) { return !isOutside(v); });
  llvm::ArrayRef<mlir::Value> inner(factors.begin(), middle), outer(middle, factors.end());
  if (inner.empty() || outer.empty())
    return;

  mlir::Location location = loop.getLoc();
  mlir::OpBuilder builder(loop.getBody()->getTerminator());
  mlir::Operation *sum = loop.getBody()->getTerminator()->getOperand(number).getDefiningOp();
  builder.setInsertionPoint(sum);
  sum->replaceUsesOfWith(addend, multiply(builder, location, inner));

  builder.setInsertionPoint(loop);
  mlir::Value initial = loop.getInitArgs()[number];
  mlir::Value zero = arith::ConstantOp::create(builder, location, builder.getFloatAttr(initial.getType(), 0));
  loop.getInitArgsMutable()[number].set(zero);

  // An empty sum adds nothing, whatever the factors are: infinity times an empty sum must not become NaN.
  builder.setInsertionPointAfter(loop);
  mlir::Value result = loop.getResult(number);
  mlir::Value scaled = arith::MulFOp::create(builder, location, multiply(builder, location, outer), result);
  mlir::Value total = arith::AddFOp::create(builder, location, initial, scaled);
  mlir::Value some =
      arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, loop.getLowerBound(), loop.getUpperBound());
  mlir::Value chosen = arith::SelectOp::create(builder, location, some, total, initial);
  result.replaceAllUsesExcept(chosen, scaled.getDefiningOp());
}

} // namespace
} // namespace spc::transforms
