#include "transforms/parallel/owner_computes.h"
#include "transforms/parallel/row_loops.h"
#include "transforms/passes.h"
#include "transforms/util/access.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/index_chains.h"
#include "transforms/util/reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

#define GEN_PASS_DEF_CHUNKROWS
#include "transforms/Passes.h.inc"

namespace {

namespace memref = mlir::memref;
namespace scf = mlir::scf;

/// What the body does at its top: loops and stores, and which buffers are written.
struct Steps {
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallSetVector<mlir::Value, 4> written;
};

/// How one of the loops at the top is cut: at rows, or all of its loops over `inner`'s extent are.
struct Cut {
  std::optional<RowLoop> rows;
  scf::ForOp inner;
  int64_t coefficient = 1; ///< of the rows in inner's extent
};

class ChunkRows : public impl::ChunkRowsBase<ChunkRows> {
public:
  using ChunkRowsBase::ChunkRowsBase;

  void runOnOperation() override {
    Steps steps;
    if (isSerial() || !findSteps(steps) || (!cutRows(steps) && !cutSums(steps)))
      describeAssembly();
  }

private:
  bool isSerial() { return scheduledParallel(getOperation()) == "none"; }
  bool findSteps(Steps &steps);
  bool cutRows(const Steps &steps);
  bool cutRows(const Steps &steps, ExtentAttr extent);
  bool isDenseNest(mlir::Operation *op);
  std::optional<Cut> cutOf(mlir::Operation *op, ExtentAttr extent);
  std::optional<Owner> ownerOf(mlir::Value index, mlir::Operation *step, Cut &cut, ExtentAttr extent);
  bool isOwned(mlir::Value buffer, const Steps &steps, llvm::MutableArrayRef<Cut> cuts, ExtentAttr extent);
  void narrow(const Cut &cut, mlir::Value begin, mlir::Value end);
  bool cutSums(const Steps &steps);
  bool zeroes(mlir::Operation *step, mlir::Value buffer);
  bool handsOver(mlir::Operation *step, mlir::Value buffer, scf::ForOp sum);
  void describeAssembly();
  void describe(BindAttr items, llvm::ArrayRef<mlir::Operation *> loops,
                llvm::SmallVector<mlir::NamedAttribute> keys);
  mlir::ArrayAttr rowsOf(llvm::ArrayRef<mlir::Operation *> loops);
  mlir::ArrayAttr denseExtents(llvm::ArrayRef<mlir::Operation *> loops);
  mlir::NamedAttribute text(llvm::StringRef key, llvm::StringRef value) {
    return {mlir::StringAttr::get(&getContext(), key), mlir::StringAttr::get(&getContext(), value)};
  }
};

/// False where something else is done than loops over loads and stores. What only loads is part of no step.
bool ChunkRows::findSteps(Steps &steps) {
  for (mlir::Operation &op : getOperation().getBody().front().without_terminator()) {
    bool writes = false;
    mlir::WalkResult result = op.walk([&](mlir::Operation *inner) {
      if (auto store = mlir::dyn_cast<memref::StoreOp>(inner)) {
        steps.written.insert(store.getMemRef());
        writes = true;
      } else if (!mlir::isa<memref::LoadOp>(inner) && inner->getNumRegions() == 0 && !mlir::isMemoryEffectFree(inner)) {
        return mlir::WalkResult::interrupt();
      }
      return mlir::WalkResult::advance();
    });
    if (result.wasInterrupted())
      return false;
    // A sum over everything is stored after its loop.
    if (writes || (mlir::isa<scf::ForOp>(op) && op.getNumResults() > 0))
      steps.ops.push_back(&op);
  }
  return !steps.ops.empty();
}

bool ChunkRows::cutRows(const Steps &steps) {
  llvm::SmallSetVector<ExtentAttr, 4> extents;
  for (bool isRoot : {true, false})
    for (mlir::Operation *op : steps.ops)
      if (auto rows = matchRowLoop(getOperation(), op))
        if (rows->rows && isRoot == (rows->kind != RowLoop::Kind::Rows))
          extents.insert(rows->rows);
  return llvm::any_of(extents, [&](ExtentAttr extent) { return cutRows(steps, extent); });
}

/// Whether each of the loops in `op` is over all of a dimension, so that none of them is long where another one is cut.
bool ChunkRows::isDenseNest(mlir::Operation *op) {
  mlir::WalkResult result = op->walk([&](mlir::Operation *inner) {
    auto loop = mlir::dyn_cast<scf::ForOp>(inner);
    const bool isDense = loop ? bool(extentOf(getOperation(), loop)) : !mlir::isa<scf::WhileOp>(inner);
    return isDense ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return mlir::isa<scf::ForOp>(op) && !result.wasInterrupted();
}

std::optional<Cut> ChunkRows::cutOf(mlir::Operation *op, ExtentAttr extent) {
  Cut cut;
  if (op->getNumResults() > 0 && mlir::isa<scf::ForOp>(op))
    return std::nullopt;
  cut.rows = matchRowLoop(getOperation(), op);
  if (cut.rows && cut.rows->rows != extent)
    cut.rows.reset();
  return cut.rows || isDenseNest(op) ? std::optional(cut) : std::nullopt;
}

/// Whose element an access with `index` reaches, where that is one row's.
std::optional<Owner> ChunkRows::ownerOf(mlir::Value index, mlir::Operation *step, Cut &cut, ExtentAttr extent) {
  if (cut.rows)
    return OwnerComputes(getOperation(), *cut.rows).ownerOf(index);
  scf::ForOp loop = loopOf(index);
  if (!loop || !step->isAncestor(loop) || (cut.inner && cut.inner != loop))
    return std::nullopt;
  const ExtentAttr inner = extentOf(getOperation(), loop);
  const std::optional<int64_t> coefficient = inner ? inner.blockOf(extent) : std::nullopt;
  if (!coefficient)
    return std::nullopt;
  cut.inner = loop;
  cut.coefficient = *coefficient;
  return Owner{true, *coefficient};
}

/// Whether in some dimension every access has the row's own index, or positions below it: the same in all steps.
bool ChunkRows::isOwned(mlir::Value buffer, const Steps &steps, llvm::MutableArrayRef<Cut> cuts,
                        ExtentAttr extent) {
  auto isOwnedIn = [&](unsigned dim) {
    std::optional<Owner> common;
    mlir::Operation *only = nullptr;
    bool isOneStep = true;
    for (mlir::Operation *user : buffer.getUsers()) {
      auto step = llvm::find_if(steps.ops, [&](mlir::Operation *op) { return op->isAncestor(user); });
      std::optional<Access> access = accessOf(user);
      // What is read before the loops would be read by every chunk.
      if (step == steps.ops.end() || !access)
        return false;
      std::optional<Owner> owner = ownerOf(access->indices[dim], *step, cuts[step - steps.ops.begin()], extent);
      if (!owner || (common && common != owner))
        return false;
      isOneStep &= !only || only == *step;
      common = owner;
      only = *step;
    }
    // Positions of two steps may belong to different tensors.
    return !common || common->isRow || isOneStep;
  };
  const auto rank = mlir::cast<mlir::MemRefType>(buffer.getType()).getRank();
  for (unsigned dim = 0; dim < rank; ++dim)
    if (isOwnedIn(dim))
      return true;
  return false;
}

void ChunkRows::narrow(const Cut &cut, mlir::Value begin, mlir::Value end) {
  if (cut.rows)
    return cut.rows->kind == RowLoop::Kind::Rows ? setBounds(*cut.rows, begin, end) : setRows(*cut.rows, begin, end);
  scf::ForOp loop = cut.inner;
  mlir::OpBuilder builder(loop);
  mlir::Value first = emitSum(builder, loop.getLoc(), {0, {{begin, cut.coefficient}}});
  mlir::Value last = emitSum(builder, loop.getLoc(), {0, {{end, cut.coefficient}}});
  if (cut.coefficient != 1)
    last = mlir::arith::MinSIOp::create(builder, loop.getLoc(), last, loop.getUpperBound());
  loop.setLowerBound(first);
  loop.setUpperBound(last);
}

bool ChunkRows::cutRows(const Steps &steps, ExtentAttr extent) {
  llvm::SmallVector<Cut> cuts;
  for (mlir::Operation *op : steps.ops) {
    std::optional<Cut> cut = cutOf(op, extent);
    if (!cut)
      return false;
    cuts.push_back(*cut);
  }
  if (!llvm::all_of(steps.written, [&](mlir::Value buffer) { return isOwned(buffer, steps, cuts, extent); }))
    return false;
  const RowLoop *main = nullptr;
  for (const Cut &cut : cuts)
    if (cut.rows && (!main || main->kind == RowLoop::Kind::Rows))
      main = &*cut.rows;
  const auto rows = BindAttr::get(extent);
  llvm::SmallVector<mlir::NamedAttribute> keys;
  if (main->kind != RowLoop::Kind::Rows)
    keys.push_back(text("root", main->items.getSymbol()));
  llvm::SmallVector<mlir::Operation *> loops;
  for (const Cut &cut : cuts)
    if (cut.rows)
      loops.push_back(cut.rows->loop);
  describe(rows, loops, std::move(keys));
  const mlir::Value begin = boundNumber(getOperation(), rows.as(BindKind::Begin)),
                    end = boundNumber(getOperation(), rows.as(BindKind::End));
  for (const Cut &cut : cuts)
    narrow(cut, begin, end);
  return true;
}

/// Stores zeros in all of `buffer`, and does nothing else.
bool ChunkRows::zeroes(mlir::Operation *step, mlir::Value buffer) {
  const auto isZero = [](mlir::Value value) {
    return mlir::matchPattern(value, mlir::m_AnyZeroFloat()) || mlir::matchPattern(value, mlir::m_Zero());
  };
  const auto isWhole = [&](mlir::Value index) {
    scf::ForOp loop = loopOf(index);
    return loop && extentOf(getOperation(), loop);
  };
  const auto fills = [&](memref::StoreOp store) {
    const auto indices = store.getIndices();
    const llvm::SmallPtrSet<mlir::Value, 4> distinct(indices.begin(), indices.end());
    return store.getMemRef() == buffer && isZero(store.getValueToStore()) && distinct.size() == indices.size() &&
           llvm::all_of(indices, isWhole);
  };
  mlir::WalkResult result = step->walk([&](mlir::Operation *op) {
    auto store = mlir::dyn_cast<memref::StoreOp>(op);
    const bool isFine = store ? fills(store) : op->getNumResults() == 0 && mlir::isa<scf::ForOp, scf::YieldOp>(op);
    return isFine ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Stores what a loop has summed up, which starts with what was there, or zero.
bool ChunkRows::handsOver(mlir::Operation *step, mlir::Value buffer, scf::ForOp sum) {
  auto store = mlir::dyn_cast<memref::StoreOp>(step);
  if (!store || sum.getNumResults() != 1 || store.getMemRef() != buffer || store.getValueToStore() != sum.getResult(0))
    return false;
  mlir::Value start = sum.getInitArgs()[0];
  auto load = start.getDefiningOp<memref::LoadOp>();
  return load ? load.getMemRef() == buffer && load->hasOneUse() && load->getBlock() == sum->getBlock()
              : mlir::matchPattern(start, mlir::m_AnyZeroFloat()) || mlir::matchPattern(start, mlir::m_Zero());
}

/// One loop that adds to one buffer, wherever that is: chunks of it add to copies of the buffer.
bool ChunkRows::cutSums(const Steps &steps) {
  std::optional<RowLoop> main;
  if (steps.written.size() != 1)
    return false;
  const mlir::Value buffer = steps.written.front();
  bool isZeroed = false;
  for (mlir::Operation *op : steps.ops) {
    if (auto sum = main ? mlir::dyn_cast<scf::ForOp>(main->loop) : scf::ForOp(); sum && handsOver(op, buffer, sum))
      continue;
    if (main)
      return false;
    if (zeroes(op, buffer))
      isZeroed = true;
    else if (!(main = matchRowLoop(getOperation(), op)))
      return false;
  }
  if (!main)
    return false;
  auto loop = mlir::dyn_cast<scf::ForOp>(main->loop);
  const bool isScalar = loop && loop.getNumResults() > 0;
  const auto isInside = [&](mlir::Operation *user) { return main->loop->isProperAncestor(user); };
  if (isScalar ? !onlySums(loop, reassociate) || llvm::any_of(buffer.getUsers(), isInside)
               : !onlyAddsTo(main->loop, buffer, reassociate))
    return false;
  const auto isStep = [&](mlir::Operation *user) {
    return isScalar || llvm::any_of(steps.ops, [&](mlir::Operation *op) { return op->isAncestor(user); });
  };
  auto output = mlir::dyn_cast<mlir::BlockArgument>(buffer);
  if (!output || !llvm::all_of(buffer.getUsers(), isStep))
    return false;
  // Of a dense tensor; values in the pattern of another one have no name of their own.
  const llvm::StringRef name = argumentString(getOperation(), output.getArgNumber(), kName);
  if (name.empty())
    return false;
  llvm::SmallVector<mlir::NamedAttribute> keys{text("copies", name)};
  if (isZeroed)
    keys.emplace_back(mlir::StringAttr::get(&getContext(), "zeroed"), mlir::UnitAttr::get(&getContext()));
  describe(main->items, main->loop, std::move(keys));
  setBounds(*main, boundNumber(getOperation(), main->items.as(BindKind::Begin)),
            boundNumber(getOperation(), main->items.as(BindKind::End)));
  return true;
}

/// An assembling body has been cut already.
void ChunkRows::describeAssembly() {
  mlir::func::FuncOp body = getOperation();
  for (mlir::BlockArgument argument : body.getArguments()) {
    const BindAttr bind = dialect::bindOf(body, argument);
    if (!bind || bind.getKind() != BindKind::Begin)
      continue;
    llvm::SmallVector<mlir::Operation *> loops;
    for (mlir::Operation *user : argument.getUsers())
      if (mlir::isa<scf::ForOp>(user))
        loops.push_back(user);
    return describe(bind.getItems(), loops, {});
  }
}

/// The tensors of whose level 1 each row has a segment.
mlir::ArrayAttr ChunkRows::rowsOf(llvm::ArrayRef<mlir::Operation *> loops) {
  llvm::SmallSetVector<mlir::Attribute, 4> tensors;
  for (mlir::Operation *loop : loops) {
    auto segments = mlir::dyn_cast<scf::WhileOp>(loop);
    const mlir::Value row =
        segments ? segments.getAfterBody()->getArgument(0) : mlir::cast<scf::ForOp>(loop).getInductionVar();
    loop->walk([&](memref::LoadOp load) {
      const BindAttr bind = dialect::bindOf(getOperation(), load.getMemRef());
      const bool isPointers = bind && bind.getKind() == BindKind::Pointers && bind.getIndex() == 1;
      if (isPointers && load.getIndices().front() == row)
        tensors.insert(mlir::StringAttr::get(&getContext(), bind.getSymbol()));
    });
  }
  return mlir::ArrayAttr::get(&getContext(), tensors.getArrayRef());
}

/// The extents of the loops inside that are over all of a dimension. Filling one is little work.
mlir::ArrayAttr ChunkRows::denseExtents(llvm::ArrayRef<mlir::Operation *> loops) {
  llvm::SmallSetVector<mlir::Attribute, 4> extents;
  for (mlir::Operation *outer : loops)
    outer->walk([&](scf::ForOp loop) {
      const ExtentAttr extent = loop == outer ? ExtentAttr() : extentOf(getOperation(), loop);
      const auto isLoad = [](memref::LoadOp) { return mlir::WalkResult::interrupt(); };
      if (extent && loop.walk(isLoad).wasInterrupted())
        extents.insert(extent);
    });
  return mlir::ArrayAttr::get(&getContext(), extents.getArrayRef());
}

void ChunkRows::describe(BindAttr items, llvm::ArrayRef<mlir::Operation *> loops,
                         llvm::SmallVector<mlir::NamedAttribute> keys) {
  mlir::Builder builder(&getContext());
  keys.push_back(builder.getNamedAttr("items", items));
  keys.push_back(builder.getNamedAttr("tensors", rowsOf(loops)));
  keys.push_back(builder.getNamedAttr("extents", denseExtents(loops)));
  const std::optional<int64_t> chunk = isSerial() ? INT64_MAX : scheduled(getOperation(), "chunk");
  if (chunk)
    keys.push_back(builder.getNamedAttr("work", builder.getI64IntegerAttr(*chunk)));
  getOperation()->setAttr(kChunks, builder.getDictionaryAttr(keys));
}

} // namespace
} // namespace spc::transforms
