#include "transforms/assembly/appending_loops.h"

#include "dialect/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Value;
using Range = AppendingLoops::Range;

/// A range that one loop steps through.
struct Stretch {
  Range range;
  bool continues = false; ///< the loop starts where merges before it have stopped
};
using Stretches = llvm::SmallVector<Stretch>;

namespace {

/// Which of the positions that a merging loop carries `value`, in the loop's condition, is; nullopt where it is none.
std::optional<unsigned> carriedNumber(scf::WhileOp merge, Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (!argument || argument.getOwner() != merge.getBeforeBody())
    return {};
  return argument.getArgNumber();
}

/// Where the first merge of `block` started with `position`: each merge hands the position on at which it has stopped.
Value originOf(Value position, mlir::Block *block) {
  while (auto merge = position.getDefiningOp<scf::WhileOp>()) {
    const unsigned result = mlir::cast<mlir::OpResult>(position).getResultNumber();
    const std::optional<unsigned> number = carriedNumber(merge, merge.getConditionOp().getArgs()[result]);
    if (merge->getBlock() != block || !number)
      break;
    position = merge.getInits()[*number];
  }
  return position;
}

bool isLoaded(Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp, arith::ExtSIOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op && mlir::isa<memref::LoadOp>(op);
}

/// Collects the ranges of a merging loop from its conditions `position < end`, of which all or any must hold. False
/// where there are others.
bool collectRanges(scf::WhileOp merge, Value condition, Stretches &ranges) {
  mlir::Operation *joins = condition.getDefiningOp();
  if (joins && mlir::isa<arith::AndIOp, arith::OrIOp>(joins))
    return collectRanges(merge, joins->getOperand(0), ranges) && collectRanges(merge, joins->getOperand(1), ranges);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult)
    return false;
  const std::optional<unsigned> number = carriedNumber(merge, compare.getLhs());
  if (!number)
    return false;
  ranges.push_back({{merge.getInits()[*number], compare.getRhs()}});
  return true;
}

/// The ranges that a loop steps through; empty where they are unknown.
Stretches rangesOf(mlir::Operation *op) {
  Stretches ranges;
  if (auto loop = mlir::dyn_cast<scf::ForOp>(op))
    ranges.push_back({{loop.getLowerBound(), loop.getUpperBound()}});
  else if (auto merge = mlir::dyn_cast<scf::WhileOp>(op);
           merge && !collectRanges(merge, merge.getConditionOp().getCondition(), ranges))
    ranges.clear();
  for (auto &[range, continues] : ranges) {
    const Value origin = originOf(range.first, op->getBlock());
    continues = origin != range.first;
    range.first = origin;
  }
  return llvm::all_of(ranges, [](const Stretch &one) { return isLoaded(one.range.second); }) ? ranges : Stretches();
}

bool isKnownAt(Value value, mlir::Operation *place) {
  mlir::Operation *op = value.getDefiningOp();
  return !op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place);
}

/// Whether nothing after the loops uses their results, so that the operations from the first to the last may be
/// predicated.
bool isSelfContained(const AppendingLoops &loops) {
  for (mlir::Operation *op = loops.first; op != loops.last->getNextNode(); op = op->getNextNode())
    for (mlir::Operation *user : op->getUsers())
      if (loops.last->isBeforeInBlock(loops.last->getBlock()->findAncestorOpInBlock(*user)))
        return false;
  return true;
}

/// Takes a loop into a group that precedes it in its block. False where the loop's ranges are not known at the group's
/// start.
bool join(AppendingLoops &group, mlir::Operation *loop, llvm::ArrayRef<Stretch> ranges) {
  for (const auto &[range, continues] : ranges)
    if (!isKnownAt(range.first, group.first) || !isKnownAt(range.second, group.first))
      return false;
  group.last = loop;
  // The rest that a merge has left is counted already.
  for (const auto &[range, continues] : ranges)
    if (!continues || !llvm::is_contained(group.ranges, range))
      group.ranges.push_back(range);
  return true;
}

/// The stores, by the innermost loop around each.
using StoresByLoop = llvm::MapVector<mlir::Operation *, llvm::SmallVector<memref::StoreOp>>;

StoresByLoop groupByLoop(llvm::ArrayRef<memref::StoreOp> stores) {
  StoresByLoop byLoop;
  for (memref::StoreOp store : stores) {
    mlir::Operation *loop = store->getParentOp();
    while (!mlir::isa<scf::ForOp, scf::WhileOp>(loop))
      loop = loop->getParentOp();
    byLoop[loop].push_back(store);
  }
  return byLoop;
}

/// Groups the loops of blocks that append.
class LoopGrouping {
public:
  explicit LoopGrouping(llvm::ArrayRef<memref::StoreOp> stores) : stores_(stores), byLoop_(groupByLoop(stores)) {}

  llvm::SmallVector<AppendingLoops> run() {
    llvm::SetVector<mlir::Block *> blocks;
    for (const auto &entry : byLoop_)
      blocks.insert(entry.first->getBlock());
    for (mlir::Block *block : blocks)
      groupBlock(*block);
    llvm::erase_if(groups_, [](const AppendingLoops &group) { return !isSelfContained(group); });
    return std::move(groups_);
  }

private:
  void groupBlock(mlir::Block &block);
  void addLoop(mlir::Operation &loop, llvm::ArrayRef<memref::StoreOp> stores);
  bool appends(mlir::Operation &op) const {
    return llvm::any_of(stores_, [&](memref::StoreOp store) { return op.isProperAncestor(store); });
  }

  llvm::ArrayRef<memref::StoreOp> stores_;
  const StoresByLoop byLoop_;
  llvm::SmallVector<AppendingLoops> groups_;
  bool isOpen_ = false; ///< whether the next loop may join the last group
};

/// Groups the loops of a block, in order. Whatever else appends ends a group, and so does another term's nest.
void LoopGrouping::groupBlock(mlir::Block &block) {
  isOpen_ = false;
  for (mlir::Operation &op : block)
    if (const auto own = byLoop_.find(&op); own != byLoop_.end())
      addLoop(op, own->second);
    else if (appends(op) || mlir::isa<dialect::RowLengthOp>(op))
      isOpen_ = false;
}

/// Adds a loop to the last group, or opens one. Loops whose ranges are unknown are in none.
void LoopGrouping::addLoop(mlir::Operation &loop, llvm::ArrayRef<memref::StoreOp> stores) {
  const Stretches ranges = rangesOf(&loop);
  if (ranges.empty()) {
    isOpen_ = false;
    return;
  }
  if (!isOpen_ || !join(groups_.back(), &loop, ranges)) {
    groups_.push_back({&loop, &loop, {}, {}});
    join(groups_.back(), &loop, ranges);
    isOpen_ = true;
  }
  groups_.back().stores.append(stores.begin(), stores.end());
}

} // namespace

llvm::SmallVector<AppendingLoops> findAppendingLoops(llvm::ArrayRef<memref::StoreOp> stores) {
  return LoopGrouping(stores).run();
}

} // namespace spc::transforms
