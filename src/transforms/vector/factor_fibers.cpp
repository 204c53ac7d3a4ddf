// Sums over a fiber that dense loops multiply out: the fiber is added up once.
#include "dialect/attributes.h"
#include "transforms/passes.h"
#include "transforms/util/access.h"
#include "transforms/util/factors.h"
#include "transforms/util/iterations.h"
#include "transforms/util/reductions.h"
#include "transforms/util/walks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

#define GEN_PASS_DEF_FACTORFIBERS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::ImplicitLocOpBuilder;
using mlir::Operation;
using mlir::Value;

constexpr int64_t kMostColumns = 256; ///< of a row that is added up: they are on the stack
constexpr int64_t kFewestUses = 4;    ///< of a fiber's sum: iterations of the loops around the columns

/// The loops of a nest that change a value.
struct Varies {
  bool byEntries = false, byAround = false, byColumns = false;

  void add(const Varies &other) {
    byEntries |= other.byEntries;
    byAround |= other.byAround;
    byColumns |= other.byColumns;
  }
};

bool isDense(scf::ForOp loop) {
  return loop.getNumResults() == 0 && mlir::isConstantIntValue(loop.getLowerBound(), 0) &&
         mlir::isConstantIntValue(loop.getStep(), 1);
}

/// Whether an operation is arithmetic or a load.
bool isRead(Operation *op) {
  return mlir::isPure(op) || mlir::isa<memref::LoadOp>(op);
}

/// The one loop in the body of another one, beside which there are loads and arithmetic alone; null where that is not
/// so.
scf::ForOp onlyLoopIn(scf::ForOp loop) {
  scf::ForOp only;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto inner = mlir::dyn_cast<scf::ForOp>(op);
    if (inner ? bool(only) : op.getNumRegions() > 0 || !isRead(&op))
      return {};
    only = inner ? inner : only;
  }
  return only;
}

/// A loop over the same, still empty.
scf::ForOp loopLike(ImplicitLocOpBuilder &ops, scf::ForOp loop) {
  auto copy = scf::ForOp::create(ops, loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
  copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  return copy;
}

ImplicitLocOpBuilder insideOf(scf::ForOp loop) {
  return {loop.getLoc(), mlir::OpBuilder::atBlockTerminator(loop.getBody())};
}

/// `for j: for p: for q: for r: C[.., q, r] += s[p] * b[j, q] * c[p, r]`, where p are the entries of fiber j.
class FiberSum {
public:
  explicit FiberSum(scf::ForOp fibers) : fibers_(fibers), entries_(onlyLoopIn(fibers)) {}

  bool matches();
  /// Requires that it matches.
  void rewrite();

private:
  bool findLoops();
  bool findSum();
  bool takeFactors();
  Varies variesBy(Value value);
  Value copyOf(Value value, mlir::IRMapping &known, ImplicitLocOpBuilder &ops, ImplicitLocOpBuilder &inColumns);
  llvm::SmallVector<Value> copiesOf(llvm::ArrayRef<Value> values, mlir::IRMapping &known, ImplicitLocOpBuilder &ops,
                                    ImplicitLocOpBuilder &inColumns);
  Value isWorth(ImplicitLocOpBuilder &ops);
  void addUpFibers(ImplicitLocOpBuilder ops);
  void goAroundFibers(ImplicitLocOpBuilder ops);
  void addUp(ImplicitLocOpBuilder &ops, mlir::IRMapping known, Value row);
  void multiplyOut(ImplicitLocOpBuilder &ops, mlir::IRMapping known, Value row);

  scf::ForOp fibers_, entries_, columns_;
  llvm::SmallVector<scf::ForOp, 2> around_; ///< between them, outermost first
  memref::LoadOp load_;
  memref::StoreOp store_;
  Operation *sum_ = nullptr;
  Factors factors_; ///< inner ones change with the entries
};

bool FiberSum::findLoops() {
  if (!entries_ || fibers_.getNumResults() > 0 || entries_.getNumResults() > 0 || dialect::rowLoopOf(fibers_) ||
      !mlir::isConstantIntValue(entries_.getStep(), 1))
    return false;
  for (scf::ForOp inner = onlyLoopIn(entries_); inner; inner = onlyLoopIn(inner)) {
    if (!isDense(inner) || !fibers_.isDefinedOutsideOfLoop(inner.getUpperBound()))
      return false;
    around_.push_back(inner);
  }
  if (around_.size() < 2)
    return false;
  columns_ = around_.pop_back_val();
  return true;
}

/// The element that the innermost loop adds to, which the entries do not change.
bool FiberSum::findSum() {
  for (Operation &op : columns_.getBody()->without_terminator()) {
    auto store = mlir::dyn_cast<memref::StoreOp>(op);
    if (op.getNumRegions() > 0 || (store ? bool(store_) : !isRead(&op)))
      return false;
    store_ = store ? store : store_;
  }
  if (!store_ || !(store_.getValue().getType().isF32() || store_.getValue().getType().isF64()))
    return false;
  sum_ = store_.getValue().getDefiningOp();
  if (!sum_ || !mlir::isa<arith::AddFOp, arith::SubFOp>(sum_) || !sum_->hasOneUse())
    return false;
  for (const Value operand : sum_->getOperands())
    if (auto load = operand.getDefiningOp<memref::LoadOp>();
        load && load->hasOneUse() && isSameElement(*accessOf(load), *accessOf(store_)))
      load_ = load;
  const auto isOther = [&](Operation *user) {
    return user != load_ && user != store_.getOperation() && entries_->isProperAncestor(user);
  };
  return load_ && llvm::none_of(store_.getMemRef().getUsers(), isOther) &&
         llvm::none_of(store_.getIndices(), [&](Value index) { return variesBy(index).byEntries; });
}

Varies FiberSum::variesBy(Value value) {
  if (entries_.isDefinedOutsideOfLoop(value))
    return {};
  if (value == entries_.getInductionVar())
    return {true, false, false};
  if (value == columns_.getInductionVar())
    return {false, false, true};
  Operation *op = value.getDefiningOp();
  if (!op)
    return {false, true, false};
  Varies all;
  for (const Value operand : op->getOperands())
    all.add(variesBy(operand));
  return all;
}

/// Whether each factor changes with the entries or with the loops around, not with both.
bool FiberSum::takeFactors() {
  const std::optional<Addition> addition = matchAddition(sum_, load_);
  if (!addition)
    return false;
  factors_ = factorsOf(
      addition->addend, [&](Operation *op) { return entries_->isProperAncestor(op); },
      [&](Value value) { return !variesBy(value).byEntries; });
  factors_.isNegative ^= addition->isSubtracted;
  bool isRow = false;
  for (const Value factor : factors_.inner) {
    const Varies varies = variesBy(factor);
    if (varies.byAround)
      return false;
    isRow |= varies.byColumns;
  }
  return isRow && factors_.mayPart();
}

bool FiberSum::matches() {
  return findLoops() && findSum() && takeFactors();
}

/// A value of the nest in a copy of it: what columns change goes to `inColumns`, all else in front of their loop.
Value FiberSum::copyOf(Value value, mlir::IRMapping &known, ImplicitLocOpBuilder &ops,
                       ImplicitLocOpBuilder &inColumns) {
  if (const Value there = known.lookupOrNull(value))
    return there;
  if (entries_.isDefinedOutsideOfLoop(value))
    return value;
  Operation *op = value.getDefiningOp();
  for (const Value operand : op->getOperands())
    copyOf(operand, known, ops, inColumns);
  (variesBy(value).byColumns ? inColumns : ops).clone(*op, known);
  return known.lookup(value);
}

llvm::SmallVector<Value> FiberSum::copiesOf(llvm::ArrayRef<Value> values, mlir::IRMapping &known,
                                            ImplicitLocOpBuilder &ops, ImplicitLocOpBuilder &inColumns) {
  return llvm::map_to_vector(values, [&](Value value) { return copyOf(value, known, ops, inColumns); });
}

/// Whether rows fit on the stack, and adding them up saves more than it takes: of p entries in f fibers whose sums are
/// used u times p + f * u rows are gone through in place of p * u, and f are set to 0 and left.
Value FiberSum::isWorth(ImplicitLocOpBuilder &ops) {
  const auto number = [](ImplicitLocOpBuilder &at, int64_t value) { return arith::ConstantIndexOp::create(at, value); };
  const Value begin = fibers_.getLowerBound(), end = fibers_.getUpperBound();
  const Value isAny = arith::CmpIOp::create(ops, arith::CmpIPredicate::ult, begin, end);
  const Value fits =
      arith::CmpIOp::create(ops, arith::CmpIPredicate::ule, columns_.getUpperBound(), number(ops, kMostColumns));
  Value uses = number(ops, 1);
  for (scf::ForOp loop : around_)
    uses = arith::MulIOp::create(ops, uses, loop.getUpperBound());
  const Value isUsed = arith::CmpIOp::create(ops, arith::CmpIPredicate::uge, uses, number(ops, kFewestUses));
  const Value mayPay = arith::AndIOp::create(ops, isAny, arith::AndIOp::create(ops, fits, isUsed));
  auto choice = scf::IfOp::create(ops, ops.getI1Type(), mayPay, /*addThenBlock=*/true, /*addElseBlock=*/true);
  ImplicitLocOpBuilder no(ops.getLoc(), mlir::OpBuilder::atBlockEnd(choice.elseBlock()));
  scf::YieldOp::create(no, mlir::ValueRange{arith::ConstantOp::create(no, no.getBoolAttr(false))});
  ImplicitLocOpBuilder some(ops.getLoc(), mlir::OpBuilder::atBlockEnd(choice.thenBlock()));
  const Value last = arith::SubIOp::create(some, end, number(some, 1));
  const Value entries = arith::SubIOp::create(some, valueAt(some, fibers_, entries_.getUpperBound(), last),
                                              valueAt(some, fibers_, entries_.getLowerBound(), begin));
  const Value fibers = arith::SubIOp::create(some, end, begin), one = number(some, 1), two = number(some, 2);
  const Value saved = arith::MulIOp::create(some, entries, arith::SubIOp::create(some, uses, one));
  const Value taken = arith::MulIOp::create(some, fibers, arith::AddIOp::create(some, uses, two));
  scf::YieldOp::create(some, mlir::ValueRange{arith::CmpIOp::create(some, arith::CmpIPredicate::ugt, saved, taken)});
  return choice.getResult(0);
}

/// `row[r] = sum over p of s[p] * c[p, r]`
void FiberSum::addUp(ImplicitLocOpBuilder &ops, mlir::IRMapping known, Value row) {
  const mlir::Type type = store_.getValue().getType();
  const Value zero = arith::ConstantOp::create(ops, ops.getZeroAttr(type));
  scf::ForOp fill = loopLike(ops, columns_);
  ImplicitLocOpBuilder filling = insideOf(fill);
  memref::StoreOp::create(filling, zero, row, fill.getInductionVar());
  auto entries = scf::ForOp::create(ops, known.lookupOrDefault(entries_.getLowerBound()),
                                    known.lookupOrDefault(entries_.getUpperBound()), entries_.getStep());
  entries->setDiscardableAttrs(entries_->getDiscardableAttrDictionary());
  ImplicitLocOpBuilder each = insideOf(entries);
  scf::ForOp columns = loopLike(each, columns_);
  ImplicitLocOpBuilder before(ops.getLoc(), mlir::OpBuilder(columns)), inColumns = insideOf(columns);
  known.map(entries_.getInductionVar(), entries.getInductionVar());
  known.map(columns_.getInductionVar(), columns.getInductionVar());
  const llvm::SmallVector<Value> factors = copiesOf(factors_.inner, known, before, inColumns);
  const Value addend = multiply(inColumns, ops.getLoc(), factors);
  const Value old = memref::LoadOp::create(inColumns, row, columns.getInductionVar());
  memref::StoreOp::create(inColumns, arith::AddFOp::create(inColumns, old, addend), row, columns.getInductionVar());
}

/// `C[.., q, r] += b[q] * row[r]`
void FiberSum::multiplyOut(ImplicitLocOpBuilder &ops, mlir::IRMapping known, Value row) {
  ImplicitLocOpBuilder each = ops;
  for (scf::ForOp loop : around_) {
    scf::ForOp copy = loopLike(each, loop);
    known.map(loop.getInductionVar(), copy.getInductionVar());
    each = insideOf(copy);
  }
  scf::ForOp columns = loopLike(each, columns_);
  known.map(columns_.getInductionVar(), columns.getInductionVar());
  ImplicitLocOpBuilder before(ops.getLoc(), mlir::OpBuilder(columns)), inColumns = insideOf(columns);
  const llvm::SmallVector<Value> factors = copiesOf(factors_.outer, known, before, inColumns);
  const llvm::SmallVector<Value> divisors = copiesOf(factors_.divisors, known, before, inColumns);
  const Value sum = memref::LoadOp::create(inColumns, row, columns.getInductionVar());
  const Value addend = scaled(inColumns, ops.getLoc(), sum, factors, divisors);
  const Value old = copyOf(load_, known, before, inColumns);
  const Value next = factors_.isNegative ? arith::SubFOp::create(inColumns, old, addend).getResult()
                                         : arith::AddFOp::create(inColumns, old, addend).getResult();
  llvm::SmallVector<Value> indices;
  for (const Value index : store_.getIndices())
    indices.push_back(copyOf(index, known, before, inColumns));
  memref::StoreOp::create(inColumns, next, store_.getMemRef(), indices);
}

/// Each fiber in two steps. Nothing is added of one without entries, whatever its factors are.
void FiberSum::addUpFibers(ImplicitLocOpBuilder ops) {
  auto body = fibers_->getParentOfType<mlir::func::FuncOp>();
  ImplicitLocOpBuilder first(ops.getLoc(), mlir::OpBuilder::atBlockBegin(&body.getBody().front()));
  const mlir::Type type = store_.getValue().getType();
  const Value memory = memref::AllocaOp::create(first, mlir::MemRefType::get({kMostColumns}, type));
  scf::ForOp fibers = loopLike(ops, fibers_);
  ImplicitLocOpBuilder each = insideOf(fibers);
  mlir::IRMapping known;
  known.map(fibers_.getInductionVar(), fibers.getInductionVar());
  for (Operation &op : fibers_.getBody()->without_terminator())
    if (&op != entries_)
      each.clone(op, known);
  const Value isAny =
      arith::CmpIOp::create(each, arith::CmpIPredicate::ult, known.lookupOrDefault(entries_.getLowerBound()),
                            known.lookupOrDefault(entries_.getUpperBound()));
  auto some = scf::IfOp::create(each, isAny, /*withElseRegion=*/false);
  ImplicitLocOpBuilder then(ops.getLoc(), mlir::OpBuilder::atBlockTerminator(some.thenBlock()));
  // The row is the fiber's: spc-tile-registers keeps it in registers there.
  const Value row = memref::CastOp::create(then, mlir::MemRefType::get({mlir::ShapedType::kDynamic}, type), memory);
  addUp(then, known, row);
  multiplyOut(then, known, row);
}

/// The loops around the columns go around the fibers, too: each element stays in its register for all of them, and gets
/// its addends in the same order.
void FiberSum::goAroundFibers(ImplicitLocOpBuilder ops) {
  mlir::IRMapping known;
  for (scf::ForOp loop : around_) {
    // Without a place: it would be further in.
    auto copy = scf::ForOp::create(ops, loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
    known.map(loop.getInductionVar(), copy.getInductionVar());
    ops = insideOf(copy);
  }
  for (scf::ForOp loop : {fibers_, entries_}) {
    auto copy = scf::ForOp::create(ops, known.lookupOrDefault(loop.getLowerBound()),
                                   known.lookupOrDefault(loop.getUpperBound()), loop.getStep());
    copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    known.map(loop.getInductionVar(), copy.getInductionVar());
    ops = insideOf(copy);
    for (Operation &op : loop.getBody()->without_terminator())
      if (op.getNumRegions() == 0)
        ops.clone(op, known);
  }
  for (scf::ForOp loop : around_)
    for (Operation &op : loop.getBody()->without_terminator())
      if (op.getNumRegions() == 0)
        ops.clone(op, known);
  ops.clone(*columns_, known);
}

/// Has the nest twice: each fiber in two steps, and all fibers step by step.
void FiberSum::rewrite() {
  ImplicitLocOpBuilder ops(fibers_.getLoc(), fibers_);
  auto choice = scf::IfOp::create(ops, isWorth(ops), /*withElseRegion=*/true);
  addUpFibers({fibers_.getLoc(), mlir::OpBuilder::atBlockTerminator(choice.thenBlock())});
  goAroundFibers({fibers_.getLoc(), mlir::OpBuilder::atBlockTerminator(choice.elseBlock())});
  fibers_.erase();
}

class FactorFibers : public impl::FactorFibersBase<FactorFibers> {
public:
  void runOnOperation() override {
    if (dialect::isAsWritten(getOperation()))
      return;
    llvm::SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    // The walk has come to inner loops first: what is rewritten holds none that it comes to later.
    for (scf::ForOp loop : loops)
      if (FiberSum fiber(loop); fiber.matches())
        fiber.rewrite();
  }
};

} // namespace
} // namespace spc::transforms
