#include "transforms/passes.h"
#include "transforms/util/factors.h"
#include "transforms/util/hoist_unchanged.h"
#include "transforms/util/reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

#define GEN_PASS_DEF_FACTORREDUCTIONS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;

/// A sum whose terms have lost the factors that they had in common.
struct FactoredSum {
  mlir::Value result, initial;
  llvm::SmallVector<mlir::Value> factors, divisors;
  bool isSubtracted = false;

  /// What the sum is with them, each applied once.
  mlir::Value total(mlir::OpBuilder &builder, mlir::Location location) const {
    const mlir::Value sum = scaled(builder, location, result, factors, divisors);
    return isSubtracted ? arith::SubFOp::create(builder, location, initial, sum).getResult()
                        : arith::AddFOp::create(builder, location, initial, sum).getResult();
  }
};

class FactorReductions : public impl::FactorReductionsBase<FactorReductions> {
public:
  void runOnOperation() override {
    llvm::SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (loop.getNumResults() > 0)
        hoistUnchanged(loop);
    for (scf::ForOp loop : loops)
      factor(loop);
    // The walk has come to inner loops first, so that none is in a loop that is gone.
    for (scf::ForOp loop : loops)
      settle(loop);
  }

private:
  static void settle(scf::ForOp loop);
  static void factor(scf::ForOp loop);
  static std::optional<FactoredSum> takeFactors(scf::ForOp loop, unsigned number);
};

/// Makes a choice of a loop that takes one value in by `or`, over and over: whether there is an iteration is all that
/// counts, as where a row is asked whether it has entries.
void FactorReductions::settle(scf::ForOp loop) {
  for (unsigned number = 0; number < loop.getNumResults(); ++number) {
    const mlir::Value carried = loop.getRegionIterArg(number);
    auto taken = loop.getYieldedValues()[number].getDefiningOp<arith::OrIOp>();
    if (!taken || !carried.hasOneUse() || (taken.getLhs() != carried && taken.getRhs() != carried))
      continue;
    const mlir::Value value = taken.getLhs() == carried ? taken.getRhs() : taken.getLhs();
    if (!loop.isDefinedOutsideOfLoop(value))
      continue;
    mlir::OpBuilder builder(loop);
    builder.setInsertionPointAfter(loop);
    const mlir::Location location = loop.getLoc();
    const mlir::Value first = loop.getInitArgs()[number];
    const mlir::Value some =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, loop.getLowerBound(), loop.getUpperBound());
    const mlir::Value either = arith::OrIOp::create(builder, location, first, value);
    loop.getResult(number).replaceAllUsesWith(
        arith::SelectOp::create(builder, location, some, either, first).getResult());
  }
  if (mlir::isOpTriviallyDead(loop))
    loop.erase();
}

/// Takes the factors that do not change in the loop out of a sum, which then starts from zero.
std::optional<FactoredSum> FactorReductions::takeFactors(scf::ForOp loop, unsigned number) {
  const std::optional<Addition> addition = matchCarriedSum(loop, number);
  if (!addition || !mlir::isa<arith::AddFOp, arith::SubFOp>(addition->op))
    return std::nullopt;
  // Products of sums in half floats would be rounded; spc-widen-sums makes single ones of them first.
  const mlir::Type element = mlir::getElementTypeOrSelf(addition->addend.getType());
  if (element.isF16() || element.isBF16())
    return std::nullopt;
  const Factors factors = factorsOf(
      addition->addend, [&](mlir::Operation *op) { return op->getBlock() == loop.getBody(); },
      [&](mlir::Value value) { return loop.isDefinedOutsideOfLoop(value); });
  if (!factors.mayPart())
    return std::nullopt;

  mlir::Location location = loop.getLoc();
  mlir::OpBuilder builder(addition->op);
  const mlir::Value inner = multiply(builder, location, factors.inner);
  if (addition->isSubtracted) {
    addition->op->replaceAllUsesWith(arith::AddFOp::create(builder, location, loop.getRegionIterArg(number), inner,
                                                           mlir::cast<arith::SubFOp>(addition->op).getFastmath()));
    addition->op->erase();
  } else {
    addition->op->replaceUsesOfWith(addition->addend, inner);
  }

  builder.setInsertionPoint(loop);
  mlir::Value initial = loop.getInitArgs()[number];
  mlir::Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(initial.getType()));
  loop.getInitArgsMutable()[number].set(zero);
  return FactoredSum{loop.getResult(number), initial, factors.outer, factors.divisors,
                     addition->isSubtracted != factors.isNegative};
}

void FactorReductions::factor(scf::ForOp loop) {
  llvm::SmallVector<FactoredSum> sums;
  for (unsigned number = 0; number < loop.getNumResults(); ++number)
    if (std::optional<FactoredSum> sum = takeFactors(loop, number))
      sums.push_back(*sum);
  if (sums.empty())
    return;

  // An empty sum adds nothing, whatever the factors are: infinity times an empty sum must not become NaN.
  mlir::OpBuilder builder(loop.getContext());
  builder.setInsertionPointAfter(loop);
  mlir::Location location = loop.getLoc();
  mlir::Value some =
      arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, loop.getLowerBound(), loop.getUpperBound());
  llvm::SmallVector<mlir::Value> chosen;
  if (mlir::isa<mlir::VectorType>(sums.front().result.getType())) {
    // One branch for all vectors of a tile, where LLVM makes one of each select.
    llvm::SmallVector<mlir::Type> types;
    for (const FactoredSum &sum : sums)
      types.push_back(sum.result.getType());
    auto choice = scf::IfOp::create(builder, location, types, some, /*addThenBlock=*/true, /*addElseBlock=*/true);
    llvm::SmallVector<mlir::Value> totals, initials;
    builder.setInsertionPointToEnd(choice.thenBlock());
    for (const FactoredSum &sum : sums) {
      totals.push_back(sum.total(builder, location));
      initials.push_back(sum.initial);
    }
    scf::YieldOp::create(builder, location, totals);
    builder.setInsertionPointToEnd(choice.elseBlock());
    scf::YieldOp::create(builder, location, initials);
    chosen.assign(choice.result_begin(), choice.result_end());
  } else {
    for (const FactoredSum &sum : sums)
      chosen.push_back(arith::SelectOp::create(builder, location, some, sum.total(builder, location), sum.initial));
  }
  for (auto [sum, value] : llvm::zip_equal(sums, chosen)) {
    mlir::Operation *last = value.getDefiningOp();
    mlir::Value replacement = value;
    sum.result.replaceUsesWithIf(replacement, [&](mlir::OpOperand &use) {
      mlir::Operation *user = loop->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return !user || last->isBeforeInBlock(user);
    });
  }
}

} // namespace
} // namespace spc::transforms
