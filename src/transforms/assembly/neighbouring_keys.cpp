#include "transforms/assembly/neighbouring_keys.h"

#include "transforms/util/vector_body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using dialect::AccumulateOp;
using dialect::LocateOp;
using mlir::ImplicitLocOpBuilder;
using mlir::Operation;
using mlir::Value;

namespace {

constexpr int64_t kLanes = 4;
constexpr int64_t kWordBits = 64; ///< of the bitmap of keys, of which RunWriter has one word in a register

ImplicitLocOpBuilder within(ImplicitLocOpBuilder &ops, mlir::Block *block) {
  return {ops.getLoc(), mlir::OpBuilder::atBlockEnd(block)};
}

Value indexConstant(ImplicitLocOpBuilder &ops, int64_t number) {
  return arith::ConstantIndexOp::create(ops, number);
}

Value further(ImplicitLocOpBuilder &ops, Value position, int64_t steps) {
  return arith::AddIOp::create(ops, position, indexConstant(ops, steps));
}

/// `condition && next()`, where `next` is computed only if it counts.
template <typename Next> Value andThen(ImplicitLocOpBuilder &ops, Value condition, const Next &next) {
  auto choice = scf::IfOp::create(ops, mlir::TypeRange{ops.getI1Type()}, condition, /*withElseRegion=*/true);
  ImplicitLocOpBuilder yes = within(ops, choice.thenBlock()), no = within(ops, choice.elseBlock());
  scf::YieldOp::create(yes, next(yes));
  scf::YieldOp::create(no, Value(arith::ConstantOp::create(no, no.getBoolAttr(false))));
  return choice.getResult(0);
}

/// A loop over a segment's entries, one iteration of which is `workspace[key[p]] += f(a[p], ...)`.
class AccumulatingLoop {
public:
  explicit AccumulatingLoop(scf::ForOp loop) : loop_(loop) {}

  bool matches();
  /// Requires that the loop matches.
  void rewrite();

private:
  bool canBeVector(Operation &op);
  bool readsEntry(memref::LoadOp load);
  bool findKey();
  Value isOfRuns(ImplicitLocOpBuilder &ops);
  Value beginsRun(ImplicitLocOpBuilder &ops, Value position);
  void writeLoop(ImplicitLocOpBuilder &ops);
  Value hasNeighbours(ImplicitLocOpBuilder &ops, Value position);
  void writeEntry(ImplicitLocOpBuilder &ops, Value position);
  void writeNeighbours(ImplicitLocOpBuilder &ops, Value position);
  Value keyAt(ImplicitLocOpBuilder &ops, Value position);
  static mlir::VectorType vectorOf(mlir::Type element) { return mlir::VectorType::get({kLanes}, element); }

  scf::ForOp loop_;
  LocateOp locate_;
  AccumulateOp accumulate_;
  memref::LoadOp key_;                      ///< loads the key
  llvm::SmallVector<Operation *> keyCasts_; ///< what makes an index of it, from the load on
};

/// Whether `load` reads element p of an array in iteration p.
bool AccumulatingLoop::readsEntry(memref::LoadOp load) {
  return load.getIndices().size() == 1 && load.getIndices()[0] == loop_.getInductionVar() &&
         unitDimension(load.getMemRef());
}

/// Finds the load of the key. False where the key is anything else, or is used for more.
bool AccumulatingLoop::findKey() {
  const Value key = locate_.getKey();
  Operation *op = key.getDefiningOp();
  for (; op && mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp, arith::ExtSIOp>(op);
       op = op->getOperand(0).getDefiningOp())
    keyCasts_.insert(keyCasts_.begin(), op);
  key_ = mlir::dyn_cast_or_null<memref::LoadOp>(op);
  return key_ && key_->getBlock() == loop_.getBody() && readsEntry(key_) &&
         llvm::all_of(key.getUsers(), [&](Operation *user) { return user == locate_ || user == accumulate_; });
}

bool AccumulatingLoop::canBeVector(Operation &op) {
  const auto isElement = [](mlir::Type type) { return isVectorElement(type) && !type.isF16() && !type.isBF16(); };
  if (&op == locate_ || &op == accumulate_ || op.getResult(0) == locate_.getKey())
    return true;
  if (auto load = mlir::dyn_cast<memref::LoadOp>(op))
    return isElement(load.getType()) && (readsEntry(load) || llvm::all_of(load.getIndices(), [&](Value index) {
                                           return loop_.isDefinedOutsideOfLoop(index);
                                         }));
  return op.getNumResults() == 1 && isElementwise(&op) && isElement(op.getResult(0).getType()) &&
         llvm::all_of(op.getOperandTypes(), isElement);
}

bool AccumulatingLoop::matches() {
  if (loop_.getNumResults() != 0 || !mlir::isConstantIntValue(loop_.getStep(), 1))
    return false;
  const auto located = llvm::to_vector(loop_.getBody()->getOps<LocateOp>());
  const auto accumulated = llvm::to_vector(loop_.getBody()->getOps<AccumulateOp>());
  if (located.size() != 1 || accumulated.size() != 1)
    return false;
  locate_ = located.front();
  accumulate_ = accumulated.front();
  return locate_.getOld() && !locate_.getIdentity() && accumulate_.getKey() == locate_.getKey() &&
         accumulate_.getSlot() == locate_.getSlot() && locate_.getSlot().hasOneUse() && findKey() &&
         llvm::all_of(loop_.getBody()->without_terminator(), [&](Operation &op) { return canBeVector(op); });
}

void AccumulatingLoop::rewrite() {
  ImplicitLocOpBuilder ops(loop_.getLoc(), loop_);
  auto forms = scf::IfOp::create(ops, isOfRuns(ops), /*withElseRegion=*/true);
  ImplicitLocOpBuilder run(loop_.getLoc(), forms.getThenBodyBuilder());
  writeLoop(run);
  loop_->moveBefore(forms.elseBlock()->getTerminator());
}

/// i1: whether keys follow one another at the segment's begin and in its middle, as far as the first and the last of
/// them tell. Power-law matrices have rows that begin so, and become sparse.
Value AccumulatingLoop::isOfRuns(ImplicitLocOpBuilder &ops) {
  const Value begin = loop_.getLowerBound(), end = loop_.getUpperBound();
  const Value isLong = arith::CmpIOp::create(ops, arith::CmpIPredicate::sle, further(ops, begin, kLanes), end);
  return andThen(ops, isLong, [&](ImplicitLocOpBuilder &first) {
    return andThen(first, beginsRun(first, begin), [&](ImplicitLocOpBuilder &second) {
      const Value length = arith::SubIOp::create(second, end, begin);
      const Value half = arith::ShRUIOp::create(second, length, indexConstant(second, 1));
      const Value whole = arith::AndIOp::create(second, half, indexConstant(second, -kLanes));
      return beginsRun(second, arith::AddIOp::create(second, begin, whole));
    });
  });
}

Value AccumulatingLoop::beginsRun(ImplicitLocOpBuilder &ops, Value position) {
  const Value last = keyAt(ops, further(ops, position, kLanes - 1));
  const Value expected = further(ops, keyAt(ops, position), kLanes - 1);
  return arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, last, expected);
}

Value AccumulatingLoop::keyAt(ImplicitLocOpBuilder &ops, Value position) {
  Value key = memref::LoadOp::create(ops, key_.getMemRef(), position);
  for (Operation *cast : keyCasts_) {
    mlir::IRMapping operands;
    operands.map(cast->getOperand(0), key);
    key = ops.clone(*cast, operands)->getResult(0);
  }
  return key;
}

void AccumulatingLoop::writeLoop(ImplicitLocOpBuilder &ops) {
  const mlir::Type index = ops.getIndexType();
  auto loop = scf::WhileOp::create(ops, mlir::TypeRange{index}, mlir::ValueRange{loop_.getLowerBound()});
  mlir::Block *before = ops.createBlock(&loop.getBefore(), {}, {index}, {ops.getLoc()});
  mlir::Block *body = ops.createBlock(&loop.getAfter(), {}, {index}, {ops.getLoc()});
  ImplicitLocOpBuilder test = within(ops, before);
  const Value isInside =
      arith::CmpIOp::create(test, arith::CmpIPredicate::slt, before->getArgument(0), loop_.getUpperBound());
  scf::ConditionOp::create(test, isInside, before->getArguments());
  ImplicitLocOpBuilder step = within(ops, body);
  const Value position = body->getArgument(0);
  auto choice = scf::IfOp::create(step, mlir::TypeRange{index}, hasNeighbours(step, position), /*withElseRegion=*/true);
  ImplicitLocOpBuilder several = within(ops, choice.thenBlock()), one = within(ops, choice.elseBlock());
  writeNeighbours(several, position);
  scf::YieldOp::create(several, further(several, position, kLanes));
  writeEntry(one, position);
  scf::YieldOp::create(one, further(one, position, 1));
  scf::YieldOp::create(step, choice.getResults());
}

/// i1: whether there are entries enough from `position` on whose keys are neighbours, with bits in one word. Storage
/// may list keys in any order, so that all of them count.
Value AccumulatingLoop::hasNeighbours(ImplicitLocOpBuilder &ops, Value position) {
  const Value isInside =
      arith::CmpIOp::create(ops, arith::CmpIPredicate::sle, further(ops, position, kLanes), loop_.getUpperBound());
  return andThen(ops, isInside, [&](ImplicitLocOpBuilder &look) -> Value {
    const mlir::VectorType keys = vectorOf(key_.getType());
    llvm::SmallVector<mlir::Attribute> steps;
    for (int64_t lane = 0; lane < kLanes; ++lane)
      steps.push_back(look.getIntegerAttr(key_.getType(), lane));
    const Value distances = arith::ConstantOp::create(look, mlir::DenseElementsAttr::get(keys, steps));
    const Value found = vector::LoadOp::create(look, keys, key_.getMemRef(), position);
    const Value first = memref::LoadOp::create(look, key_.getMemRef(), position);
    const Value expected =
        arith::AddIOp::create(look, vector::BroadcastOp::create(look, keys, first).getResult(), distances);
    const Value same = arith::CmpIOp::create(look, arith::CmpIPredicate::eq, found, expected);
    const Value all = vector::ReductionOp::create(look, vector::CombiningKind::AND, same);
    const Value bit = arith::AndIOp::create(look, keyAt(look, position), indexConstant(look, kWordBits - 1));
    const Value fits =
        arith::CmpIOp::create(look, arith::CmpIPredicate::ule, bit, indexConstant(look, kWordBits - kLanes));
    return arith::AndIOp::create(look, all, fits);
  });
}

void AccumulatingLoop::writeEntry(ImplicitLocOpBuilder &ops, Value position) {
  mlir::IRMapping scalars;
  scalars.map(loop_.getInductionVar(), position);
  for (Operation &op : loop_.getBody()->without_terminator())
    ops.clone(op, scalars);
}

void AccumulatingLoop::writeNeighbours(ImplicitLocOpBuilder &ops, Value position) {
  mlir::IRMapping scalars, vectors;
  const Value key = keyAt(ops, position);
  const auto vectorFor = [&](Value value) -> Value {
    if (const Value known = vectors.lookupOrNull(value))
      return known;
    return vector::BroadcastOp::create(ops, vectorOf(value.getType()), scalars.lookupOrDefault(value));
  };
  LocateOp slots;
  for (Operation &op : loop_.getBody()->without_terminator()) {
    if (&op == locate_) {
      slots = LocateOp::create(ops, ops.getIndexType(), vectorOf(locate_.getOld().getType()), locate_.getRun(), key,
                               mlir::Attribute());
      vectors.map(locate_.getOld(), slots.getOld());
    } else if (&op == accumulate_) {
      AccumulateOp::create(ops, locate_.getRun(), key, slots.getSlot(), vectorFor(accumulate_.getValue()));
    } else if (auto load = mlir::dyn_cast<memref::LoadOp>(op); load && readsEntry(load)) {
      vectors.map(load.getResult(),
                  vector::LoadOp::create(ops, vectorOf(load.getType()), load.getMemRef(), position).getResult());
    } else if (llvm::none_of(op.getOperands(), [&](Value operand) { return vectors.contains(operand); })) {
      ops.clone(op, scalars);
    } else if (op.getResult(0) != locate_.getKey()) {
      mlir::IRMapping operands;
      for (const Value operand : op.getOperands())
        operands.map(operand, vectorFor(operand));
      Operation *clone = ops.clone(op, operands);
      clone->getResult(0).setType(vectorOf(op.getResult(0).getType()));
      vectors.map(op.getResult(0), clone->getResult(0));
    }
  }
}

} // namespace

void accumulateNeighbours(dialect::OpenRunOp run) {
  llvm::SmallVector<AccumulatingLoop> loops;
  for (auto [number, nest] : llvm::enumerate(run.getNests()))
    if (mlir::cast<dialect::RunType>(run.getRun(number).getType()).getForm() == dialect::RunForm::Dense)
      nest.walk([&](scf::ForOp loop) {
        if (AccumulatingLoop candidate(loop); candidate.matches())
          loops.push_back(candidate);
      });
  for (AccumulatingLoop &loop : loops)
    loop.rewrite();
}

} // namespace spc::transforms
