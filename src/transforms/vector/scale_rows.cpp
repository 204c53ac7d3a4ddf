#include "dialect/attributes.h"
#include "transforms/passes.h"
#include "transforms/util/factors.h"
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
  /// nullopt unless the loop adds up in memory and does nothing else, in loops inside that are the same in each
  /// iteration.
  static std::optional<RowSum> find(scf::ForOp loop);

  /// Makes the loop add up without what it is scaled by, and applies this behind it. False where there is nothing.
  bool scale();

private:
  explicit RowSum(scf::ForOp loop) : loop_(loop) {}

  bool isUnchanged(mlir::Value value);
  mlir::Value copied(mlir::Value value, mlir::IRMapping &map, mlir::OpBuilder &builder);

  scf::ForOp loop_;
  llvm::SmallVector<scf::ForOp> inner_; ///< loops around the element inside of the loop, outermost first
  memref::StoreOp store_;
  memref::LoadOp load_;
  std::optional<Addition> addition_;
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
  auto load = mlir::dyn_cast<memref::LoadOp>(op);
  const bool mayRepeat =
      load ? load.getMemRef() != store_.getMemRef() : mlir::isMemoryEffectFree(op) && op->getNumRegions() == 0;
  return mayRepeat && llvm::all_of(op->getOperands(), [&](mlir::Value operand) { return isUnchanged(operand); });
}

/// A value that is unchanged, computed once more where `builder` stands, with what `map` has in place of the loops'
/// variables.
mlir::Value RowSum::copied(mlir::Value value, mlir::IRMapping &map, mlir::OpBuilder &builder) {
  if (loop_.isDefinedOutsideOfLoop(value) || map.contains(value))
    return map.lookupOrDefault(value);
  for (mlir::Value operand : value.getDefiningOp()->getOperands())
    copied(operand, map, builder);
  builder.clone(*value.getDefiningOp(), map);
  return map.lookup(value);
}

bool RowSum::scale() {
  const Factors factors = factorsOf(
      addition_->addend, [&](mlir::Operation *op) { return loop_->isProperAncestor(op); },
      [&](mlir::Value value) { return isUnchanged(value); });
  if (!factors.mayPart())
    return false;
  mlir::OpBuilder builder(addition_->op);
  const mlir::Location location = loop_.getLoc();
  mlir::Value inner = multiply(builder, location, factors.inner);
  if (factors.isNegative)
    inner = arith::NegFOp::create(builder, location, inner);
  addition_->op->replaceUsesOfWith(addition_->addend, inner);

  builder.setInsertionPointAfter(loop_);
  // A row without entries is missing, whatever it would be multiplied by.
  const mlir::Value some =
      arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, loop_.getLowerBound(), loop_.getUpperBound());
  builder.setInsertionPointToStart(scf::IfOp::create(builder, location, some).thenBlock());
  mlir::IRMapping map;
  for (scf::ForOp row : inner_) {
    auto copy = scf::ForOp::create(builder, location, row.getLowerBound(), row.getUpperBound(), row.getStep());
    copy->setDiscardableAttrs(row->getDiscardableAttrDictionary());
    map.map(row.getInductionVar(), copy.getInductionVar());
    builder.setInsertionPointToStart(copy.getBody());
  }
  const auto allCopied = [&](mlir::ValueRange values) {
    return llvm::map_to_vector(values, [&](mlir::Value value) { return copied(value, map, builder); });
  };
  const auto indices = allCopied(store_.getIndices());
  const mlir::Value sum = memref::LoadOp::create(builder, location, store_.getMemRef(), indices);
  const auto outer = allCopied(factors.outer), divisors = allCopied(factors.divisors);
  memref::StoreOp::create(builder, location, scaled(builder, location, sum, outer, divisors), store_.getMemRef(),
                          indices);
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
