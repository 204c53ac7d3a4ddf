#include "transforms/assembly/appending_loops.h"

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

/// A range that one loop steps through, from its start or from where merges before have come to.
struct Stretch {
  Range range;
  bool continues = false;
};
using Stretches = llvm::SmallVector<Stretch>;

namespace {

/// The number of the position, among those that a merging loop carries, that a value inside of its condition is.
std::optional<unsigned> carriedNumber(scf::WhileOp merge, Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (!argument || argument.getOwner() != merge.getBeforeBody())
    return {};
  return argument.getArgNumber();
}

/// Merges hand on the positions they have come to: where the first one of `block` began.
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

/// The conditions `position < end` of a merging loop. False where there are others.
bool collectRanges(scf::WhileOp merge, Value condition, Stretches &ranges) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return collectRanges(merge, both.getLhs(), ranges) && collectRanges(merge, both.getRhs(), ranges);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult)
    return false;
  const std::optional<unsigned> number = carriedNumber(merge, compare.getLhs());
  if (!number)
    return false;
  ranges.push_back({{merge.getInits()[*number], compare.getRhs()}});
  return true;
}

/// What a loop steps through; empty where that is unknown.
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

/// Whether nothing after the loops uses what they give: the operations from the first to the last may become
/// conditional.
bool isSelfContained(const AppendingLoops &loops) {
  for (mlir::Operation *op = loops.first; op != loops.last->getNextNode(); op = op->getNextNode())
    for (mlir::Operation *user : op->getUsers())
      if (loops.last->isBeforeInBlock(loops.last->getBlock()->findAncestorOpInBlock(*user)))
        return false;
  return true;
}

/// Takes a loop into a group that precedes it in its block. False where the group's ranges cannot be told at its start.
bool join(AppendingLoops &group, mlir::Operation *loop, llvm::ArrayRef<Stretch> ranges) {
  for (const auto &[range, continues] : ranges)
    if (!isKnownAt(range.first, group.first) || !isKnownAt(range.second, group.first))
      return false;
  group.last = loop;
  // The rest that a merge has left is counted with it.
  for (const auto &[range, continues] : ranges)
    if (!continues || !llvm::is_contained(group.ranges, range))
      group.ranges.push_back(range);
  return true;
}

} // namespace

llvm::SmallVector<AppendingLoops> findAppendingLoops(llvm::ArrayRef<memref::StoreOp> stores) {
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<memref::StoreOp>> storesOf;
  for (memref::StoreOp store : stores) {
    mlir::Operation *loop = store->getParentOp();
    while (!mlir::isa<scf::ForOp, scf::WhileOp>(loop))
      loop = loop->getParentOp();
    storesOf[loop].push_back(store);
  }
  llvm::SetVector<mlir::Block *> blocks;
  for (const auto &entry : storesOf)
    blocks.insert(entry.first->getBlock());
  llvm::SmallVector<AppendingLoops> groups;
  for (mlir::Block *block : blocks) {
    AppendingLoops *open = nullptr;
    for (mlir::Operation &op : *block) {
      const auto own = storesOf.find(&op);
      if (own == storesOf.end()) {
        const bool appends = llvm::any_of(stores, [&](memref::StoreOp store) { return op.isProperAncestor(store); });
        open = appends ? nullptr : open;
        continue;
      }
      const Stretches ranges = rangesOf(&op);
      if (ranges.empty()) {
        open = nullptr;
        continue;
      }
      if (!open || !join(*open, &op, ranges)) {
        groups.push_back({&op, &op, {}, {}});
        open = &groups.back();
        join(*open, &op, ranges);
      }
      open->stores.append(own->second);
    }
  }
  llvm::erase_if(groups, [](const AppendingLoops &group) { return !isSelfContained(group); });
  return groups;
}

} // namespace spc::transforms
