// Sums over all of a matrix as one loop rather than one for each row.
#include "transforms/passes.h"
#include "transforms/util/access.h"
#include "transforms/util/iterations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

#define GEN_PASS_DEF_JOINROWS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::ImplicitLocOpBuilder;
using mlir::Operation;
using mlir::Value;

/// Two loops, one of which is all that the other one does, that add to numbers which neither changes the place of.
class MatrixSum {
public:
  explicit MatrixSum(scf::ForOp rows) : rows_(rows) {}

  /// Joins the loops where that gives the same addends in the same order.
  void join() {
    if (!findLoops() || !addsToNumbers())
      return;
    if (takes({}) && !rows_.isDefinedOutsideOfLoop(row_.getLowerBound()) &&
        areAdjoining(row_.getLowerBound(), row_.getUpperBound()))
      joinLists();
    else if (isArray())
      joinArrays();
  }

private:
  bool findLoops();
  bool addsToNumbers();
  bool takes(Value row);
  bool areAdjoining(Value lower, Value upper);
  bool isArray();
  scf::ForOp joined(ImplicitLocOpBuilder &ops, Value begin, Value end);
  void joinLists();
  void joinArrays();

  scf::ForOp rows_, row_;
  llvm::SmallVector<memref::LoadOp> loads_; ///< of both loops' elements
};

bool MatrixSum::findLoops() {
  if (!mlir::isConstantIntValue(rows_.getStep(), 1))
    return false;
  for (Operation &op : rows_.getBody()->without_terminator()) {
    auto inner = mlir::dyn_cast<scf::ForOp>(op);
    if (inner ? bool(row_) : !mlir::isPure(&op) && !mlir::isa<memref::LoadOp>(op))
      return false;
    row_ = inner ? inner : row_;
  }
  if (!row_ || !mlir::isConstantIntValue(row_.getStep(), 1) || row_.getNumResults() != rows_.getNumResults())
    return false;
  const auto results = rows_.getBody()->getTerminator()->getOperands();
  return llvm::equal(row_.getInitArgs(), rows_.getRegionIterArgs()) && llvm::equal(row_.getResults(), results);
}

/// Whether the inner loop stores to places alone that both loops leave as they are, and holds no further loop.
bool MatrixSum::addsToNumbers() {
  bool isSum = rows_.getNumResults() > 0;
  const bool isPlain = !row_.getBody()
                            ->walk([&](Operation *op) {
                              const std::optional<Access> access = accessOf(op);
                              const auto isFixed = [&](Value value) { return rows_.isDefinedOutsideOfLoop(value); };
                              const bool isStore = access && access->isStore();
                              isSum |= isStore;
                              const bool mayStay =
                                  isStore ? isFixed(access->buffer) && llvm::all_of(access->indices, isFixed)
                                          : access || mlir::isPure(op);
                              return mayStay ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
                            })
                            .wasInterrupted();
  return isSum && isPlain;
}

/// Whether the inner loop's operations take no value of the outer one's but `row`.
bool MatrixSum::takes(Value row) {
  bool holds = true;
  row_.getBody()->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      holds &= operand == row || rows_.isDefinedOutsideOfLoop(operand) || !row_.isDefinedOutsideOfLoop(operand);
  });
  return holds;
}

/// Whether one value in the iteration of a row is what the other one is in that of the next row.
bool MatrixSum::areAdjoining(Value lower, Value upper) {
  if (rows_.isDefinedOutsideOfLoop(lower))
    return lower == upper;
  Operation *next = upper.getDefiningOp();
  if (lower == rows_.getInductionVar()) {
    auto sum = mlir::dyn_cast_or_null<arith::AddIOp>(next);
    return sum && sum.getLhs() == lower && mlir::isConstantIntValue(sum.getRhs(), 1);
  }
  Operation *own = lower.getDefiningOp();
  return own && next && own->getName() == next->getName() && own->getAttrs() == next->getAttrs() &&
         own->getNumRegions() == 0 && own->getResultTypes() == next->getResultTypes() &&
         llvm::all_of(llvm::zip_equal(own->getOperands(), next->getOperands()),
                      [&](const auto &pair) { return areAdjoining(std::get<0>(pair), std::get<1>(pair)); });
}

/// Whether loops go through the same elements of matrices, rows with as many elements each, and read no other place.
bool MatrixSum::isArray() {
  if (!mlir::isConstantIntValue(row_.getLowerBound(), 0) || !rows_.isDefinedOutsideOfLoop(row_.getUpperBound()))
    return false;
  const Value indices[] = {rows_.getInductionVar(), row_.getInductionVar()};
  row_.getBody()->walk([&](memref::LoadOp load) {
    if (llvm::equal(load.getIndices(), indices) && rows_.isDefinedOutsideOfLoop(load.getMemRef()))
      loads_.push_back(load);
  });
  for (const Value index : indices)
    for (Operation *user : index.getUsers())
      if (!llvm::is_contained(loads_, mlir::dyn_cast<memref::LoadOp>(user)))
        return false;
  return takes(rows_.getInductionVar()) && !loads_.empty() && llvm::all_of(loads_, [](memref::LoadOp load) {
           return load.getMemRefType().getStridesAndOffset().second == 0;
         });
}

/// The inner loop from `begin` to `end`.
scf::ForOp MatrixSum::joined(ImplicitLocOpBuilder &ops, Value begin, Value end) {
  mlir::IRMapping known;
  for (const auto &[inner, outer] : llvm::zip_equal(row_.getInitArgs(), rows_.getInitArgs()))
    known.map(inner, outer);
  auto loop = scf::ForOp::create(ops, begin, end, row_.getStep(), rows_.getInitArgs());
  loop->setDiscardableAttrs(row_->getDiscardableAttrDictionary());
  if (loop.getNumResults() == 0)
    loop.getBody()->getTerminator()->erase();
  ImplicitLocOpBuilder inside(row_.getLoc(), mlir::OpBuilder::atBlockEnd(loop.getBody()));
  known.map(row_.getInductionVar(), loop.getInductionVar());
  known.map(row_.getRegionIterArgs(), loop.getRegionIterArgs());
  for (Operation &op : *row_.getBody())
    inside.clone(op, known);
  return loop;
}

/// Lists that adjoin are one. Without rows there may be no pointers.
void MatrixSum::joinLists() {
  ImplicitLocOpBuilder ops(rows_.getLoc(), rows_);
  const Value begin = rows_.getLowerBound(), end = rows_.getUpperBound();
  const Value isAny = arith::CmpIOp::create(ops, arith::CmpIPredicate::ult, begin, end);
  const mlir::Type index = row_.getLowerBound().getType();
  auto bounds =
      scf::IfOp::create(ops, mlir::TypeRange{index, index}, isAny, /*addThenBlock=*/true, /*addElseBlock=*/true);
  ImplicitLocOpBuilder some(ops.getLoc(), mlir::OpBuilder::atBlockEnd(bounds.thenBlock()));
  const Value first = valueAt(some, rows_, row_.getLowerBound(), begin);
  const Value last = valueAt(some, rows_, row_.getLowerBound(), end);
  scf::YieldOp::create(some, mlir::ValueRange{first, last});
  ImplicitLocOpBuilder none(ops.getLoc(), mlir::OpBuilder::atBlockEnd(bounds.elseBlock()));
  const Value zero = arith::ConstantOp::create(none, none.getIntegerAttr(index, 0));
  scf::YieldOp::create(none, mlir::ValueRange{zero, zero});
  rows_.replaceAllUsesWith(joined(ops, bounds.getResult(0), bounds.getResult(1)).getResults());
  rows_.erase();
}

/// Rows of arrays without room between them are one.
void MatrixSum::joinArrays() {
  ImplicitLocOpBuilder ops(rows_.getLoc(), rows_);
  const Value columns = row_.getUpperBound(), one = arith::ConstantIndexOp::create(ops, 1);
  Value adjoin = arith::ConstantOp::create(ops, ops.getBoolAttr(true));
  for (memref::LoadOp load : loads_) {
    auto facts = memref::ExtractStridedMetadataOp::create(ops, load.getMemRef());
    const Value isRow = arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, facts.getStrides()[0], columns);
    const Value isUnit = arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, facts.getStrides()[1], one);
    adjoin = arith::AndIOp::create(ops, adjoin, arith::AndIOp::create(ops, isRow, isUnit));
  }
  auto choice = scf::IfOp::create(ops, rows_.getResultTypes(), adjoin, /*addThenBlock=*/true, /*addElseBlock=*/true);
  ImplicitLocOpBuilder then(ops.getLoc(), mlir::OpBuilder::atBlockBegin(choice.thenBlock()));
  const Value begin = arith::MulIOp::create(then, rows_.getLowerBound(), columns);
  const Value end = arith::MulIOp::create(then, rows_.getUpperBound(), columns);
  scf::ForOp loop = joined(then, begin, end);
  mlir::DenseMap<Value, Value> flat;
  for (Operation *user : llvm::make_early_inc_range(loop.getInductionVar().getUsers())) {
    auto load = mlir::cast<memref::LoadOp>(user);
    Value &view = flat[load.getMemRef()];
    if (!view) {
      ImplicitLocOpBuilder before(ops.getLoc(), mlir::OpBuilder(loop));
      const mlir::Type element = load.getMemRefType().getElementType();
      view = memref::ReinterpretCastOp::create(before, mlir::MemRefType::get({mlir::ShapedType::kDynamic}, element),
                                               load.getMemRef(), /*offset=*/before.getIndexAttr(0),
                                               mlir::ArrayRef<mlir::OpFoldResult>{end},
                                               mlir::ArrayRef<mlir::OpFoldResult>{before.getIndexAttr(1)});
    }
    mlir::OpBuilder here(load);
    load.replaceAllUsesWith(
        memref::LoadOp::create(here, load.getLoc(), view, mlir::ValueRange{loop.getInductionVar()}).getResult());
    load.erase();
  }
  ImplicitLocOpBuilder otherwise(ops.getLoc(), mlir::OpBuilder::atBlockBegin(choice.elseBlock()));
  Operation *copy = otherwise.clone(*rows_);
  scf::YieldOp::create(then, loop.getResults());
  scf::YieldOp::create(otherwise, copy->getResults());
  rows_.replaceAllUsesWith(choice.getResults());
  rows_.erase();
}

class JoinRows : public impl::JoinRowsBase<JoinRows> {
public:
  void runOnOperation() override {
    llvm::SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    // The walk has come to inner loops first, which may become the one loop of an outer one.
    for (scf::ForOp loop : loops)
      MatrixSum(loop).join();
  }
};

} // namespace
} // namespace spc::transforms
