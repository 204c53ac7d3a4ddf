#include "dialect/attributes.h"
#include "transforms/passes.h"
#include "transforms/util/reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

#define GEN_PASS_DEF_SCALEROWS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;

/// The loop that adds up, and what it does so with.
class RowSum {
public:
  /// nullopt where the loop adds up to one element of memory alone, with loops that are as long in each iteration
  /// between it and the loop.
  static std::optional<RowSum> find(scf::ForOp loop);

  /// Makes the loop add up without what it is scaled by, and applies this behind it. False where there is nothing.
  bool scale();

private:
  explicit RowSum(scf::ForOp loop) : loop_(loop) {}

  bool takeApart(mlir::Value value);
  bool isUnchanged(mlir::Value value);
  mlir::Value copied(mlir::Value value, mlir::IRMapping &map, mlir::OpBuilder &builder);

  scf::ForOp loop_;
  llvm::SmallVector<scf::ForOp> inner_; ///< loops around the element inside of the loop, outermost first
  memref::StoreOp store_;
  memref::LoadOp load_;
  std::optional<Addition> addition_;
  mlir::Value changing_; ///< the product of what the loop changes; null until there is one
  bool isNegative_ = false;
  llvm::SmallVector<mlir::Value> factors_, divisors_;
};

std::optional<RowSum> RowSum::find(scf::ForOp loop) {
  RowSum sum(loop);
  unsigned stores = 0;
  loop.walk([&](memref::StoreOp store) {
    sum.store_ = store;
    ++stores;
  });
  if (stores != 1 || loop.getNumResults() > 0)
    return std::nullopt;
  for (mlir::Operation *op = sum.store_->getParentOp(); op != loop; op = op->getParentOp()) {
    auto around = mlir::dyn_cast<scf::ForOp>(op);
    if (!around || around.getNumResults() > 0 ||
        !llvm::all_of(around->getOperands(), [&](mlir::Value bound) { return loop.isDefinedOutsideOfLoop(bound); }))
      return std::nullopt;
    sum.inner_.insert(sum.inner_.begin(), around);
  }
  mlir::Operation *last = sum.store_.getValueToStore().getDefiningOp();
  for (mlir::Value operand : last ? mlir::ValueRange(last->getOperands()) : mlir::ValueRange())
    if (auto load = operand.getDefiningOp<memref::LoadOp>();
        load && load.getMemRef() == sum.store_.getMemRef() && load.getIndices() == sum.store_.getIndices())
      sum.load_ = load;
  if (sum.load_ && llvm::all_of(sum.store_.getIndices(), [&](mlir::Value index) { return sum.isUnchanged(index); }))
    sum.addition_ = matchAddition(last, sum.load_);
  return sum.addition_ ? std::optional(std::move(sum)) : std::nullopt;
}

/// Whether a value is the same in each iteration of the loop, though it may be computed inside, from what the loops in
/// there run over.
bool RowSum::isUnchanged(mlir::Value value) {
  if (loop_.isDefinedOutsideOfLoop(value))
    return true;
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return llvm::any_of(inner_, [&](scf::ForOp inner) { return inner.getInductionVar() == value; });
  if (auto load = mlir::dyn_cast<memref::LoadOp>(op);
      load ? load.getMemRef() == store_.getMemRef() : !mlir::isMemoryEffectFree(op) || op->getNumRegions() > 0)
    return false;
  return llvm::all_of(op->getOperands(), [&](mlir::Value operand) { return isUnchanged(operand); });
}

/// Parts the factors of a product, and what it is divided by, into what the loop changes and what it does not. False
/// where it is divided by what the loop changes; the value is then one factor.
bool RowSum::takeApart(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  const bool isWithin = op && !loop_.isDefinedOutsideOfLoop(value) && value.hasOneUse();
  if (isUnchanged(value)) {
    factors_.push_back(value);
  } else if (isWithin && mlir::isa<arith::NegFOp>(op)) {
    isNegative_ = !isNegative_;
    takeApart(op->getOperand(0));
  } else if (isWithin && mlir::isa<arith::MulFOp>(op)) {
    takeApart(op->getOperand(0));
    takeApart(op->getOperand(1));
  } else if (isWithin && mlir::isa<arith::DivFOp>(op) && isUnchanged(op->getOperand(1))) {
    takeApart(op->getOperand(0));
    divisors_.push_back(op->getOperand(1));
  } else {
    mlir::OpBuilder builder(addition_->op);
    changing_ = changing_ ? arith::MulFOp::create(builder, value.getLoc(), changing_, value).getResult() : value;
  }
  return !factors_.empty() || !divisors_.empty();
}

/// The value in front of which the loops inside are run once more.
mlir::Value RowSum::copied(mlir::Value value, mlir::IRMapping &map, mlir::OpBuilder &builder) {
  if (loop_.isDefinedOutsideOfLoop(value) || map.contains(value))
    return map.lookupOrDefault(value);
  for (mlir::Value operand : value.getDefiningOp()->getOperands())
    copied(operand, map, builder);
  builder.clone(*value.getDefiningOp(), map);
  return map.lookup(value);
}

bool RowSum::scale() {
  if (!takeApart(addition_->addend) || !changing_)
    return false;
  mlir::OpBuilder builder(addition_->op);
  if (isNegative_)
    changing_ = arith::NegFOp::create(builder, changing_.getLoc(), changing_);
  addition_->op->replaceUsesOfWith(addition_->addend, changing_);

  builder.setInsertionPointAfter(loop_);
  const mlir::Location location = loop_.getLoc();
  // A row without entries is missing, whatever it would be multiplied by.
  const mlir::Value some =
      arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, loop_.getLowerBound(), loop_.getUpperBound());
  builder.setInsertionPointToStart(scf::IfOp::create(builder, location, some).thenBlock());
  mlir::IRMapping map;
  for (scf::ForOp inner : inner_) {
    auto copy = scf::ForOp::create(builder, location, inner.getLowerBound(), inner.getUpperBound(), inner.getStep());
    copy->setDiscardableAttrs(inner->getDiscardableAttrDictionary());
    map.map(inner.getInductionVar(), copy.getInductionVar());
    builder.setInsertionPointToStart(copy.getBody());
  }
  llvm::SmallVector<mlir::Value> indices;
  for (mlir::Value index : store_.getIndices())
    indices.push_back(copied(index, map, builder));
  mlir::Value scaled = memref::LoadOp::create(builder, location, store_.getMemRef(), indices);
  for (mlir::Value factor : factors_)
    scaled = arith::MulFOp::create(builder, location, copied(factor, map, builder), scaled);
  for (mlir::Value divisor : divisors_)
    scaled = arith::DivFOp::create(builder, location, scaled, copied(divisor, map, builder));
  memref::StoreOp::create(builder, location, scaled, store_.getMemRef(), indices);
  return true;
}

class ScaleRows : public impl::ScaleRowsBase<ScaleRows> {
public:
  void runOnOperation() override {
    llvm::SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      const dialect::PlaceAttr place = dialect::placeOf(loop);
      if (place && dialect::nestOf(getOperation(), place.getNest()).getIsScaled() &&
          dialect::plannedLoopOf(loop).getIsReduction())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (std::optional<RowSum> sum = RowSum::find(loop); !sum || !sum->scale()) {
        loop.emitError("is planned to be scaled behind its iterations, and is no sum that can be");
        return signalPassFailure();
      }
  }
};

} // namespace
} // namespace spc::transforms
