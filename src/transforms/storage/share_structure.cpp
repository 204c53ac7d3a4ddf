#include "transforms/passes.h"
#include "transforms/util/body_arguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/StringMap.h"

namespace spc::transforms {

#define GEN_PASS_DEF_SHARESTRUCTURE
#include "transforms/Passes.h.inc"

namespace {

namespace sparse = mlir::sparse_tensor;
namespace memref = mlir::memref;

/// An access of a dense proxy's buffer, and the top-level loop nest around it.
struct NestedAccess {
  mlir::Operation *op; ///< memref.load or memref.store
  mlir::Operation *nest;
};

mlir::Operation *nestOf(mlir::Operation *op, mlir::Block *bodyBlock) {
  return bodyBlock->findAncestorOpInBlock(*op);
}

/// The number of loops around `op`; nullopt when it is also conditional.
std::optional<unsigned> enclosingLoops(mlir::Operation *op) {
  unsigned loops = 0;
  for (mlir::Operation *parent = op->getParentOp(); !mlir::isa<mlir::func::FuncOp>(parent);
       parent = parent->getParentOp()) {
    if (mlir::isa<mlir::scf::ForOp, mlir::scf::WhileOp>(parent))
      ++loops;
    else
      return std::nullopt;
  }
  return loops;
}

class ShareStructure : public impl::ShareStructureBase<ShareStructure> {
public:
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(requireTensors(getOperation(), isSparseTensor)))
      return signalPassFailure();
    mlir::func::FuncOp body = getOperation();
    collectViews();
    for (unsigned index = body.getNumArguments(); index-- > 0;) {
      const TensorAttr tensor = dialect::tensorOf(body, index);
      if (!tensor || tensor.getPatternOf().empty())
        continue;
      if (failed(rewrite(index, views_[tensor.getPatternOf()])) || failed(eraseArgument(body, index)))
        return signalPassFailure();
    }
  }

private:
  using Views = llvm::SmallVector<mlir::Value>;

  void collectViews();
  mlir::LogicalResult rewrite(unsigned proxy, const Views &views);
  mlir::Value position(const NestedAccess &access, unsigned proxy, const Views &views);
  mlir::Value positionOf(const NestedAccess &access, const Views &views);
  mlir::Value withTail(const NestedAccess &access, unsigned proxy, mlir::Value position, unsigned levels);
  mlir::Value listedPosition(const NestedAccess &access, const Views &views);
  mlir::LogicalResult rewriteFills(unsigned proxy, mlir::Value values, const Views &views,
                                   llvm::ArrayRef<NestedAccess> accesses);
  bool storesEachPositionOnce(mlir::Operation *nest, unsigned levels, const Views &views,
                              llvm::ArrayRef<NestedAccess> accesses);

  llvm::StringMap<Views> views_; ///< by owner: the sparse arguments that have its pattern, at the same positions
};

/// Collects the views of each pattern: its owner, and every tensor that shares it and is read as an operand.
void ShareStructure::collectViews() {
  mlir::func::FuncOp body = getOperation();
  views_.clear();
  for (unsigned index = 0; index < body.getNumArguments(); ++index)
    if (mlir::Value argument = body.getArgument(index); sparse::getSparseTensorEncoding(argument.getType()))
      views_[dialect::tensorOf(body, index).getOwner()].push_back(argument);
}

/// Collects the loads of a sparse view's values.
void valueLoads(mlir::Value view, llvm::SmallVectorImpl<memref::LoadOp> &loads) {
  for (mlir::Operation *user : view.getUsers()) {
    if (auto values = mlir::dyn_cast<sparse::ToValuesOp>(user))
      for (mlir::Operation *load : values->getUsers())
        if (auto concrete = mlir::dyn_cast<memref::LoadOp>(load))
          loads.push_back(concrete);
  }
}

/// The position that the loads agree on that are in the innermost block around `access` with any: a merge and the loop
/// over what is left after it have one each. Null where they disagree, or where there are none within the nest.
mlir::Value sharedPosition(const NestedAccess &access, llvm::ArrayRef<memref::LoadOp> loads) {
  for (mlir::Operation *inside = access.op; inside != access.nest; inside = inside->getParentOp()) {
    mlir::Value position;
    for (memref::LoadOp load : loads) {
      if (load->getBlock() != inside->getBlock())
        continue;
      const mlir::Value index = load.getIndices().front();
      if (position && position != index)
        return {};
      position = index;
    }
    if (position)
      return position;
  }
  return {};
}

/// The sparsifier may load what a region reads from outside before it computes the position in the same block.
void delayLoad(mlir::Operation *access, mlir::Value position) {
  mlir::Operation *made = position ? position.getDefiningOp() : nullptr;
  if (made && mlir::isa<memref::LoadOp>(access) && made->getBlock() == access->getBlock() &&
      access->isBeforeInBlock(made))
    access->moveAfter(made);
}

unsigned levelsOf(mlir::Value view) {
  return static_cast<unsigned>(sparse::getSparseTensorEncoding(view.getType()).getLvlRank());
}

/// How many levels there are down to the last one that is no dense one.
unsigned listsOf(mlir::Value view) {
  const llvm::ArrayRef<sparse::LevelType> types = sparse::getSparseTensorEncoding(view.getType()).getLvlTypes();
  size_t count = types.size();
  while (count > 0 && sparse::isDenseLT(types[count - 1]))
    --count;
  return static_cast<unsigned>(count);
}

/// The position of what an access of a proxy is of: that of the views which have its levels, else that of views which
/// have the first of them, in the tail of whose entry it is. Null where the loops around say neither.
mlir::Value ShareStructure::position(const NestedAccess &access, unsigned proxy, const Views &views) {
  const auto levels =
      static_cast<unsigned>(mlir::cast<mlir::MemRefType>(getOperation().getArgument(proxy).getType()).getRank());
  Views whole, leading;
  for (mlir::Value view : views)
    if (levelsOf(view) <= levels)
      (levelsOf(view) == levels ? whole : leading).push_back(view);
  if (const mlir::Value position = positionOf(access, whole))
    return position;
  if (const mlir::Value entry = positionOf(access, leading)) {
    delayLoad(access.op, entry);
    return withTail(access, proxy, entry, levelsOf(leading.front()));
  }
  // Where loops ask for entries alone, they read the last level's coordinates that lists any.
  const mlir::Value entry = listedPosition(access, whole);
  return entry ? withTail(access, proxy, entry, listsOf(whole.front())) : entry;
}

/// The position of an access within an entry's tail, which are the dimensions of the proxy from `levels` on.
mlir::Value ShareStructure::withTail(const NestedAccess &access, unsigned proxy, mlir::Value position,
                                     unsigned levels) {
  auto load = mlir::dyn_cast<memref::LoadOp>(access.op);
  const mlir::OperandRange indices = load ? load.getIndices() : mlir::cast<memref::StoreOp>(access.op).getIndices();
  mlir::OpBuilder builder(access.op);
  for (unsigned dim = levels; dim < indices.size(); ++dim) {
    const mlir::Value size = sizeArgument(getOperation(), proxy, dim);
    position = mlir::arith::MulIOp::create(builder, access.op->getLoc(), position, size);
    position = mlir::arith::AddIOp::create(builder, access.op->getLoc(), position, indices[dim]);
  }
  return position;
}

/// The position at which the loops around an access load the views' values; null where they load none.
mlir::Value ShareStructure::positionOf(const NestedAccess &access, const Views &views) {
  llvm::SmallVector<memref::LoadOp> loads;
  for (mlir::Value view : views)
    valueLoads(view, loads);
  const mlir::Value position = sharedPosition(access, loads);
  const bool hasTail = !views.empty() && listsOf(views.front()) < levelsOf(views.front());
  return position || hasTail ? position : listedPosition(access, views);
}

/// The position at which they read the coordinates of the views' last level that lists any; null where they read none.
mlir::Value ShareStructure::listedPosition(const NestedAccess &access, const Views &views) {
  llvm::SmallVector<memref::LoadOp> loads;
  for (mlir::Value view : views) {
    const unsigned last = listsOf(view) - 1;
    for (mlir::Operation *user : view.getUsers()) {
      auto coordinates = mlir::dyn_cast<sparse::ToCoordinatesOp>(user);
      if (!coordinates || coordinates.getLevel() != last)
        continue;
      for (mlir::Operation *reader : coordinates->getUsers())
        if (auto load = mlir::dyn_cast<memref::LoadOp>(reader))
          loads.push_back(load);
    }
  }
  return sharedPosition(access, loads);
}

mlir::LogicalResult ShareStructure::rewrite(unsigned proxy, const Views &views) {
  mlir::func::FuncOp body = getOperation();
  if (views.empty())
    return body.emitError("no sparse operand owns the pattern of an output");
  mlir::BlockArgument buffer = body.getArgument(proxy);
  if (!mlir::isa<mlir::MemRefType>(buffer.getType()))
    return body.emitOpError() << "argument " << proxy << " of type " << buffer.getType()
                              << " is no buffer of an output";
  auto elementType = mlir::cast<mlir::MemRefType>(buffer.getType()).getElementType();
  auto arrayType = mlir::MemRefType::get({mlir::ShapedType::kDynamic}, elementType);
  mlir::Value values = boundArgument(body, fieldOf(body, proxy, BindKind::Values), arrayType);

  llvm::SmallVector<NestedAccess> accesses;
  for (mlir::Operation *user : buffer.getUsers())
    if (mlir::isa<memref::LoadOp, memref::StoreOp>(user))
      accesses.push_back({user, nestOf(user, &body.getBody().front())});
  if (failed(rewriteFills(proxy, values, views, accesses)))
    return mlir::failure();
  mlir::DominanceInfo dominance(body);
  for (const NestedAccess &access : accesses) {
    auto load = mlir::dyn_cast<memref::LoadOp>(access.op);
    if (load && load->use_empty()) {
      load->erase();
      continue;
    }
    mlir::Value at = position(access, proxy, views);
    delayLoad(access.op, at);
    if (!at || !dominance.properlyDominates(at, access.op))
      return access.op->emitError("an access of an output that its pattern's position does not reach");
    mlir::OpBuilder builder(access.op);
    if (load) {
      auto replacement = memref::LoadOp::create(builder, load.getLoc(), values, at);
      load.getResult().replaceAllUsesWith(replacement.getResult());
    } else if (auto store = mlir::dyn_cast<memref::StoreOp>(access.op)) {
      memref::StoreOp::create(builder, store.getLoc(), store.getValueToStore(), values, at);
    }
    access.op->erase();
  }
  return mlir::success();
}

/// Makes a fill of the dense proxy one of the stored values. Where the nest after it stores every position exactly
/// once, the fill's value takes the place of the load and the fill goes; an output scaled in place depends on that. A
/// pattern with padding keeps its fill, since loops skip the padding; scaled in place, the padding holds zeros already.
mlir::LogicalResult ShareStructure::rewriteFills(unsigned proxy, mlir::Value values, const Views &views,
                                                 llvm::ArrayRef<NestedAccess> accesses) {
  mlir::func::FuncOp body = getOperation();
  mlir::BlockArgument buffer = body.getArgument(proxy);
  const auto levels = static_cast<unsigned>(mlir::cast<mlir::MemRefType>(buffer.getType()).getRank());
  const TensorAttr tensor = dialect::tensorOf(body, proxy);
  const bool inPlace = llvm::any_of(views, [&](mlir::Value view) {
    const unsigned index = mlir::cast<mlir::BlockArgument>(view).getArgNumber();
    return dialect::tensorOf(body, index).getSymbol() == tensor.getSymbol();
  });
  // Slots outside of the tensor are not visited, and hold zero all the same.
  const bool skipsSlots = !inPlace && tensor.getIsPadded();
  for (mlir::Operation *user : llvm::make_early_inc_range(buffer.getUsers())) {
    auto fill = mlir::dyn_cast<mlir::linalg::FillOp>(user);
    if (!fill)
      continue;
    mlir::Operation *next = nullptr;
    for (const NestedAccess &access : accesses)
      if (fill->isBeforeInBlock(access.nest) && (!next || access.nest->isBeforeInBlock(next)))
        next = access.nest;
    mlir::Value zero = fill.getInputs().front();
    mlir::OpBuilder builder(fill);
    if (next && !skipsSlots && storesEachPositionOnce(next, levels, views, accesses)) {
      for (const NestedAccess &access : accesses)
        if (access.nest == next && mlir::isa<memref::LoadOp>(access.op))
          access.op->getResult(0).replaceAllUsesWith(zero);
    } else if (inPlace) {
      return fill.emitError("an output updated in place is not stored exactly once an entry");
    } else {
      mlir::Value stored = boundNumber(body, fieldOf(body, proxy, BindKind::Stored));
      mlir::Value first = mlir::arith::ConstantIndexOp::create(builder, fill.getLoc(), 0);
      mlir::Value step = mlir::arith::ConstantIndexOp::create(builder, fill.getLoc(), 1);
      auto loop = mlir::scf::ForOp::create(builder, fill.getLoc(), first, stored, step);
      builder.setInsertionPointToStart(loop.getBody());
      memref::StoreOp::create(builder, fill.getLoc(), zero, values, loop.getInductionVar());
    }
    fill.erase();
  }
  return mlir::success();
}

/// The sparse tensor of whose structure a number is read; null where it is none such.
mlir::Value structureReadBy(mlir::Value number) {
  while (mlir::Operation *made = number.getDefiningOp()) {
    if (auto load = mlir::dyn_cast<memref::LoadOp>(made)) {
      mlir::Operation *array = load.getMemRef().getDefiningOp();
      return array && mlir::isa<sparse::ToPositionsOp, sparse::ToCoordinatesOp>(array) ? array->getOperand(0)
                                                                                       : mlir::Value();
    }
    if (!mlir::isa<mlir::arith::IndexCastOp, mlir::arith::IndexCastUIOp, mlir::arith::ExtUIOp>(made))
      return {};
    number = made->getOperand(0);
  }
  return {};
}

/// Whether a loop may skip what the views store, as it runs over what another tensor lists.
bool runsOverOthers(mlir::Operation *loop, llvm::ArrayRef<mlir::Value> views) {
  const auto isOthers = [&](mlir::Value number) {
    const mlir::Value tensor = structureReadBy(number);
    return tensor && !llvm::is_contained(views, tensor);
  };
  if (auto counted = mlir::dyn_cast<mlir::scf::ForOp>(loop))
    return isOthers(counted.getUpperBound());
  auto searched = mlir::dyn_cast<mlir::scf::WhileOp>(loop);
  if (!searched)
    return false;
  const mlir::WalkResult found = searched.getBefore().walk([&](memref::LoadOp load) {
    return isOthers(load.getResult()) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return found.wasInterrupted() || llvm::any_of(searched.getInits(), isOthers);
}

/// Whether the only loops around the single store are the pattern's own levels, unconditionally.
bool ShareStructure::storesEachPositionOnce(mlir::Operation *nest, unsigned levels, const Views &views,
                                            llvm::ArrayRef<NestedAccess> accesses) {
  unsigned stores = 0;
  for (const NestedAccess &access : accesses) {
    if (access.nest != nest)
      continue;
    if (enclosingLoops(access.op) != levels)
      return false;
    for (mlir::Operation *loop = access.op; loop != nest; loop = loop->getParentOp())
      if (runsOverOthers(loop->getParentOp(), views))
        return false;
    stores += mlir::isa<memref::StoreOp>(access.op);
  }
  return stores == 1;
}

} // namespace
} // namespace spc::transforms
