#include "transforms/passes.h"
#include "transforms/storage/bounded_indices.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/walks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

namespace spc::transforms {

#define GEN_PASS_DEF_CLIPLOOPS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;

/// A loop to narrow: 0 <= sign * (its variable) + rest < extent.
struct Clip {
  scf::ForOp loop;
  int64_t sign;
  AffineSum rest;
  Value extent;
};

bool isDefinedOutside(const AffineSum &sum, mlir::Operation *op) {
  return llvm::none_of(sum.terms,
                       [&](auto term) { return op->isAncestor(term.first.getParentBlock()->getParentOp()); });
}

/// The innermost loop whose variable the index has, with what the index adds to it known before the loop.
std::optional<Clip> clipFor(const BoundedIndex &bounded) {
  for (auto [term, coefficient] : bounded.sum.terms) {
    scf::ForOp loop = loopOf(term);
    AffineSum rest = bounded.sum.without(term);
    if (loop && (coefficient == 1 || coefficient == -1) && mlir::isConstantIntValue(loop.getStep(), 1) &&
        isDefinedOutside(rest, loop))
      return Clip{loop, coefficient, rest, bounded.extent};
  }
  return std::nullopt;
}

class ClipLoops : public impl::ClipLoopsBase<ClipLoops> {
public:
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(requireTensors(getOperation(), isSparseTensor)))
      return signalPassFailure();
    BoundedIndices indices(getOperation());
    while (true) {
      mlir::FailureOr<std::optional<BoundedIndex>> next = indices.next();
      if (failed(next))
        return signalPassFailure();
      if (!*next)
        break;
      if (std::optional<Clip> clip = clipFor(**next)) {
        indices.mark(**next, clip->loop);
        if (!splitFullBlocks(*clip))
          narrowBounds(*clip);
        continue;
      }
      mlir::FailureOr<scf::IfOp> predicated = predicateAccess(**next);
      if (failed(predicated))
        return signalPassFailure();
      indices.mark(**next, *predicated);
    }
    indices.forgetMarks();
    getOperation().walk([](mlir::Operation *op) { dialect::removePartial(op); });
  }

private:
  void narrowBounds(const Clip &clip);
  bool splitFullBlocks(const Clip &clip);
  mlir::FailureOr<scf::IfOp> predicateAccess(const BoundedIndex &bounded);
};

/// Sets the bounds to max(lower, -rest) and min(upper, extent - rest), or their mirror image where the variable is
/// subtracted.
void ClipLoops::narrowBounds(const Clip &clip) {
  scf::ForOp loop = clip.loop;
  mlir::Location location = loop.getLoc();
  mlir::OpBuilder builder(loop);
  const auto clamp = [&](Value bound, const AffineSum &limit, bool isLower) -> Value {
    Value other = emitSum(builder, location, limit);
    return isLower ? arith::MaxSIOp::create(builder, location, bound, other).getResult()
                   : arith::MinSIOp::create(builder, location, bound, other).getResult();
  };
  AffineSum negatedRest, afterRest = clip.rest;
  negatedRest.constant = -clip.rest.constant;
  for (const auto &[term, coefficient] : clip.rest.terms)
    negatedRest.terms.push_back({term, -coefficient});
  if (clip.sign > 0) {
    AffineSum room = negatedRest;
    room.terms.push_back({clip.extent, 1});
    if (!isNonNegative(clip.rest) || !isNonNegative(loop.getLowerBound()))
      loop.setLowerBound(clamp(loop.getLowerBound(), negatedRest, true));
    loop.setUpperBound(clamp(loop.getUpperBound(), room, false));
    return;
  }
  AffineSum first = clip.rest;
  first.constant += 1;
  first.terms.push_back({clip.extent, -1});
  afterRest.constant += 1;
  loop.setLowerBound(clamp(loop.getLowerBound(), first, true));
  loop.setUpperBound(clamp(loop.getUpperBound(), afterRest, false));
}

/// Splits the nest of a loop over a block into two versions: for full blocks, where the loop keeps its constant bounds
/// and unrolls, and for the others. The test stands as far out as its operands are known. False where the loop has no
/// constant bounds, or is in the second version already.
bool ClipLoops::splitFullBlocks(const Clip &clip) {
  mlir::APInt upper;
  scf::ForOp loop = clip.loop;
  if (clip.sign < 0 || !mlir::isConstantIntValue(loop.getLowerBound(), 0) ||
      !mlir::matchPattern(loop.getUpperBound(), mlir::m_ConstantInt(&upper)) || !isNonNegative(clip.rest))
    return false;
  mlir::Operation *nest = loop;
  for (mlir::Operation *op = loop; op && !mlir::isa<mlir::func::FuncOp>(op); op = op->getParentOp()) {
    if (dialect::isPartial(op))
      return false;
    if (mlir::isa<scf::ForOp, scf::WhileOp>(op) && isDefinedOutside(clip.rest, op))
      nest = op;
  }
  mlir::Location location = loop.getLoc();
  mlir::OpBuilder builder(nest);
  AffineSum end = clip.rest;
  end.constant += upper.getSExtValue();
  Value isFull =
      arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sle, emitSum(builder, location, end), clip.extent);
  auto choice = scf::IfOp::create(builder, location, nest->getResultTypes(), isFull, true, true);
  nest->replaceAllUsesWith(choice.getResults());

  builder.setInsertionPointToStart(choice.elseBlock());
  mlir::IRMapping mapping;
  mlir::Operation *partial = builder.clone(*nest, mapping);
  dialect::markPartial(partial);
  scf::YieldOp::create(builder, location, partial->getResults());
  builder.setInsertionPointToStart(choice.thenBlock());
  auto yield = scf::YieldOp::create(builder, location, nest->getResults());
  nest->moveBefore(yield);
  narrowBounds({mlir::cast<scf::ForOp>(mapping.lookup(loop.getOperation())), clip.sign, clip.rest, clip.extent});
  return true;
}

/// What the block's region yields where its operations are skipped: what a loop carries stays as it is; one branch does
/// as the other. Failure where that is unknown.
mlir::FailureOr<llvm::SmallVector<Value>> yieldsUnchanged(mlir::Block *block) {
  mlir::Operation *parent = block->getParentOp();
  if (auto loop = mlir::dyn_cast<scf::ForOp>(parent))
    return llvm::SmallVector<Value>(loop.getRegionIterArgs());
  auto choice = mlir::dyn_cast<scf::IfOp>(parent);
  if (!choice)
    return parent->emitError("an index that leaves its extent where nothing can skip it");
  if (choice.getNumResults() == 0)
    return llvm::SmallVector<Value>();
  mlir::Block *other = block == choice.thenBlock() ? choice.elseBlock() : choice.thenBlock();
  for (Value value : other->getTerminator()->getOperands())
    if (value.getParentBlock() == other)
      return choice.emitError("an index that leaves its extent where the other branch computes");
  return llvm::SmallVector<Value>(other->getTerminator()->getOperands());
}

/// The argument of a while loop's body that holds the value that operand `number` of the body's terminator replaces;
/// null where the loop does not hand that value to its body.
Value carriedBy(scf::WhileOp loop, unsigned number) {
  for (auto [place, passed] : llvm::enumerate(loop.getConditionOp().getArgs()))
    if (passed == loop.getBeforeArguments()[number])
      return loop.getAfterArguments()[place];
  return {};
}

/// What is predicated: operations of one block, in order, and the operands of its terminator that they compute.
struct Predicated {
  llvm::SmallVector<mlir::Operation *> operations;
  llvm::SmallVector<unsigned> places;
  llvm::SmallVector<Value> otherwise; ///< what to hand on at these places where the operations are skipped
};

/// Predication: puts the operations under the condition that the index is inside of its extent, in front of `place`.
scf::IfOp predicate(const BoundedIndex &bounded, const Predicated &what, mlir::Operation *place) {
  mlir::Operation *terminator = place->getBlock()->getTerminator();
  mlir::Location location = bounded.access->getLoc();
  mlir::OpBuilder builder(place);
  Value index = emitSum(builder, location, bounded.sum);
  Value isInside = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult, index, bounded.extent);
  const bool handsOn = !what.places.empty();
  auto choice = scf::IfOp::create(builder, location, mlir::ValueRange(what.otherwise).getTypes(), isInside,
                                  /*addThenBlock=*/true, /*addElseBlock=*/handsOn);
  builder.setInsertionPointToStart(choice.thenBlock());
  llvm::SmallVector<Value> computed;
  for (unsigned operand : what.places)
    computed.push_back(terminator->getOperand(operand));
  auto yield = scf::YieldOp::create(builder, location, computed);
  for (mlir::Operation *op : what.operations)
    op->moveBefore(yield);
  if (!handsOn)
    return choice;
  builder.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(builder, location, what.otherwise);
  for (auto [operand, result] : llvm::zip_equal(what.places, choice.getResults()))
    terminator->setOperand(operand, result);
  return choice;
}

/// `first` and what of the rest of its block depends on it.
llvm::SetVector<mlir::Operation *> dependentsOf(mlir::Operation *first) {
  llvm::SetVector<mlir::Operation *> dependents;
  dependents.insert(first);
  const auto uses = [&](mlir::Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value used) { return dependents.contains(used.getDefiningOp()); });
  };
  mlir::Operation *terminator = first->getBlock()->getTerminator();
  for (mlir::Operation *op = first->getNextNode(); op != terminator; op = op->getNextNode())
    if (holdsForAny(op, uses))
      dependents.insert(op);
  return dependents;
}

/// Predicates `inner`, which is or holds the access, and what depends on it. The rest of a merging loop's body must run
/// in any case: it advances.
mlir::FailureOr<scf::IfOp> predicateDependents(const BoundedIndex &bounded, mlir::Operation *inner, scf::WhileOp loop) {
  const llvm::SetVector<mlir::Operation *> dependents = dependentsOf(inner);
  Predicated what{llvm::to_vector(dependents), {}, {}};
  for (mlir::OpOperand &operand : loop.getAfterBody()->getTerminator()->getOpOperands()) {
    if (!dependents.contains(operand.get().getDefiningOp()))
      continue;
    Value unchanged = carriedBy(loop, operand.getOperandNumber());
    if (!unchanged)
      return loop.emitError("an index that leaves its extent where a loop carries what follows from it");
    what.places.push_back(operand.getOperandNumber());
    what.otherwise.push_back(unchanged);
  }
  return predicate(bounded, what, dependents.back());
}

/// The first operation of a block behind all of its own terms of the index.
mlir::Operation *firstAfterTerms(const BoundedIndex &bounded, mlir::Block *block) {
  mlir::Operation *first = &block->front();
  for (auto [term, coefficient] : bounded.sum.terms)
    if (mlir::Operation *op = term.getDefiningOp(); op && op->getBlock() == block && !op->isBeforeInBlock(first))
      first = op->getNextNode();
  return first;
}

/// Predicates all of a block that follows the index's terms.
mlir::FailureOr<scf::IfOp> predicateRest(const BoundedIndex &bounded, mlir::Block *block) {
  auto unchanged = yieldsUnchanged(block);
  if (failed(unchanged))
    return mlir::failure();
  mlir::Operation *first = firstAfterTerms(bounded, block), *terminator = block->getTerminator();
  Predicated what{{}, {}, *unchanged};
  for (mlir::Operation *op = first; op != terminator; op = op->getNextNode())
    what.operations.push_back(op);
  llvm::append_range(what.places, llvm::seq<unsigned>(unchanged->size()));
  return predicate(bounded, what, first);
}

/// Predicates what follows an index that only a loop over positions has.
mlir::FailureOr<scf::IfOp> ClipLoops::predicateAccess(const BoundedIndex &bounded) {
  const auto defines = [&](mlir::Block *block) {
    return llvm::any_of(bounded.sum.terms, [&](auto term) { return term.first.getParentBlock() == block; });
  };
  mlir::Operation *inner = bounded.access;
  while (!defines(inner->getBlock()))
    inner = inner->getParentOp();
  auto merge = mlir::dyn_cast<scf::WhileOp>(inner->getParentOp());
  if (!merge)
    return predicateRest(bounded, inner->getBlock());
  if (inner == bounded.access || mlir::isa<scf::WhileOp>(inner))
    return predicateDependents(bounded, inner, merge);
  // Of a branch or a loop in the merge only the block with the access.
  mlir::Block *block = inner->getBlock();
  for (mlir::Region &region : inner->getRegions())
    if (region.isAncestor(bounded.access->getParentRegion()))
      block = &region.front();
  return predicateRest(bounded, block);
}

} // namespace
} // namespace spc::transforms
