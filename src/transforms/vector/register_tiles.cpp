#include "transforms/vector/register_tiles.h"

#include "dialect/attributes.h"
#include "transforms/util/access.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/vector_body.h"
#include "transforms/util/walks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Operation;
using mlir::Value;

namespace {

/// Finds out whether a loop is a dense one that can be tiled: what in it depends on its variable, as an index or as an
/// element.
class DenseLoop {
public:
  explicit DenseLoop(scf::ForOp loop) : loop_(loop) {}

  /// Whether all its operations are separable; notes the slots it stores to.
  bool check();
  const std::vector<Slot> &slots() const { return slots_; }
  unsigned elementBytes() const { return bytes_; }

private:
  bool checkOperation(Operation &op);
  bool checkAccess(const Access &access);
  bool isElement(Value value) const { return elements_.contains(value); }
  bool isInvariant(Value value) { return loop_.isDefinedOutsideOfLoop(value) || !variants_.contains(value); }
  bool noteType(mlir::Type type) {
    bytes_ = std::max(bytes_, vectorElementBytes(type));
    return isVectorElement(type);
  }

  scf::ForOp loop_;
  llvm::SmallPtrSet<Value, 8> variants_; ///< values that depend on the loop's variable
  llvm::SmallPtrSet<Value, 8> elements_; ///< those of them that are no indices
  std::vector<Slot> slots_;
  unsigned bytes_ = 0;
};

bool DenseLoop::check() {
  if (loop_.getNumResults() > 0 || !mlir::isConstantIntValue(loop_.getLowerBound(), 0) ||
      !mlir::isConstantIntValue(loop_.getStep(), 1))
    return false;
  variants_.insert(loop_.getInductionVar());
  for (Operation &op : loop_.getBody()->without_terminator())
    if (op.getNumRegions() > 0 || !checkOperation(op))
      return false;
  return !slots_.empty();
}

bool DenseLoop::checkOperation(Operation &op) {
  if (std::optional<Access> access = accessOf(&op))
    return checkAccess(*access);
  if (!mlir::isPure(&op) || op.getNumResults() != 1)
    return false;
  if (llvm::all_of(op.getOperands(), [&](Value operand) { return isInvariant(operand); }))
    return true;
  Value result = op.getResult(0);
  variants_.insert(result);
  if (result.getType().isIndex())
    return llvm::none_of(op.getOperands(), [&](Value operand) { return isElement(operand); });
  elements_.insert(result);
  // A condition is as wide as what it chooses between.
  return isElementwise(&op) && (result.getType().isInteger(1) || noteType(result.getType())) &&
         llvm::all_of(op.getOperands(), [&](Value operand) { return isInvariant(operand) || isElement(operand); });
}

bool DenseLoop::checkAccess(const Access &access) {
  Slot slot{access.buffer, {}};
  std::optional<unsigned> unit = unitDimension(slot.buffer);
  bool moves = false;
  for (auto [dim, index] : llvm::enumerate(access.indices)) {
    const bool isUnit = unit && *unit == dim;
    const int64_t coefficient = affineSum(index).coefficient(loop_.getInductionVar());
    if (isInvariant(index)) {
      slot.indices.push_back(index);
      continue;
    }
    if (!isUnit || coefficient != 1)
      return false;
    slot.indices.push_back(index == loop_.getInductionVar() ? Value() : index);
    slot.along = *unit;
    moves = true;
  }
  if (!access.isStore()) {
    if (!moves)
      return true;
    Value loaded = access.op->getResult(0);
    variants_.insert(loaded);
    elements_.insert(loaded);
    return noteType(loaded.getType());
  }
  // Stores go to an element of the tile's own index: a sum with another loop's variable would need to be rebuilt.
  if (!moves || slot.indices[slot.along] || !noteType(mlir::cast<memref::StoreOp>(access.op).getValue().getType()))
    return false;
  if (!llvm::is_contained(slots_, slot))
    slots_.push_back(slot);
  return true;
}

/// The innermost of the blocks that define the slots' buffers and indices: the whole region lies in it.
mlir::Block *homeOf(mlir::func::FuncOp body, llvm::ArrayRef<Slot> slots) {
  mlir::Block *home = &body.getBody().front();
  const auto enter = [&](Value value) {
    if (value && home->getParent()->isAncestor(value.getParentRegion()))
      home = value.getParentBlock();
  };
  for (const Slot &slot : slots) {
    enter(slot.buffer);
    llvm::for_each(slot.indices, enter);
  }
  return home;
}

/// Whether a dense loop adds to elements that it comes back to, although a loop around it changes their indices.
bool scatters(scf::ForOp dense, const std::vector<Slot> &slots) {
  const auto isAccumulated = [&](const Slot &slot) {
    const auto loadsSlot = [&](memref::LoadOp load) { return load.getMemRef() == slot.buffer; };
    return llvm::any_of(dense.getBody()->getOps<memref::LoadOp>(), loadsSlot);
  };
  const auto isRepeated = [&](const Slot &slot) {
    for (auto loop = dense->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>())
      if (llvm::none_of(slot.indices, [&](Value index) {
            return index && affineSum(index).coefficient(loop.getInductionVar()) != 0;
          }))
        return true;
    return false;
  };
  return llvm::any_of(slots, [&](const Slot &slot) { return isAccumulated(slot) && isRepeated(slot); });
}

/// Whether two slots may have elements in common. Different rows of one block have none.
bool mayOverlap(const Slot &a, const Slot &b) {
  if (a.buffer != b.buffer || a.along != b.along)
    return a.buffer == b.buffer;
  for (auto [left, right] : llvm::zip_equal(a.indices, b.indices)) {
    if (!left || !right)
      continue;
    const AffineSum one = affineSum(left), other = affineSum(right);
    if (one.terms == other.terms && one.constant != other.constant)
      return false;
  }
  return true;
}

/// Grows a region from the dense loops at home in one block.
class RegionBuilder {
public:
  RegionBuilder(mlir::Block *block, const llvm::MapVector<Operation *, std::vector<Slot>> &loops) : loops_(loops) {
    region_.block = block;
  }
  std::optional<TiledRegion> build();

private:
  bool collectOperations();
  bool addOperation(Operation &op);
  bool isMovableBetween() const;
  bool isAllowedInside(Operation *op) const;
  bool hasReduction() const;
  void collectSlots();
  void addSlot(Slot slot, Operation *dense);
  bool areSlotsApart() const;
  bool usesOnlySlots() const;
  bool isDense(Operation *op) const { return loops_.contains(op); }
  bool hasDense(Operation *op) const {
    return holdsForAny(op, [&](Operation *inner) { return isDense(inner); });
  }
  /// From the first operation to the last one, with what stands between.
  auto extent() const {
    return llvm::make_range(region_.operations.front()->getIterator(),
                            std::next(region_.operations.back()->getIterator()));
  }

  const llvm::MapVector<Operation *, std::vector<Slot>> &loops_;
  TiledRegion region_;
};

std::optional<TiledRegion> RegionBuilder::build() {
  if (!collectOperations() || !isMovableBetween() || !hasReduction())
    return std::nullopt;
  collectSlots();
  return areSlotsApart() && usesOnlySlots() ? std::optional(region_) : std::nullopt;
}

/// Collects the operations of the block that hold dense loops. False where one of them cannot be run tile by tile.
bool RegionBuilder::collectOperations() {
  return llvm::all_of(*region_.block, [&](Operation &op) { return !hasDense(&op) || addOperation(op); });
}

bool RegionBuilder::addOperation(Operation &op) {
  region_.operations.push_back(&op);
  if (op.getNumResults() > 0)
    return false;
  mlir::WalkResult result = op.walk<mlir::WalkOrder::PreOrder>([&](Operation *inner) {
    if (!isDense(inner))
      return isAllowedInside(inner) ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
    Value size = mlir::cast<scf::ForOp>(inner).getUpperBound();
    if (region_.size && region_.size != size)
      return mlir::WalkResult::interrupt();
    region_.size = size;
    region_.dense.insert(inner);
    return mlir::WalkResult::skip();
  });
  return !result.wasInterrupted();
}

/// Whether what stands between the operations can be moved before the region, or left where nothing needs it.
bool RegionBuilder::isMovableBetween() const {
  return llvm::all_of(extent(), [&](Operation &op) {
    return llvm::is_contained(region_.operations, &op) || (op.getNumRegions() == 0 && isAllowedInside(&op));
  });
}

/// Whether `op` may stand in a region beside its dense loops: control flow around them, loads and computations may.
/// Other loops would run once more for each tile.
bool RegionBuilder::isAllowedInside(Operation *op) const {
  if (mlir::isa<scf::ForOp, scf::WhileOp>(op))
    return hasDense(op);
  if (mlir::isa<scf::IfOp, scf::YieldOp, scf::ConditionOp>(op))
    return true;
  return op->getNumRegions() == 0 && (mlir::isa<memref::LoadOp>(op) || mlir::isMemoryEffectFree(op));
}

/// Whether a dense loop is inside of another operation of the region: its slots then outlive it in registers.
bool RegionBuilder::hasReduction() const {
  return llvm::any_of(region_.operations, [&](Operation *op) { return !isDense(op); });
}

void RegionBuilder::collectSlots() {
  for (Operation *op : region_.operations)
    op->walk([&](Operation *inner) {
      if (isDense(inner))
        for (const Slot &slot : loops_.find(inner)->second)
          addSlot(slot, inner);
    });
}

/// Adds a slot of the loop `dense`, unless it is known. It is fresh where its first loop stands in the block itself and
/// only stores to it.
void RegionBuilder::addSlot(Slot slot, Operation *dense) {
  if (llvm::is_contained(region_.slots, slot))
    return;
  const auto loadsSlot = [&](Operation *op) {
    auto load = mlir::dyn_cast<memref::LoadOp>(op);
    return load && load.getMemRef() == slot.buffer;
  };
  slot.isFresh = dense->getBlock() == region_.block && !holdsForAny(dense, loadsSlot);
  slot.isLocal = llvm::any_of(slot.indices, [&](Value index) {
    return index && region_.block->getParent()->isProperAncestor(index.getParentRegion());
  });
  region_.slots.push_back(std::move(slot));
}

bool RegionBuilder::areSlotsApart() const {
  for (auto slot = region_.slots.begin(); slot != region_.slots.end(); ++slot)
    if (std::any_of(region_.slots.begin(), slot, [&](const Slot &other) { return mayOverlap(*slot, other); }))
      return false;
  return true;
}

/// Whether the region, with what stands between its operations, accesses what it writes through the slots alone.
bool RegionBuilder::usesOnlySlots() const {
  const auto isAllowed = [&](Operation *op) {
    const std::optional<Access> access = accessOf(op);
    const bool isWritten =
        access && llvm::any_of(region_.slots, [&](const Slot &slot) { return slot.buffer == access->buffer; });
    return !isWritten || region_.slotOf(op);
  };
  return llvm::all_of(extent(), [&](Operation &op) { return holdsForAll(&op, isAllowed); });
}

} // namespace

unsigned TiledRegion::rows() const {
  size_t most = 1;
  for (const Slot &slot : slots)
    most =
        std::max<size_t>(most, llvm::count_if(slots, [&](const Slot &other) { return other.buffer == slot.buffer; }));
  return unsigned(most);
}

scf::ForOp TiledRegion::rowLoop() const {
  auto loop = mlir::dyn_cast<scf::ForOp>(block->getParentOp());
  if (!loop || loop.getNumResults() > 0 || !dialect::rowLoopOf(loop) || !loop.isDefinedOutsideOfLoop(size))
    return {};
  const auto isSlots = [&](Value buffer) {
    return llvm::any_of(slots, [&](const Slot &slot) { return slot.buffer == buffer; });
  };
  const bool onlyReads = llvm::all_of(block->without_terminator(), [&](Operation &op) {
    if (llvm::is_contained(operations, &op))
      return true;
    auto load = mlir::dyn_cast<memref::LoadOp>(op);
    return op.getNumRegions() == 0 && (load ? !isSlots(load.getMemRef()) : mlir::isMemoryEffectFree(&op));
  });
  return onlyReads ? loop : scf::ForOp();
}

const Slot *TiledRegion::slotOf(Operation *op) const {
  std::optional<Access> access = accessOf(op);
  auto loop = mlir::dyn_cast<scf::ForOp>(op->getParentOp());
  if (!access || !loop || !dense.contains(loop))
    return nullptr;
  Slot found{access->buffer, llvm::SmallVector<Value>(access->indices)};
  std::optional<unsigned> unit = unitDimension(found.buffer);
  if (!unit || found.indices[*unit] != loop.getInductionVar())
    return nullptr;
  found.indices[*unit] = Value();
  found.along = *unit;
  auto slot = llvm::find(slots, found);
  return slot == slots.end() ? nullptr : &*slot;
}

std::vector<TiledRegion> findTiledRegions(mlir::func::FuncOp body) {
  llvm::MapVector<mlir::Block *, llvm::MapVector<Operation *, std::vector<Slot>>> homes;
  llvm::DenseMap<mlir::Block *, unsigned> bytes;
  body.walk([&](scf::ForOp loop) {
    DenseLoop dense(loop);
    if (!dense.check())
      return;
    mlir::Block *home = homeOf(body, dense.slots());
    auto around = mlir::dyn_cast<scf::ForOp>(loop->getParentOp());
    if (around && home == around.getBody() && scatters(loop, dense.slots()))
      home = around->getBlock();
    homes[home][loop] = dense.slots();
    bytes[home] = std::max(bytes[home], dense.elementBytes());
  });
  std::vector<TiledRegion> regions;
  for (auto &[block, loops] : homes)
    if (std::optional<TiledRegion> region = RegionBuilder(block, loops).build()) {
      region->elementBytes = bytes[block];
      regions.push_back(*region);
    }
  return regions;
}

} // namespace spc::transforms
