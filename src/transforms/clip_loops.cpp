#include "transforms/body_arguments.h"
#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

namespace spc::transforms {

#define GEN_PASS_DEF_CLIPLOOPS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Value;

std::optional<int64_t> constantOf(Value value) {
  llvm::APInt number;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

/// An index as a sum of values with factors; constants are left out.
using Sum = llvm::MapVector<Value, int64_t>;

void addTerms(Value index, int64_t factor, Sum &sum) {
  if (constantOf(index))
    return;
  if (auto add = index.getDefiningOp<arith::AddIOp>()) {
    addTerms(add.getLhs(), factor, sum);
    return addTerms(add.getRhs(), factor, sum);
  }
  if (auto subtract = index.getDefiningOp<arith::SubIOp>()) {
    addTerms(subtract.getLhs(), factor, sum);
    return addTerms(subtract.getRhs(), -factor, sum);
  }
  if (auto product = index.getDefiningOp<arith::MulIOp>()) {
    if (std::optional<int64_t> right = constantOf(product.getRhs()))
      return addTerms(product.getLhs(), factor * *right, sum);
    if (std::optional<int64_t> left = constantOf(product.getLhs()))
      return addTerms(product.getRhs(), factor * *left, sum);
  }
  sum[index] += factor;
}

/// The loop whose iterations give `value` different values: the one that counts with it, or around its definition.
mlir::Operation *loopOf(Value value) {
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
    return argument.getOwner()->getParentOp();
  return value.getDefiningOp()->getParentOp();
}

/// 0 <= sum < extent must hold wherever the index is used.
struct Constraint {
  Sum sum;
  Value extent;
  Value innermost;    ///< the term that changes fastest
  int64_t factor = 0; ///< of that term
  scf::ForOp loop;    ///< that counts with it; null where it is no loop's counter
  int64_t block = 0;  ///< the loop is over a block of that many: 0 … block - 1, and the rest is a multiple of it
};

class ClipLoops : public impl::ClipLoopsBase<ClipLoops> {
public:
  void runOnOperation() override {
    constraints_.clear();
    collect();
    guardCoordinates();
    versionBlocks();
    for (const Constraint &constraint : constraints_)
      if (constraint.loop && constraint.block == 0 && failed(narrow(constraint, constraint.loop, constraint.sum)))
        return signalPassFailure();
  }

private:
  void collect();
  void consider(mlir::Operation *access, Value index, Value extent);
  Value extentOf(mlir::BlockArgument buffer, unsigned dim);
  void guardCoordinates();
  void versionBlocks();
  Value rest(mlir::OpBuilder &builder, const Constraint &constraint, const Sum &sum);
  mlir::LogicalResult narrow(const Constraint &constraint, scf::ForOp loop, const Sum &sum);
  bool isOutside(const Constraint &constraint, scf::ForOp loop);

  llvm::SmallVector<Constraint> constraints_;
};

/// The extent that indices of a buffer's dimension stay below; null where nothing is known.
Value ClipLoops::extentOf(mlir::BlockArgument buffer, unsigned dim) {
  mlir::func::FuncOp body = getOperation();
  llvm::StringRef parents = argumentString(body, buffer.getArgNumber(), kParents);
  llvm::StringRef name = parents.empty() ? extentName(body, buffer.getArgNumber(), dim) : parents;
  if (name.empty())
    return {};
  return boundArgument(body, ("size(" + name + ")").str(), mlir::IndexType::get(&getContext()));
}

void ClipLoops::collect() {
  mlir::func::FuncOp body = getOperation();
  llvm::SmallVector<std::tuple<mlir::Operation *, mlir::BlockArgument, mlir::ValueRange>> accesses;
  body.walk([&](mlir::Operation *op) {
    if (auto load = mlir::dyn_cast<memref::LoadOp>(op)) {
      if (auto buffer = mlir::dyn_cast<mlir::BlockArgument>(load.getMemRef()))
        accesses.emplace_back(op, buffer, load.getIndices());
    } else if (auto store = mlir::dyn_cast<memref::StoreOp>(op)) {
      if (auto buffer = mlir::dyn_cast<mlir::BlockArgument>(store.getMemRef()))
        accesses.emplace_back(op, buffer, store.getIndices());
    }
  });
  for (auto &[op, buffer, indices] : accesses)
    for (auto [dim, index] : llvm::enumerate(indices))
      if (Value extent = extentOf(buffer, dim))
        consider(op, index, extent);
}

void ClipLoops::consider(mlir::Operation *access, Value index, Value extent) {
  Constraint constraint;
  addTerms(index, 1, constraint.sum);
  constraint.sum.remove_if([](const auto &term) { return term.second == 0; });
  if (constraint.sum.size() < 2)
    return;
  for (const Constraint &known : constraints_)
    if (known.extent == extent && known.sum.size() == constraint.sum.size() &&
        llvm::all_of(known.sum, [&](const auto &term) { return constraint.sum.lookup(term.first) == term.second; }))
      return;
  constraint.extent = extent;
  for (const auto &[value, factor] : constraint.sum)
    if (!constraint.innermost || loopOf(constraint.innermost)->isProperAncestor(loopOf(value)))
      constraint.innermost = value;
  // Of values that change in one loop, the one that the loop does not count with is known later.
  for (const auto &[value, factor] : constraint.sum)
    if (loopOf(value) == loopOf(constraint.innermost) && !mlir::isa<mlir::BlockArgument>(value))
      constraint.innermost = value;
  constraint.factor = constraint.sum.lookup(constraint.innermost);
  auto loop = mlir::dyn_cast<scf::ForOp>(loopOf(constraint.innermost));
  const bool isUnit = constraint.factor == 1 || constraint.factor == -1;
  if (loop && loop.getInductionVar() == constraint.innermost && isUnit) {
    constraint.loop = loop;
    std::optional<int64_t> first = constantOf(loop.getLowerBound()), end = constantOf(loop.getUpperBound());
    const bool isBlock =
        first == 0 && end && constraint.factor == 1 && llvm::all_of(constraint.sum, [&](const auto &term) {
          return term.first == constraint.innermost || term.second == *end;
        });
    constraint.block = isBlock ? *end : 0;
  }
  constraints_.push_back(std::move(constraint));
}

/// The sum without its innermost term.
Value ClipLoops::rest(mlir::OpBuilder &builder, const Constraint &constraint, const Sum &sum) {
  mlir::Location location = builder.getUnknownLoc();
  Value total;
  for (const auto &[value, factor] : sum) {
    if (value == constraint.innermost)
      continue;
    Value scale = arith::ConstantIndexOp::create(builder, location, factor);
    Value term = factor == 1 ? value : arith::MulIOp::create(builder, location, value, scale).getResult();
    total = total ? arith::AddIOp::create(builder, location, total, term).getResult() : term;
  }
  return total;
}

bool ClipLoops::isOutside(const Constraint &constraint, scf::ForOp loop) {
  return llvm::all_of(constraint.sum, [&](const auto &term) {
    return term.first == constraint.innermost || loop.isDefinedOutsideOfLoop(term.first);
  });
}

/// Narrows `loop`, which counts with the innermost term, to where the sum is inside.
mlir::LogicalResult ClipLoops::narrow(const Constraint &constraint, scf::ForOp loop, const Sum &sum) {
  if (!isOutside(constraint, loop))
    return loop.emitError("an index whose terms change inside of the loop that is to be narrowed");
  mlir::OpBuilder builder(loop);
  mlir::Location location = loop.getLoc();
  Value others = rest(builder, constraint, sum);
  Value first, end;
  if (constraint.factor > 0) {
    Value zero = arith::ConstantIndexOp::create(builder, location, 0);
    first = arith::SubIOp::create(builder, location, zero, others);
    end = arith::SubIOp::create(builder, location, constraint.extent, others);
  } else {
    Value one = arith::ConstantIndexOp::create(builder, location, 1);
    end = arith::AddIOp::create(builder, location, others, one);
    first = arith::SubIOp::create(builder, location, end, constraint.extent);
  }
  // A block's rest is not negative.
  if (constraint.block == 0)
    loop.setLowerBound(arith::MaxSIOp::create(builder, location, loop.getLowerBound(), first));
  loop.setUpperBound(arith::MinSIOp::create(builder, location, loop.getUpperBound(), end));
  return mlir::success();
}

/// Blocks that lie inside keep their constant bounds; a narrowed copy of their loops runs for those that do not.
void ClipLoops::versionBlocks() {
  llvm::SmallPtrSet<mlir::Operation *, 4> done;
  for (const Constraint &constraint : constraints_) {
    if (constraint.block == 0 || done.contains(constraint.loop))
      continue;
    // The outermost block loop takes those inside it along, where their blocks are known already.
    scf::ForOp outer = constraint.loop;
    for (const Constraint &other : constraints_)
      if (other.block > 0 && other.loop->isProperAncestor(outer) && isOutside(constraint, other.loop))
        outer = other.loop;
    llvm::SmallVector<const Constraint *> group;
    for (const Constraint &other : constraints_)
      if (other.block > 0 && !done.contains(other.loop) && outer->isAncestor(other.loop) && isOutside(other, outer))
        group.push_back(&other);
    mlir::OpBuilder builder(outer);
    mlir::Location location = outer.getLoc();
    Value isFull;
    for (const Constraint *member : group) {
      Value block = arith::ConstantIndexOp::create(builder, location, member->block);
      Value end = arith::AddIOp::create(builder, location, rest(builder, *member, member->sum), block);
      Value fits = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sle, end, member->extent);
      isFull = isFull ? arith::AndIOp::create(builder, location, isFull, fits).getResult() : fits;
    }
    auto choice = scf::IfOp::create(builder, location, outer.getResultTypes(), isFull, /*withElseRegion=*/true);
    outer.replaceAllUsesWith(choice.getResults());
    builder.setInsertionPointToEnd(&choice.getElseRegion().front());
    if (outer.getNumResults() == 0)
      builder.setInsertionPointToStart(&choice.getElseRegion().front());
    mlir::IRMapping mapping;
    auto clipped = mlir::cast<scf::ForOp>(builder.clone(*outer, mapping));
    if (outer.getNumResults() > 0)
      scf::YieldOp::create(builder, location, clipped.getResults());
    mlir::Block &full = choice.getThenRegion().front();
    outer->moveBefore(&full, full.begin());
    if (outer.getNumResults() > 0) {
      builder.setInsertionPointToEnd(&full);
      scf::YieldOp::create(builder, location, outer.getResults());
    }
    for (const Constraint *member : group) {
      mlir::Operation *original = scf::ForOp(member->loop);
      done.insert(original);
      auto copy = mlir::cast<scf::ForOp>(mapping.lookup(original));
      mlir::OpBuilder before(copy);
      Value end = arith::SubIOp::create(before, location, member->extent, rest(before, *member, member->sum));
      copy.setUpperBound(arith::MinSIOp::create(before, location, copy.getUpperBound(), end));
    }
  }
}

/// Where the fastest term is loaded in a loop over positions, the rest of the loop's body runs conditionally.
void ClipLoops::guardCoordinates() {
  for (const Constraint &constraint : constraints_) {
    if (constraint.loop)
      continue;
    mlir::Operation *definition = constraint.innermost.getDefiningOp();
    auto loop = definition ? mlir::dyn_cast<scf::ForOp>(definition->getParentOp()) : scf::ForOp();
    if (!loop) {
      getOperation().emitError("an index that no loop can be narrowed for");
      return signalPassFailure();
    }
    mlir::Operation *yield = loop.getBody()->getTerminator();
    mlir::OpBuilder builder(definition->getContext());
    builder.setInsertionPointAfter(definition);
    mlir::Location location = definition->getLoc();
    Value others = rest(builder, constraint, constraint.sum);
    Value scale = arith::ConstantIndexOp::create(builder, location, constraint.factor);
    Value own = arith::MulIOp::create(builder, location, constraint.innermost, scale);
    Value index = arith::AddIOp::create(builder, location, others, own);
    // Unsigned, a negative index is larger than any extent.
    Value isInside = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult, index, constraint.extent);
    auto guarded = scf::IfOp::create(builder, location, loop.getResultTypes(), isInside, loop.getNumResults() > 0);
    mlir::Block &inside = guarded.getThenRegion().front();
    auto &operations = loop.getBody()->getOperations();
    inside.getOperations().splice(inside.begin(), operations, std::next(guarded->getIterator()), yield->getIterator());
    if (loop.getNumResults() == 0)
      continue;
    builder.setInsertionPointToEnd(&inside);
    scf::YieldOp::create(builder, location, yield->getOperands());
    builder.setInsertionPointToEnd(&guarded.getElseRegion().front());
    scf::YieldOp::create(builder, location, mlir::ValueRange(loop.getRegionIterArgs()));
    yield->setOperands(guarded.getResults());
  }
}

} // namespace
} // namespace spc::transforms
