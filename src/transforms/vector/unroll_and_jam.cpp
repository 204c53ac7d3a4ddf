#include "transforms/vector/unroll_and_jam.h"

#include "transforms/util/access.h"
#include "transforms/util/region_cloner.h"
#include "transforms/util/walks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Operation;
using mlir::Value;

namespace {

constexpr int64_t kMaxRows = 16;

std::optional<int64_t> blockSize(scf::ForOp loop) {
  mlir::APInt size;
  if (loop.getNumResults() > 0 || !mlir::isConstantIntValue(loop.getLowerBound(), 0) ||
      !mlir::isConstantIntValue(loop.getStep(), 1) ||
      !mlir::matchPattern(loop.getUpperBound(), mlir::m_ConstantInt(&size)) || size.ult(2) || size.ugt(kMaxRows))
    return std::nullopt;
  return size.getSExtValue();
}

/// The rows of a buffer that are written: index `rest` plus the row loop's variable, in dimension `dim`.
struct Rows {
  Value buffer;
  unsigned dim;
  AffineSum rest;
};

/// Finds out whether a reduction adds to the rows of a block.
class BlockReductionMatcher {
public:
  explicit BlockReductionMatcher(scf::ForOp reduction) { block_.reduction = reduction; }
  std::optional<BlockReduction> find();

private:
  bool addStore(memref::StoreOp store);
  bool addIndices(memref::StoreOp store, scf::ForOp rows);
  bool isRow(const Rows &rows, Value index, Value variable) const {
    AffineSum sum = affineSum(index);
    return sum.coefficient(variable) == 1 && sum.without(variable) == rows.rest;
  }
  bool isOutside(Value value) const { return scf::ForOp(block_.reduction).isDefinedOutsideOfLoop(value); }
  scf::ForOp rowLoopAround(Operation *op) const {
    auto loop = op->getParentOfType<scf::ForOp>();
    while (loop && !block_.loops.contains(loop))
      loop = loop->getParentOfType<scf::ForOp>();
    return loop;
  }
  bool isSeparable(Operation *op) const;
  void addBefore();

  BlockReduction block_;
  llvm::SmallVector<Rows> written_;
};

/// Finds the row loop of a store: the loop around it whose variable, added to something known before the reduction, is
/// an index of the store. False where there is none, or where it contradicts those of other stores.
bool BlockReductionMatcher::addStore(memref::StoreOp store) {
  mlir::Type type = store.getValue().getType();
  if (!type.isF32() && !type.isF64() && !type.isInteger())
    return false;
  for (auto loop = store->getParentOfType<scf::ForOp>(); loop && loop != block_.reduction;
       loop = loop->getParentOfType<scf::ForOp>()) {
    std::optional<int64_t> size = blockSize(loop);
    if (!size || (block_.size > 0 && block_.size != *size))
      continue;
    for (auto [dim, index] : llvm::enumerate(store.getIndices())) {
      AffineSum sum = affineSum(index);
      AffineSum rest = sum.without(loop.getInductionVar());
      if (sum.coefficient(loop.getInductionVar()) != 1 || rest.terms.empty() ||
          llvm::any_of(rest.terms, [&](const auto &term) { return !isOutside(term.first); }))
        continue;
      auto known = llvm::find_if(written_, [&](const Rows &rows) { return rows.buffer == store.getMemRef(); });
      if (known == written_.end())
        written_.push_back({store.getMemRef(), unsigned(dim), rest});
      else if (known->dim != dim || known->rest != rest)
        return false;
      block_.size = *size;
      block_.loops.insert(loop);
      return addIndices(store, loop);
    }
  }
  return false;
}

/// Whether the store's other indices are the same in the whole reduction, or variables of loops inside of the row loop.
bool BlockReductionMatcher::addIndices(memref::StoreOp store, scf::ForOp rows) {
  for (Value index : store.getIndices()) {
    const AffineSum sum = affineSum(index);
    for (auto [term, coefficient] : sum.terms) {
      if (isOutside(term) || term == rows.getInductionVar())
        continue;
      scf::ForOp tile = loopOf(term);
      if (!tile || !rows->isProperAncestor(tile))
        return false;
      block_.isTiled = true;
    }
  }
  return true;
}

bool BlockReductionMatcher::isSeparable(Operation *op) const {
  if (mlir::isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op))
    return true;
  std::optional<Access> access = accessOf(op);
  if (!access)
    return op->getNumRegions() == 0 && mlir::isMemoryEffectFree(op);
  auto rows = llvm::find_if(written_, [&](const Rows &other) { return other.buffer == access->buffer; });
  if (rows == written_.end())
    return true;
  scf::ForOp loop = rowLoopAround(op);
  return loop && isRow(*rows, access->indices[rows->dim], loop.getInductionVar());
}

/// Takes in a row loop right before the reduction that writes nothing but the rows, as a fill does.
void BlockReductionMatcher::addBefore() {
  Operation *op = block_.reduction->getPrevNode();
  while (op && op->getNumRegions() == 0 && isSeparable(op))
    op = op->getPrevNode();
  auto loop = mlir::dyn_cast_or_null<scf::ForOp>(op);
  if (!loop || blockSize(loop) != block_.size)
    return;
  block_.loops.insert(loop);
  bool isWritten = false;
  const auto writesRowsAlone = [&](Operation *op) {
    auto store = mlir::dyn_cast<memref::StoreOp>(op);
    isWritten = isWritten || store;
    const bool isKnown = !store || llvm::any_of(written_, [&](const Rows &rows) {
      return rows.buffer == store.getMemRef() && isRow(rows, store.getIndices()[rows.dim], loop.getInductionVar());
    });
    return isKnown && isSeparable(op);
  };
  if (holdsForAll(loop.getBody(), writesRowsAlone) && isWritten)
    block_.before = loop;
  else
    block_.loops.erase(loop);
}

std::optional<BlockReduction> BlockReductionMatcher::find() {
  scf::ForOp reduction = block_.reduction;
  if (reduction.getNumResults() > 0)
    return std::nullopt;
  const auto storesToRow = [&](Operation *op) {
    auto store = mlir::dyn_cast<memref::StoreOp>(op);
    return !store || addStore(store);
  };
  if (!holdsForAll(reduction.getBody(), storesToRow) || written_.empty() ||
      !holdsForAll(reduction.getBody(), [&](Operation *op) { return isSeparable(op); }))
    return std::nullopt;
  const bool isNested = llvm::any_of(block_.loops, [&](Operation *loop) { return rowLoopAround(loop); });
  if (isNested)
    return std::nullopt;
  if (block_.isTiled)
    addBefore();
  return block_;
}

/// Writes a reduction with several of its rows side by side: operations that differ from row to row are copied.
class UnrollAndJam : RegionCloner {
public:
  UnrollAndJam(mlir::OpBuilder &builder, const BlockReduction &block, llvm::ArrayRef<Value> rows)
      : RegionCloner(builder, rows.size()), block_(block), rows_(rows) {}

  scf::ForOp write() {
    if (scf::ForOp before = block_.before)
      writeOperation(*before);
    return cloneFor(block_.reduction);
  }

private:
  bool varies(Value value) const { return varying_.contains(value); }
  bool varies(Operation &op) const;
  void writeOnce(Operation &op);
  void writeEach(Operation &op);
  void writeRows(scf::ForOp rows);
  void writeOperation(Operation &op) override;

  const BlockReduction &block_;
  llvm::ArrayRef<Value> rows_;
  llvm::DenseSet<Value> varying_; ///< values that differ from row to row
};

/// Whether `op`, or anything inside of it, differs from row to row.
bool UnrollAndJam::varies(Operation &op) const {
  return holdsForAny(&op, [&](Operation *inner) {
    return mlir::isa<memref::StoreOp>(inner) ||
           llvm::any_of(inner->getOperands(), [&](Value used) { return varies(used); });
  });
}

void UnrollAndJam::writeOnce(Operation &op) {
  Operation *clone = builder_.clone(op, copies_.front());
  for (mlir::IRMapping &copy : copies_)
    copy.map(op.getResults(), clone->getResults());
}

void UnrollAndJam::writeEach(Operation &op) {
  for (mlir::IRMapping &copy : copies_)
    builder_.clone(op, copy);
  varying_.insert_range(op.getResults());
}

/// Writes the body of a row loop, without the loop: each copy has its own row.
void UnrollAndJam::writeRows(scf::ForOp rows) {
  for (auto [row, copy] : llvm::zip_equal(rows_, copies_))
    copy.map(rows.getInductionVar(), row);
  varying_.insert(rows.getInductionVar());
  for (Operation &inner : rows.getBody()->without_terminator())
    writeOperation(inner);
}

/// Loops and branches around the row loops stay as they are. Inside, loops and branches that all rows have in common
/// hand on the values of each row; what is not common is copied.
void UnrollAndJam::writeOperation(Operation &op) {
  const bool isAround = llvm::any_of(block_.loops, [&](Operation *loop) { return op.isProperAncestor(loop); });
  if (block_.loops.contains(&op))
    return writeRows(mlir::cast<scf::ForOp>(op));
  if (!isAround && !varies(op))
    return writeOnce(op);
  const Carries carries = isAround ? Carries::Once : Carries::PerCopy;
  auto loop = mlir::dyn_cast<scf::ForOp>(op);
  auto choice = mlir::dyn_cast<scf::IfOp>(op);
  const bool isCommonLoop =
      loop && !varies(loop.getLowerBound()) && !varies(loop.getUpperBound()) && !varies(loop.getStep());
  if (!isCommonLoop && !(choice && !varies(choice.getCondition())))
    return writeEach(op);
  if (!isAround) {
    varying_.insert_range(op.getResults());
    if (loop)
      varying_.insert_range(loop.getRegionIterArgs());
  }
  if (loop)
    cloneFor(loop, carries);
  else
    cloneIf(choice, carries);
}

/// Moves indices that the reduction does not change in front of it, out of conditions too.
void hoistIndices(scf::ForOp reduction) {
  reduction.walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumRegions() == 0 && op->getNumResults() == 1 && op->getResult(0).getType().isIndex() &&
        mlir::isPure(op) &&
        llvm::all_of(op->getOperands(), [&](Value used) { return reduction.isDefinedOutsideOfLoop(used); }))
      op->moveBefore(reduction);
  });
}

} // namespace

llvm::SmallVector<BlockReduction> findBlockReductions(mlir::func::FuncOp body) {
  llvm::SmallVector<BlockReduction> found;
  body.walk<mlir::WalkOrder::PreOrder>([&](scf::ForOp loop) {
    std::optional<BlockReduction> block = BlockReductionMatcher(loop).find();
    if (!block)
      return mlir::WalkResult::advance();
    found.push_back(*block);
    return mlir::WalkResult::skip();
  });
  return found;
}

scf::ForOp unrollAndJam(const BlockReduction &block, int64_t rows) {
  scf::ForOp reduction = block.reduction;
  mlir::Location location = reduction.getLoc();
  mlir::OpBuilder builder(reduction);
  const auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(builder, location, number);
  };
  Value first = constant(0);
  if (rows < block.size) {
    auto groups = scf::ForOp::create(builder, location, first, constant(block.size), constant(rows));
    builder.setInsertionPointToStart(groups.getBody());
    first = groups.getInductionVar();
  }
  llvm::SmallVector<Value> group;
  for (int64_t row = 0; row < rows; ++row)
    group.push_back(arith::AddIOp::create(builder, location, first, constant(row)));
  scf::ForOp jammed = UnrollAndJam(builder, block, group).write();
  if (scf::ForOp before = block.before)
    before.erase();
  reduction.erase();
  hoistIndices(jammed);
  return jammed;
}

} // namespace spc::transforms
