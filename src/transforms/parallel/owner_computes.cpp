#include "transforms/parallel/owner_computes.h"

#include "transforms/util/affine_sums.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/index_chains.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

namespace memref = mlir::memref;
namespace scf = mlir::scf;

static bool isPointersArray(mlir::func::FuncOp body, mlir::Value array) {
  const BindAttr bind = dialect::bindOf(body, array);
  return bind && bind.getKind() == BindKind::Pointers;
}

/// The entry in whose tail a position is, `entry * size + loop` with a loop over all of `size`, in either order; null
/// for any other one.
static mlir::Value entryOf(mlir::Value position) {
  auto sum = position.getDefiningOp<mlir::arith::AddIOp>();
  if (!sum)
    return {};
  for (auto [product, rest] : {std::pair{sum.getLhs(), sum.getRhs()}, std::pair{sum.getRhs(), sum.getLhs()}}) {
    auto first = product.getDefiningOp<mlir::arith::MulIOp>();
    scf::ForOp tail = first ? loopOf(rest) : nullptr;
    if (tail && mlir::isConstantIntValue(tail.getLowerBound(), 0) && mlir::isConstantIntValue(tail.getStep(), 1) &&
        tail.getUpperBound() == first.getRhs())
      return first.getLhs();
  }
  return {};
}

/// An index is owned where it is a sum of an owned value, times a coefficient, and a rest below that coefficient, or in
/// the tail of an owned position.
std::optional<Owner> OwnerComputes::ownerOf(mlir::Value index) {
  if (const mlir::Value entry = entryOf(index))
    if (const std::optional<Owner> owner = ownerOf(entry); owner && !owner->isRow)
      return owner;
  AffineSum sum = affineSum(index);
  for (auto [term, coefficient] : sum.terms)
    if (isOwnedValue(term) && isBelow(sum.without(term), coefficient))
      return Owner{isRow(term), coefficient};
  return std::nullopt;
}

/// Whether `value` is the row itself: what a loop over rows counts, or the coordinate of a root's position.
bool OwnerComputes::isRow(mlir::Value value) {
  if (!rows_.isRoot())
    return value == rows_.item;
  memref::LoadOp load = loadedIndex(value);
  return load && load.getMemRef() == rows_.indices && load.getIndices().front() == rows_.item;
}

/// Whether `value` is the row, or a position below it.
bool OwnerComputes::isOwnedValue(mlir::Value value) {
  if (value == rows_.item || isRow(value))
    return true;
  scf::ForOp segment = loopOf(value);
  return segment && isOwnedSegment(segment);
}

/// Whether the segment's parent is owned. Segments of different parents are disjoint: pointers ascend, and computed
/// segments are recorded as such.
bool OwnerComputes::isOwnedSegment(scf::ForOp segment) {
  if (rows_.last && segment.getLowerBound() == rows_.item && segment.getUpperBound() == rows_.last)
    return true;
  if (dialect::isSegment(segment))
    return dependsOnOwnedOnly(segment.getLowerBound());
  memref::LoadOp first = loadedIndex(segment.getLowerBound()), last = loadedIndex(segment.getUpperBound());
  return first && last && first.getMemRef() == last.getMemRef() && isPointersArray(body_, first.getMemRef()) &&
         predecessor(last.getIndices().front()) == first.getIndices().front() && ownerOf(first.getIndices().front());
}

/// Whether `value` is computed from owned values and values from outside of the loop alone, so that its parent is
/// owned.
bool OwnerComputes::dependsOnOwnedOnly(mlir::Value value) {
  mlir::LoopLikeOpInterface loop = mlir::cast<mlir::LoopLikeOpInterface>(rows_.loop);
  bool varies = false;
  llvm::SmallVector<mlir::Value> open{value};
  while (!open.empty()) {
    mlir::Value next = open.pop_back_val();
    mlir::Operation *op = next.getDefiningOp();
    if (isOwnedValue(next))
      varies = true;
    else if (op && rows_.loop->isAncestor(op) && mlir::isPure(op) && op->getNumRegions() == 0)
      open.append(op->operand_begin(), op->operand_end());
    else if (!loop.isDefinedOutsideOfLoop(next))
      return false;
  }
  return varies;
}

} // namespace spc::transforms
