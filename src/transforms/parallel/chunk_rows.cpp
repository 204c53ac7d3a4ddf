#include "dialect/dialect.h"
#include "transforms/parallel/accumulations.h"
#include "transforms/parallel/diagonals.h"
#include "transforms/parallel/owner_computes.h"
#include "transforms/parallel/run_rows.h"
#include "transforms/passes.h"
#include "transforms/util/access.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/streams.h"
#include "transforms/util/walks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace spc::transforms {

#define GEN_PASS_DEF_CHUNKROWS
#include "transforms/Passes.h.inc"

namespace {

namespace memref = mlir::memref;
namespace scf = mlir::scf;

/// How a step is cut: at the rows of its row loop or of its diagonals, or in all of its loops over `inner`'s extent.
struct Cut {
  std::optional<RowLoop> rows;
  std::optional<Diagonals> diagonals;
  scf::ForOp inner;
  int64_t coefficient = 1; ///< of the rows in inner's extent
};

class ChunkRows : public impl::ChunkRowsBase<ChunkRows> {
public:
  using ChunkRowsBase::ChunkRowsBase;

  void runOnOperation() override {
    if (getOperation().isExternal() || dialect::chunksOf(getOperation())) // cut already
      return;
    recordRowLoops(getOperation());
    const dialect::DivisionAttr division = dialect::divisionOf(getOperation());
    if (!division)
      return;
    dialect::removeDivision(getOperation());
    const std::optional<BodySteps> steps = isSerial() ? std::nullopt : findSteps(getOperation());
    if (division.getKind() == dialect::DivisionKind::Copies) {
      if (steps)
        cutSums(*steps, division.getItems());
    } else if (!steps || !cutRows(*steps, division.getItems().getExtent())) {
      describeAssembly();
    }
  }

private:
  bool isSerial() { return dialect::scheduleOf(getOperation()).isSerial(); }
  bool cutRows(const BodySteps &steps, ExtentAttr extent);
  bool isDenseNest(mlir::Operation *op);
  std::optional<Cut> cutOf(const Step &step, ExtentAttr extent);
  std::optional<Owner> ownerOf(mlir::Value index, mlir::Operation *step, Cut &cut, ExtentAttr extent);
  bool isOwned(mlir::Value buffer, const BodySteps &steps, llvm::MutableArrayRef<Cut> cuts, ExtentAttr extent);
  bool isOwnedIn(unsigned dim, mlir::Value buffer, const BodySteps &steps, llvm::MutableArrayRef<Cut> cuts,
                 ExtentAttr extent);
  void narrow(const Cut &cut, mlir::Value begin, mlir::Value end);
  void cutSums(const BodySteps &steps, BindAttr items);
  void fillOthers(const Accumulation &sum, mlir::Value begin, mlir::Value end);
  void doOnce(mlir::Operation *step);
  void describeAssembly();
  void describe(BindAttr items, llvm::ArrayRef<mlir::Operation *> loops, llvm::StringRef root = {},
                llvm::StringRef copies = {}, bool zeroed = false);
  llvm::SmallVector<mlir::StringAttr> rowsOf(llvm::ArrayRef<mlir::Operation *> loops);
  llvm::SmallVector<ExtentAttr> denseExtents(llvm::ArrayRef<mlir::Operation *> loops);
};

/// Whether each of the loops in `op` is over all of a dimension, so that none of them is long where another one is cut.
bool ChunkRows::isDenseNest(mlir::Operation *op) {
  return mlir::isa<scf::ForOp>(op) && holdsForAll(op, [&](mlir::Operation *inner) {
           auto loop = mlir::dyn_cast<scf::ForOp>(inner);
           return loop ? bool(extentOf(getOperation(), loop)) : !mlir::isa<scf::WhileOp>(inner);
         });
}

std::optional<Cut> ChunkRows::cutOf(const Step &step, ExtentAttr extent) {
  if (step.op->getNumResults() > 0 && mlir::isa<scf::ForOp>(step.op))
    return std::nullopt;
  Cut cut;
  if (step.rows && step.rows->rows == extent)
    cut.rows = step.rows;
  else
    cut.diagonals = matchDiagonals(getOperation(), step.op);
  if (cut.diagonals && cut.diagonals->extent != extent)
    cut.diagonals.reset();
  return cut.rows || cut.diagonals || isDenseNest(step.op) ? std::optional(cut) : std::nullopt;
}

/// The owner of the elements that an access with `index` in a step reaches, where that is one row; else nullopt.
std::optional<Owner> ChunkRows::ownerOf(mlir::Value index, mlir::Operation *step, Cut &cut, ExtentAttr extent) {
  if (cut.rows)
    return OwnerComputes(getOperation(), *cut.rows).ownerOf(index);
  if (cut.diagonals)
    return index == cut.diagonals->rows.getInductionVar() ? std::optional(Owner{true, 1}) : std::nullopt;
  scf::ForOp loop = loopOf(index);
  // What a loop carries from row to row would be missing in the next chunk.
  if (!loop || loop.getNumResults() > 0 || !step->isAncestor(loop) || (cut.inner && cut.inner != loop))
    return std::nullopt;
  const ExtentAttr inner = extentOf(getOperation(), loop);
  const std::optional<int64_t> coefficient = inner ? inner.blockOf(extent) : std::nullopt;
  if (!coefficient)
    return std::nullopt;
  cut.inner = loop;
  cut.coefficient = *coefficient;
  return Owner{true, *coefficient};
}

/// Whether in dimension `dim` every access has the row's own index, or positions below it: the same in all steps.
bool ChunkRows::isOwnedIn(unsigned dim, mlir::Value buffer, const BodySteps &steps, llvm::MutableArrayRef<Cut> cuts,
                          ExtentAttr extent) {
  std::optional<Owner> common;
  std::optional<size_t> only;
  bool isOneStep = true;
  for (mlir::Operation *user : buffer.getUsers()) {
    const std::optional<size_t> step = steps.stepOf(user);
    const std::optional<Access> access = accessOf(user);
    // What is read before the loops would be read by every chunk.
    if (!step || !access)
      return false;
    const std::optional<Owner> owner = ownerOf(access->indices[dim], steps.all[*step].op, cuts[*step], extent);
    if (!owner || (common && common != owner))
      return false;
    isOneStep &= !only || only == step;
    common = owner;
    only = step;
  }
  // Positions of two steps may belong to different tensors.
  return !common || common->isRow || isOneStep;
}

/// Whether no row accesses elements of another one.
bool ChunkRows::isOwned(mlir::Value buffer, const BodySteps &steps, llvm::MutableArrayRef<Cut> cuts,
                        ExtentAttr extent) {
  const auto rank = mlir::cast<mlir::MemRefType>(buffer.getType()).getRank();
  return llvm::any_of(llvm::seq<unsigned>(rank),
                      [&](unsigned dim) { return isOwnedIn(dim, buffer, steps, cuts, extent); });
}

void ChunkRows::narrow(const Cut &cut, mlir::Value begin, mlir::Value end) {
  if (cut.rows)
    return cut.rows->isRoot() ? setRows(*cut.rows, begin, end) : setBounds(*cut.rows, begin, end);
  if (cut.diagonals)
    return narrowBounds(cut.diagonals->rows, begin, end);
  scf::ForOp loop = cut.inner;
  mlir::OpBuilder builder(loop);
  mlir::Value first = emitSum(builder, loop.getLoc(), {0, {{begin, cut.coefficient}}});
  mlir::Value last = emitSum(builder, loop.getLoc(), {0, {{end, cut.coefficient}}});
  if (cut.coefficient != 1)
    last = mlir::arith::MinSIOp::create(builder, loop.getLoc(), last, loop.getUpperBound());
  loop.setLowerBound(first);
  loop.setUpperBound(last);
}

/// Cuts all steps at the rows of one extent.
bool ChunkRows::cutRows(const BodySteps &steps, ExtentAttr extent) {
  llvm::SmallVector<Cut> cuts;
  for (const Step &step : steps.all) {
    std::optional<Cut> cut = cutOf(step, extent);
    if (!cut)
      return false;
    cuts.push_back(*cut);
  }
  const bool hasRows = llvm::any_of(cuts, [](const Cut &cut) { return cut.rows || cut.diagonals; });
  if (!hasRows ||
      !llvm::all_of(steps.written, [&](mlir::Value buffer) { return isOwned(buffer, steps, cuts, extent); }))
    return false;
  const RowLoop *main = nullptr;
  for (const Cut &cut : cuts)
    if (cut.rows && (!main || !main->isRoot()))
      main = &*cut.rows;
  const auto rows = BindAttr::get(extent);
  llvm::SmallVector<mlir::Operation *> loops;
  for (const Cut &cut : cuts) {
    if (cut.rows)
      loops.push_back(cut.rows->loop);
    else if (cut.diagonals)
      loops.push_back(cut.diagonals->rows);
  }
  describe(rows, loops, main && main->isRoot() ? main->items.getSymbol() : llvm::StringRef());
  const mlir::Value begin = boundNumber(getOperation(), rows.as(BindKind::Begin)),
                    end = boundNumber(getOperation(), rows.as(BindKind::End));
  for (const Cut &cut : cuts)
    narrow(cut, begin, end);
  return true;
}

/// Sets the rows to zero that are none of the chunk's, as the loop does with those that are.
void ChunkRows::fillOthers(const Accumulation &sum, mlir::Value begin, mlir::Value end) {
  const RowLoop &rows = sum.loops.front();
  mlir::OpBuilder builder(rows.loop);
  const mlir::Location location = rows.loop->getLoc();
  mlir::Value zero = mlir::arith::ConstantIndexOp::create(builder, location, 0);
  mlir::Value one = mlir::arith::ConstantIndexOp::create(builder, location, 1);
  for (auto [from, to] : {std::pair<mlir::Value, mlir::Value>{zero, begin}, {end, rows.limit}}) {
    auto fill = scf::ForOp::create(builder, location, from, to, one);
    mlir::OpBuilder inner = mlir::OpBuilder::atBlockBegin(fill.getBody());
    mlir::IRMapping mapping;
    mapping.map(rows.item, fill.getInductionVar());
    inner.clone(*sum.fill, mapping);
  }
}

/// Makes one chunk alone do a step.
void ChunkRows::doOnce(mlir::Operation *step) {
  const mlir::Value chunk = boundNumber(getOperation(), BindAttr::get(&getContext(), BindKind::Chunk));
  mlir::OpBuilder builder(step);
  mlir::Value zero = mlir::arith::ConstantIndexOp::create(builder, step->getLoc(), 0);
  mlir::Value isFirst =
      mlir::arith::CmpIOp::create(builder, step->getLoc(), mlir::arith::CmpIPredicate::eq, chunk, zero);
  auto branch = scf::IfOp::create(builder, step->getLoc(), isFirst, /*withElseRegion=*/false);
  step->moveBefore(branch.thenBlock()->getTerminator());
}

/// Cuts the loops that add to an output anywhere, so that chunks of them add to copies of the output.
void ChunkRows::cutSums(const BodySteps &steps, BindAttr items) {
  const std::optional<Accumulation> sum = matchAccumulation(getOperation(), steps, reassociate);
  if (!sum || sum->loops.front().items != items)
    return;
  llvm::SmallVector<mlir::Operation *> loops;
  for (const RowLoop &loop : sum->loops)
    loops.push_back(loop.loop);
  describe(items, loops, {}, sum->output, sum->isZeroed);
  const mlir::Value begin = boundNumber(getOperation(), items.as(BindKind::Begin)),
                    end = boundNumber(getOperation(), items.as(BindKind::End));
  if (sum->fill)
    fillOthers(*sum, begin, end);
  for (const RowLoop &loop : sum->loops)
    setBounds(loop, begin, end);
  llvm::for_each(sum->once, [&](mlir::Operation *step) { doOnce(step); });
}

/// Describes how an assembling body runs in chunks: loops over all rows have been cut already, those over roots not.
void ChunkRows::describeAssembly() {
  const llvm::SmallVector<dialect::OpenRunOp> runs(getOperation().getOps<dialect::OpenRunOp>());
  llvm::SmallVector<mlir::Operation *> loops;
  BindAttr items;
  // The entry adds up what is below the rows in the order of the loops.
  for (dialect::OpenRunOp run : llvm::reverse(runs))
    for (mlir::Operation &op : run.getNests().front().front())
      if (const dialect::RowLoopAttr rows = dialect::rowLoopOf(&op)) {
        loops.push_back(&op);
        items = rows.getItems();
      }
  if (items)
    return describe(items, loops);
  if (const std::optional<RunRows> cut = cutRuns(getOperation()))
    describe(BindAttr::get(cut->rows), cut->loops, cut->root);
}

/// The tensors in whose level 1 each row has a segment.
llvm::SmallVector<mlir::StringAttr> ChunkRows::rowsOf(llvm::ArrayRef<mlir::Operation *> loops) {
  llvm::SmallSetVector<mlir::StringAttr, 4> tensors;
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
  return llvm::to_vector(tensors.getArrayRef());
}

/// The extents of the loops inside that are over all of a dimension, except for loops that only fill it, which are
/// little work.
llvm::SmallVector<ExtentAttr> ChunkRows::denseExtents(llvm::ArrayRef<mlir::Operation *> loops) {
  llvm::SmallSetVector<ExtentAttr, 4> extents;
  for (mlir::Operation *outer : loops)
    outer->walk([&](scf::ForOp loop) {
      const ExtentAttr extent = loop == outer ? ExtentAttr() : extentOf(getOperation(), loop);
      const auto isLoad = [](memref::LoadOp) { return mlir::WalkResult::interrupt(); };
      if (extent && loop.walk(isLoad).wasInterrupted())
        extents.insert(extent);
    });
  return llvm::to_vector(extents.getArrayRef());
}

void ChunkRows::describe(BindAttr items, llvm::ArrayRef<mlir::Operation *> loops, llvm::StringRef root,
                         llvm::StringRef copies, bool zeroed) {
  const std::optional<int64_t> work = isSerial() ? INT64_MAX : dialect::scheduleOf(getOperation()).getChunk();
  const llvm::SmallVector<ExtentAttr> extents = denseExtents(loops);
  dialect::setChunks(getOperation(), dialect::ChunksAttr::get(&getContext(), items, root, rowsOf(loops), extents,
                                                              copies, zeroed, work));
  // Rows of dense operands can be prefetched, and what loops over entries read.
  const dialect::ScheduleAttr schedule = dialect::scheduleOf(getOperation());
  const bool streams = llvm::any_of(loops, [](mlir::Operation *outer) {
    return outer
        ->walk([](scf::ForOp loop) {
          return streamsOf(loop).empty() ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
        })
        .wasInterrupted();
  });
  if ((!extents.empty() || streams) && !schedule.getPrefetch() && !schedule.getTile())
    boundArgument(getOperation(), BindAttr::get(&getContext(), BindKind::Trial),
                  mlir::LLVM::LLVMPointerType::get(&getContext()));
}

} // namespace
} // namespace spc::transforms
