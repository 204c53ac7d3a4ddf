#include "transforms/util/intersections.h"

#include "transforms/util/affine_sums.h"
#include "transforms/util/index_chains.h"
#include "transforms/util/walks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;

namespace {

/// `position < end` of both, and every value goes on to the body.
bool findSegments(Intersection &merge) {
  scf::ConditionOp condition = merge.loop.getConditionOp();
  auto both = condition.getCondition().getDefiningOp<arith::AndIOp>();
  if (!both || !llvm::equal(condition.getArgs(), merge.loop.getBeforeArguments()))
    return false;
  for (auto [segment, one] : llvm::zip_equal(merge.segments, both->getOperands())) {
    auto compare = one.getDefiningOp<arith::CmpIOp>();
    const auto position = compare ? mlir::dyn_cast<mlir::BlockArgument>(compare.getLhs()) : mlir::BlockArgument();
    if (!position || compare.getPredicate() != arith::CmpIPredicate::ult ||
        position.getOwner() != merge.loop.getBeforeBody())
      return false;
    const unsigned number = position.getArgNumber();
    segment = {number, merge.loop.getInits()[number], compare.getRhs()};
  }
  return merge.segments[0].number != merge.segments[1].number;
}

/// The coordinate that is the element of an index array at the segment's position, if `value` is.
bool isCoordinate(Intersection &merge, const MergedSegment &segment, Value value) {
  memref::LoadOp load = loadedIndex(value);
  return load && load->getBlock() == merge.loop.getAfterBody() && load.getIndices().size() == 1 &&
         load.getIndices().front() == merge.positionOf(segment);
}

/// The branch for where both coordinates are the less of the two.
bool findChoice(Intersection &merge) {
  auto branches = llvm::to_vector(merge.loop.getAfterBody()->getOps<scf::IfOp>());
  auto both = branches.size() == 1 ? branches[0].getCondition().getDefiningOp<arith::AndIOp>() : arith::AndIOp();
  if (!both)
    return false;
  merge.both = branches[0];
  for (const Value one : both->getOperands()) {
    auto equal = one.getDefiningOp<arith::CmpIOp>();
    if (!equal || equal.getPredicate() != arith::CmpIPredicate::eq)
      return false;
    for (MergedSegment &segment : merge.segments)
      if (isCoordinate(merge, segment, equal.getLhs()))
        segment.coordinate = equal.getLhs();
    if (merge.least && merge.least != equal.getRhs())
      return false;
    merge.least = equal.getRhs();
  }
  auto least = merge.least.getDefiningOp<arith::SelectOp>();
  return least && merge.segments[0].coordinate && merge.segments[1].coordinate;
}

/// What the body hands on as a value, where both have an entry and where they have not; nulls where that is neither a
/// result of the branch nor chosen by its condition.
std::pair<Value, Value> branchesOf(Intersection &merge, Value yielded) {
  if (auto choice = yielded.getDefiningOp<arith::SelectOp>();
      choice && choice.getCondition() == merge.both.getCondition())
    return {choice.getTrueValue(), choice.getFalseValue()};
  const auto result = mlir::dyn_cast<mlir::OpResult>(yielded);
  if (!result || result.getOwner() != merge.both || !merge.both.elseBlock())
    return {};
  return {merge.both.thenYield().getOperand(result.getResultNumber()),
          merge.both.elseYield().getOperand(result.getResultNumber())};
}

/// A segment's next position: one more where it has the least coordinate.
bool isStep(Intersection &merge, const MergedSegment &segment, Value yielded) {
  const Value position = merge.positionOf(segment);
  if (const auto [then, otherwise] = branchesOf(merge, yielded); then)
    return predecessor(then) == position && isStep(merge, segment, otherwise);
  auto step = yielded.getDefiningOp<arith::SelectOp>();
  return step && predecessor(step.getTrueValue()) == position && step.getFalseValue() == position;
}

/// Whether positions are not used behind the merge, and all else is handed on as the branch says.
bool handsOn(Intersection &merge) {
  for (auto [number, yielded] : llvm::enumerate(merge.loop.getYieldOp().getOperands())) {
    const auto *segment = llvm::find_if(merge.segments, [&](const MergedSegment &one) { return one.number == number; });
    if (segment != merge.segments.end()) {
      if (!merge.loop.getResult(number).use_empty() || !isStep(merge, *segment, yielded))
        return false;
    } else if (branchesOf(merge, yielded).second != merge.loop.getAfterArguments()[number]) {
      return false;
    }
  }
  return true;
}

/// Whether what is done for both needs no value of the merge's body but positions and coordinates, and nothing is done
/// elsewhere.
bool isSelfContained(Intersection &merge) {
  const auto isKnown = [&](Value value) {
    mlir::Operation *owner = value.getParentBlock()->getParentOp();
    return value == merge.least || value == merge.segments[0].coordinate || value == merge.segments[1].coordinate ||
           mlir::isa<mlir::BlockArgument>(value) || !merge.loop->isAncestor(owner) || merge.both->isAncestor(owner);
  };
  const auto isHarmless = [](mlir::Operation *op) { return !mlir::hasEffect<mlir::MemoryEffects::Write>(op); };
  for (mlir::Operation &op : *merge.loop.getAfterBody())
    if (&op != merge.both && !holdsForAll(&op, isHarmless))
      return false;
  for (Value yielded : merge.loop.getYieldOp().getOperands())
    if (const Value handedOn = branchesOf(merge, yielded).first; handedOn && !isKnown(handedOn))
      return false;
  return holdsForAll(&merge.both.getThenRegion(),
                     [&](mlir::Operation *op) { return llvm::all_of(op->getOperands(), isKnown); }) &&
         (!merge.both.elseBlock() || holdsForAll(&merge.both.getElseRegion(), isHarmless));
}

} // namespace

std::optional<Intersection> intersectionOf(scf::WhileOp loop) {
  Intersection merge{loop, {}, {}, {}};
  if (findSegments(merge) && findChoice(merge) && handsOn(merge) && isSelfContained(merge))
    return merge;
  return std::nullopt;
}

llvm::SmallVector<mlir::OpResult> Intersection::carriedResults() {
  llvm::SmallVector<mlir::OpResult> results;
  for (mlir::OpResult result : loop.getResults())
    if (llvm::none_of(segments, [&](const MergedSegment &one) { return one.number == result.getResultNumber(); }))
      results.push_back(result);
  return results;
}

llvm::SmallVector<Value> Intersection::carriedInits() {
  llvm::SmallVector<Value> inits;
  for (const mlir::OpResult result : carriedResults())
    inits.push_back(loop.getInits()[result.getResultNumber()]);
  return inits;
}

llvm::SmallVector<Value> Intersection::cloneBoth(ImplicitLocOpBuilder &ops, mlir::IRMapping &known) {
  for (mlir::Operation &op : both.thenBlock()->without_terminator())
    ops.clone(op, known);
  llvm::SmallVector<Value> handedOn;
  for (const mlir::OpResult result : carriedResults()) {
    const Value yielded = loop.getYieldOp().getOperand(result.getResultNumber());
    handedOn.push_back(known.lookupOrDefault(branchesOf(*this, yielded).first));
  }
  return handedOn;
}

Value coordinateAt(ImplicitLocOpBuilder &ops, const MergedSegment &segment, Value position) {
  llvm::SmallVector<mlir::Operation *> casts;
  mlir::Operation *op = segment.coordinate.getDefiningOp();
  for (; !mlir::isa<memref::LoadOp>(op); op = op->getOperand(0).getDefiningOp())
    casts.push_back(op);
  Value value = memref::LoadOp::create(ops, mlir::cast<memref::LoadOp>(op).getMemRef(), position);
  for (mlir::Operation *cast : llvm::reverse(casts)) {
    mlir::IRMapping operands;
    operands.map(cast->getOperand(0), value);
    value = ops.clone(*cast, operands)->getResult(0);
  }
  return value;
}

Halved halve(ImplicitLocOpBuilder &ops, const MergedSegment &segment, int64_t few,
             llvm::function_ref<Value(ImplicitLocOpBuilder &, Value)> isBefore) {
  const mlir::Type index = ops.getIndexType();
  const auto number = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(ops, value); };
  const Value all = arith::SubIOp::create(ops, segment.end, segment.begin);
  auto halving = scf::WhileOp::create(ops, mlir::TypeRange{index, index}, mlir::ValueRange{segment.begin, all});
  mlir::Block *test = ops.createBlock(&halving.getBefore(), {}, {index, index}, {ops.getLoc(), ops.getLoc()});
  const Value isLong = arith::CmpIOp::create(ops, arith::CmpIPredicate::sgt, test->getArgument(1), number(few));
  scf::ConditionOp::create(ops, isLong, test->getArguments());
  mlir::Block *step = ops.createBlock(&halving.getAfter(), {}, {index, index}, {ops.getLoc(), ops.getLoc()});
  const Value first = step->getArgument(0), left = step->getArgument(1);
  const Value half = arith::ShRUIOp::create(ops, left, number(1));
  const Value middle = arith::AddIOp::create(ops, first, half);
  const Value next = arith::SelectOp::create(ops, isBefore(ops, coordinateAt(ops, segment, middle)), middle, first);
  scf::YieldOp::create(ops, mlir::ValueRange{next, arith::SubIOp::create(ops, left, half)});
  ops.setInsertionPointAfter(halving);
  return {halving.getResult(0), halving.getResult(1)};
}

scf::IfOp branchOn(ImplicitLocOpBuilder &ops, Value condition, mlir::ValueRange otherwise) {
  if (otherwise.empty())
    return scf::IfOp::create(ops, condition, /*withElseRegion=*/false);
  auto branch = scf::IfOp::create(ops, otherwise.getTypes(), condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  ImplicitLocOpBuilder other(ops.getLoc(), mlir::OpBuilder::atBlockEnd(branch.elseBlock()));
  scf::YieldOp::create(other, otherwise);
  return branch;
}

ImplicitLocOpBuilder insideOf(ImplicitLocOpBuilder &ops, scf::IfOp branch) {
  mlir::Block *block = branch.thenBlock();
  return {ops.getLoc(), block->mightHaveTerminator() ? mlir::OpBuilder::atBlockTerminator(block)
                                                     : mlir::OpBuilder::atBlockEnd(block)};
}

} // namespace spc::transforms
