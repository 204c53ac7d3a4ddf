#include "transforms/vector/dot_products.h"

#include "transforms/util/access.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/reductions.h"
#include "transforms/util/vector_body.h"
#include "transforms/util/walks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Operation;
using mlir::Value;

namespace {

constexpr int64_t kSmall = 32; ///< elements of a dot product that LLVM unrolls

/// Whether the dense loop runs over a size that all entries have in common, and carries one sum of floats.
bool carriesFloatSum(const DotProducts &nest) {
  scf::ForOp outer = nest.outer, loop = nest.dense;
  if (loop.getNumResults() != 1 || !mlir::isConstantIntValue(loop.getLowerBound(), 0) ||
      !mlir::isConstantIntValue(loop.getStep(), 1) || !outer.isDefinedOutsideOfLoop(loop.getUpperBound()))
    return false;
  const std::optional<Addition> sum = matchCarriedSum(loop, 0);
  return sum && mlir::isa<arith::AddFOp>(sum->op);
}

/// How far apart the elements are that a load reads in neighbouring iterations of a loop.
enum class Stride { Zero, One, Unknown };

Stride strideIn(scf::ForOp loop, memref::LoadOp load) {
  const std::optional<unsigned> unit = unitDimension(load.getMemRef());
  Stride stride = Stride::Zero;
  for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
    if (!variesIn(index, loop))
      continue;
    if (unit != dim || affineSum(index).coefficient(loop.getInductionVar()) != 1)
      return Stride::Unknown;
    stride = Stride::One;
  }
  return stride;
}

/// Whether `op` computes an index, or an element from elements: indices that vary are for loads alone.
bool computesElement(Operation &op, scf::ForOp loop) {
  const auto isVaryingIndex = [&](Value used) { return used.getType().isIndex() && variesIn(used, loop); };
  return mlir::isPure(&op) && (op.getResult(0).getType().isIndex() ||
                               (isElementwise(&op) && llvm::none_of(op.getOperands(), isVaryingIndex)));
}

/// Bytes of the widest element that a loop computes with; nullopt where it does anything else than to compute with
/// floats, of which it loads some side by side.
std::optional<unsigned> dotProductBytes(scf::ForOp loop) {
  unsigned widest = 0;
  bool readsNeighbours = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (op.getNumRegions() > 0 || op.getNumResults() != 1)
      return std::nullopt;
    const mlir::Type type = op.getResult(0).getType();
    auto load = mlir::dyn_cast<memref::LoadOp>(op);
    const Stride stride = load ? strideIn(loop, load) : Stride::Zero;
    if (stride == Stride::Unknown || (!load && !computesElement(op, loop)) ||
        (!mlir::isa<mlir::FloatType>(type) && !type.isIndex()))
      return std::nullopt;
    readsNeighbours = readsNeighbours || stride == Stride::One;
    widest = std::max(widest, vectorElementBytes(type));
  }
  return readsNeighbours ? std::optional(widest) : std::nullopt;
}

/// Whether iterations of the outer loop may be mixed: apart from the dense loop it only computes, loads, and stores to
/// elements that are its own position's.
bool isJammable(const DotProducts &nest) {
  scf::ForOp outer = nest.outer;
  llvm::SmallPtrSet<Value, 2> stored;
  for (auto store : outer.getBody()->getOps<memref::StoreOp>())
    stored.insert(store.getMemRef());
  return holdsForAll(outer.getOperation(), [&](Operation *op) {
    if (op == outer || op == nest.dense || mlir::isa<scf::YieldOp>(op))
      return true;
    if (std::optional<Access> access = accessOf(op))
      return !stored.contains(access->buffer) || llvm::is_contained(access->indices, outer.getInductionVar());
    return op->getNumRegions() == 0 && mlir::isMemoryEffectFree(op);
  });
}

/// Whether what the outer loop carries is not needed before the dense loop's end.
bool carriesAfterwards(const DotProducts &nest) {
  scf::ForOp outer = nest.outer, dense = nest.dense;
  return llvm::all_of(outer.getRegionIterArgs(), [&](mlir::BlockArgument carried) {
    return llvm::all_of(carried.getUsers(), [&](Operation *user) {
      Operation *top = outer.getBody()->findAncestorOpInBlock(*user);
      return top && dense->isBeforeInBlock(top);
    });
  });
}

/// Whether LLVM unrolls the loop as a whole: its size is known, and small.
bool isSmall(scf::ForOp loop) {
  mlir::APInt size;
  return mlir::matchPattern(loop.getUpperBound(), mlir::m_ConstantInt(&size)) && size.slt(kSmall);
}

/// Whether neighbouring iterations of the loop can do `op` as one vector.
bool isSeparable(Operation &op, scf::ForOp loop) {
  const std::optional<Access> access = accessOf(&op);
  if (!access)
    return op.getNumResults() == 1 && mlir::isPure(&op) &&
           (op.getResult(0).getType().isIndex() || computesElement(op, loop));
  const std::optional<unsigned> unit = unitDimension(access->buffer);
  bool moves = false;
  const auto isFixed = [&](const auto &term) { return loop.isDefinedOutsideOfLoop(term.first); };
  for (auto [dim, index] : llvm::enumerate(access->indices)) {
    if (loop.isDefinedOutsideOfLoop(index))
      continue;
    const AffineSum sum = affineSum(index);
    if (unit != dim || sum.coefficient(loop.getInductionVar()) != 1 ||
        !llvm::all_of(sum.without(loop.getInductionVar()).terms, isFixed))
      return false;
    moves = true;
  }
  return (moves || !access->isStore()) &&
         isVectorElement(mlir::cast<mlir::MemRefType>(access->buffer.getType()).getElementType());
}

/// The comparisons of a size that say whether it is greater than zero.
llvm::SmallVector<arith::CmpIOp> positivityTests(Value size) {
  llvm::SmallVector<arith::CmpIOp> tests;
  for (Operation *user : size.getUsers())
    if (auto compare = mlir::dyn_cast<arith::CmpIOp>(user)) {
      const bool isLeft = compare.getLhs() == size;
      const auto greater = isLeft ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt;
      if (compare.getPredicate() == greater &&
          mlir::isConstantIntValue(isLeft ? compare.getRhs() : compare.getLhs(), 0))
        tests.push_back(compare);
    }
  return tests;
}

} // namespace

std::optional<DotProducts> matchDotProducts(scf::ForOp outer) {
  auto inner = outer.getBody()->getOps<scf::ForOp>();
  if (inner.empty() || !mlir::isConstantIntValue(outer.getStep(), 1))
    return std::nullopt;
  DotProducts nest{outer, *inner.begin()};
  if (isSmall(nest.dense) || !carriesFloatSum(nest) || !isJammable(nest) || !carriesAfterwards(nest))
    return std::nullopt;
  const std::optional<unsigned> bytes = dotProductBytes(nest.dense);
  if (!bytes)
    return std::nullopt;
  nest.elementBytes = *bytes;
  return nest;
}

std::vector<Operation *> separableTail(const DotProducts &nest) {
  scf::ForOp outer = nest.outer, dense = nest.dense;
  if (outer.getNumResults() > 0 || !outer.isDefinedOutsideOfLoop(dense.getInitArgs().front()))
    return {};
  llvm::SmallPtrSet<Operation *, 16> needed;
  std::vector<Operation *> tail;
  for (Operation &op : llvm::reverse(outer.getBody()->without_terminator())) {
    const bool isUsed = llvm::any_of(op.getUsers(), [&](Operation *user) { return needed.contains(user); });
    if (&op == dense || !(isUsed || mlir::isa<memref::StoreOp>(op)))
      continue;
    if (!isSeparable(op, outer))
      return {};
    needed.insert(&op);
    tail.push_back(&op);
  }
  std::reverse(tail.begin(), tail.end());
  return tail;
}

void splitEmptySums(const DotProducts &nest) {
  scf::ForOp outer = nest.outer, dense = nest.dense;
  const auto isInside = [&](mlir::OpOperand &use) { return outer->isProperAncestor(use.getOwner()); };
  llvm::SmallVector<arith::CmpIOp> tests = positivityTests(dense.getUpperBound());
  llvm::erase_if(tests, [&](arith::CmpIOp test) { return llvm::none_of(test->getUses(), isInside); });
  if (tests.empty())
    return;
  mlir::OpBuilder builder(outer);
  mlir::ImplicitLocOpBuilder ops(outer.getLoc(), builder);
  Value zero = arith::ConstantIndexOp::create(ops, 0);
  Value isSome = arith::CmpIOp::create(ops, arith::CmpIPredicate::sgt, dense.getUpperBound(), zero);
  auto choice = scf::IfOp::create(ops, outer.getResultTypes(), isSome, /*addThenBlock=*/true, /*addElseBlock=*/true);
  outer.replaceAllUsesWith(choice.getResults());
  const auto moveTo = [&](mlir::Block *block, scf::ForOp loop, bool isPositive) {
    ops.setInsertionPointToEnd(block);
    Value known = arith::ConstantIntOp::create(ops, isPositive, 1);
    for (arith::CmpIOp test : tests)
      test.getResult().replaceUsesWithIf(known,
                                         [&](mlir::OpOperand &use) { return loop->isProperAncestor(use.getOwner()); });
    auto yield = scf::YieldOp::create(ops, loop.getResults());
    loop->moveBefore(yield);
  };
  mlir::IRMapping map;
  auto empty = mlir::cast<scf::ForOp>(ops.clone(*outer, map));
  auto sum = mlir::cast<scf::ForOp>(map.lookup(dense.getOperation()));
  sum.replaceAllUsesWith(sum.getInitArgs());
  sum.erase();
  moveTo(choice.elseBlock(), empty, false);
  moveTo(choice.thenBlock(), outer, true);
}

} // namespace spc::transforms
