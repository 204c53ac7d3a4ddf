#include "transforms/vector/row_trials.h"

#include "dialect/dialect.h"
#include "runtime/contract.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/index_chains.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <utility>

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Operation;
using mlir::Value;

namespace {

/// The loop that begins where another one ends, or where a choice has it that contains that one; else null.
scf::ForOp loopFrom(Value start) {
  for (mlir::OpOperand &use : start.getUses()) {
    auto rest = mlir::dyn_cast<scf::ForOp>(use.getOwner());
    if (rest && rest.getLowerBound() == start)
      return rest;
    auto choice = mlir::dyn_cast<scf::IfOp>(use.getOwner()->getParentOp());
    if (choice && mlir::isa<scf::YieldOp>(use.getOwner()))
      return loopFrom(choice.getResult(use.getOperandNumber()));
  }
  return {};
}

/// The end of the segment that a loop is over, with the rest that it leaves to another loop.
Value segmentEnd(scf::ForOp loop) {
  Value end = loop.getUpperBound();
  scf::ForOp rest = dialect::leavesRest(loop) ? loopFrom(end) : scf::ForOp();
  return rest ? rest.getUpperBound() : end;
}

/// The rows and the entries below them.
Value countWork(mlir::ImplicitLocOpBuilder &ops, llvm::ArrayRef<Value> pointers, Range rows) {
  Value count = arith::SubIOp::create(ops, rows.end, rows.begin);
  for (Value level : pointers)
    rows = {beginOf(ops, level, rows.begin), beginOf(ops, level, rows.end)};
  return arith::AddIOp::create(ops, count, arith::SubIOp::create(ops, rows.end, rows.begin));
}

/// What the end of a segment follows from: its parent, and what Segments have of its level. Nulls where it is nothing
/// of the kind.
struct SegmentEnd {
  Value parent, pointers;
};

/// `pointers[parent + 1]`, or `parent * width + width`.
SegmentEnd matchEnd(Value end) {
  if (memref::LoadOp load = loadedIndex(end))
    return {predecessor(load.getIndices().front()), load.getMemRef()};
  auto sum = end.getDefiningOp<arith::AddIOp>();
  auto begin = sum ? sum.getLhs().getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  if (!begin || begin.getRhs() != sum.getRhs())
    return {};
  return {begin.getLhs(), begin.getRhs()};
}

} // namespace

std::optional<Segments> segmentsOf(scf::ForOp segment) {
  Segments segments{segment, segment, {}};
  while (!dialect::rowLoopOf(segments.root) && !mlir::isa<mlir::func::FuncOp>(segments.root->getParentOp())) {
    const SegmentEnd end = matchEnd(segmentEnd(segments.root));
    scf::ForOp rows = end.parent ? loopOf(end.parent) : scf::ForOp();
    if (!rows || !mlir::isConstantIntValue(rows.getStep(), 1) ||
        !(mlir::isa<mlir::BlockArgument>(end.pointers) || mlir::getConstantIntValue(end.pointers)))
      return std::nullopt;
    segments.next = std::exchange(segments.root, rows);
    segments.pointers.insert(segments.pointers.begin(), end.pointers);
  }
  return segments.pointers.empty() ? std::nullopt : std::optional(segments);
}

bool isRest(scf::ForOp segment) {
  Value start = segment.getLowerBound();
  if (auto choice = start.getDefiningOp<scf::IfOp>())
    start = choice.thenYield().getOperand(mlir::cast<mlir::OpResult>(start).getResultNumber());
  return llvm::any_of(start.getUsers(), [&](Operation *user) {
    auto loop = mlir::dyn_cast<scf::ForOp>(user);
    return loop && dialect::leavesRest(loop) && loop.getUpperBound() == start;
  });
}

Value beginOf(mlir::ImplicitLocOpBuilder &ops, Value pointers, Value at) {
  if (mlir::isa<mlir::MemRefType>(pointers.getType()))
    return readIndex(ops, pointers, at);
  const std::optional<int64_t> width = mlir::getConstantIntValue(pointers);
  return arith::MulIOp::create(ops, at, width ? arith::ConstantIndexOp::create(ops, *width).getResult() : pointers);
}

Value readIndex(mlir::ImplicitLocOpBuilder &ops, Value array, Value at) {
  Value read = memref::LoadOp::create(ops, array, mlir::ValueRange{at});
  return arith::IndexCastUIOp::create(ops, ops.getIndexType(), read);
}

PrefetchDecision decideIf(mlir::ImplicitLocOpBuilder &ops, Value condition,
                          llvm::function_ref<PrefetchDecision()> then) {
  mlir::Type types[] = {ops.getI1Type(), ops.getIndexType(), ops.getI1Type()};
  auto choice = scf::IfOp::create(ops, types, condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  mlir::OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToEnd(choice.elseBlock());
  Value no = arith::ConstantOp::create(ops, ops.getBoolAttr(false)), zero = arith::ConstantIndexOp::create(ops, 0);
  scf::YieldOp::create(ops, mlir::ValueRange{no, zero, no});
  ops.setInsertionPointToEnd(choice.thenBlock());
  const PrefetchDecision decision = then();
  scf::YieldOp::create(ops, mlir::ValueRange{decision.isWorth, decision.last, decision.isPossible});
  return {choice.getResult(0), choice.getResult(1), choice.getResult(2)};
}

PrefetchDecision lookAtEntries(mlir::ImplicitLocOpBuilder &ops, llvm::ArrayRef<Value> pointers, Range rows,
                               int64_t fewest, llvm::function_ref<Value(Range, Value)> isWorth) {
  const bool isLast = pointers.size() == 1;
  Value least = arith::ConstantIndexOp::create(ops, isLast ? fewest : 1);
  Value count = arith::SubIOp::create(ops, rows.end, rows.begin);
  return decideIf(ops, arith::CmpIOp::create(ops, arith::CmpIPredicate::sge, count, least), [&]() -> PrefetchDecision {
    const Range below{beginOf(ops, pointers.front(), rows.begin), beginOf(ops, pointers.front(), rows.end)};
    if (!isLast)
      return lookAtEntries(ops, pointers.drop_front(), below, fewest, isWorth);
    Value hasEntries = arith::CmpIOp::create(ops, arith::CmpIPredicate::ult, below.begin, below.end);
    return decideIf(ops, hasEntries, [&]() -> PrefetchDecision {
      Value last = arith::SubIOp::create(ops, below.end, arith::ConstantIndexOp::create(ops, 1));
      Value worth = isWorth(rows, last);
      return {worth, last, arith::ConstantOp::create(ops, ops.getBoolAttr(true))};
    });
  });
}

Value trialOf(mlir::func::FuncOp body, scf::ForOp root) {
  const auto isBound = [&](Value bound, BindKind kind) {
    const BindAttr bind = dialect::bindOf(body, bound);
    return bind && bind.getKind() == kind;
  };
  const dialect::RowLoopAttr rows = dialect::rowLoopOf(root);
  const bool isListed = rows && rows.getKind() == dialect::RowLoopKind::Positions && root->getParentOp() == body;
  if (!isListed && (!isBound(root.getLowerBound(), BindKind::Begin) || !isBound(root.getUpperBound(), BindKind::End)))
    return {};
  for (mlir::BlockArgument argument : body.getArguments())
    if (isBound(argument, BindKind::Trial))
      return argument;
  return {};
}

/// Moves the root's loop into one over pieces of it, which hands on what it carries from row to row.
static scf::ForOp moveIntoPieces(mlir::ImplicitLocOpBuilder &ops, scf::ForOp root, Value length) {
  auto pieces =
      scf::ForOp::create(ops, root.getLowerBound(), root.getUpperBound(), length, mlir::ValueRange(root.getInits()));
  root.replaceAllUsesWith(pieces.getResults());
  if (root.getNumResults() > 0) {
    mlir::OpBuilder end = mlir::OpBuilder::atBlockEnd(pieces.getBody());
    scf::YieldOp::create(end, root.getLoc(), root.getResults());
  }
  root->moveBefore(pieces.getBody()->getTerminator());
  root.getInitArgsMutable().assign(pieces.getRegionIterArgs());
  return pieces;
}

Value cutIntoPieces(mlir::ImplicitLocOpBuilder &ops, scf::ForOp root, Value trial, llvm::ArrayRef<Value> pointers,
                    const PrefetchDecision &usual) {
  Value end = root.getUpperBound();
  static_assert(runtime::TrialSlot::rows == 0);
  Value length =
      arith::IndexCastOp::create(ops, ops.getIndexType(), mlir::LLVM::LoadOp::create(ops, ops.getI64Type(), trial));
  scf::ForOp pieces = moveIntoPieces(ops, root, length);
  mlir::OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToStart(pieces.getBody());
  Value first = pieces.getInductionVar();
  Value last = arith::MinSIOp::create(ops, arith::AddIOp::create(ops, first, length), end);
  const auto ifPossible = [&](llvm::function_ref<Value()> then) -> Value {
    auto choice = scf::IfOp::create(ops, ops.getI64Type(), usual.isPossible, /*withElseRegion=*/true);
    mlir::OpBuilder::InsertionGuard inside(ops);
    ops.setInsertionPointToEnd(choice.elseBlock());
    Value nothing = arith::ConstantOp::create(ops, ops.getI64IntegerAttr(0));
    scf::YieldOp::create(ops, nothing);
    ops.setInsertionPointToEnd(choice.thenBlock());
    scf::YieldOp::create(ops, then());
    return choice.getResult(0);
  };
  Value piece =
      ifPossible([&]() -> Value { return dialect::BeginTrialOp::create(ops, ops.getI64Type(), trial, usual.isWorth); });
  Value isWorth = arith::TruncIOp::create(ops, ops.getI1Type(), piece);
  for (Operation &op : *root.getBody())
    if (mlir::isa<arith::MinSIOp>(op)) // the end of a group of rows
      op.replaceUsesOfWith(end, last);
  root.setLowerBound(first);
  root.setUpperBound(last);
  ops.setInsertionPointAfter(root);
  ifPossible([&]() -> Value {
    dialect::EndTrialOp::create(ops, trial, piece, countWork(ops, pointers, {first, last}));
    return piece;
  });
  return isWorth;
}

void keepCopyUnless(Value condition, scf::ForOp loop) {
  mlir::OpBuilder builder(loop);
  auto choice = scf::IfOp::create(builder, loop.getLoc(), loop.getResultTypes(), condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  loop.replaceAllUsesWith(choice.getResults());
  builder.setInsertionPointToEnd(choice.elseBlock());
  scf::YieldOp::create(builder, loop.getLoc(), builder.clone(*loop)->getResults());
  loop->moveBefore(choice.thenBlock(), choice.thenBlock()->end());
  builder.setInsertionPointToEnd(choice.thenBlock());
  scf::YieldOp::create(builder, loop.getLoc(), loop.getResults());
}

} // namespace spc::transforms
