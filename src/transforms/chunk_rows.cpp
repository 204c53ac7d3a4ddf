#include "transforms/affine_sums.h"
#include "transforms/body_arguments.h"
#include "transforms/index_chains.h"
#include "transforms/passes.h"

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

bool isPointersArray(mlir::func::FuncOp body, mlir::Value array) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(array);
  return argument && argumentString(body, argument.getArgNumber(), kBind).contains(".pointers_");
}

class ChunkRows : public impl::ChunkRowsBase<ChunkRows> {
public:
  void runOnOperation() override {
    scf::ForOp rows = onlyLoop();
    llvm::StringRef extent = rows ? extentOf(rows) : llvm::StringRef();
    if (extent.empty() || !ownsItsOutputs(rows))
      return;
    mlir::Type index = mlir::IndexType::get(&getContext());
    rows.setLowerBound(boundArgument(getOperation(), ("begin(" + extent + ")").str(), index));
    rows.setUpperBound(boundArgument(getOperation(), ("end(" + extent + ")").str(), index));
  }

private:
  scf::ForOp onlyLoop();
  llvm::StringRef extentOf(scf::ForOp rows);
  bool ownsItsOutputs(scf::ForOp rows);
  bool isOwned(mlir::Value index, scf::ForOp rows);
  bool isOwnedValue(mlir::Value value, scf::ForOp rows);
  bool isOwnedSegment(scf::ForOp segment, scf::ForOp rows);
  bool dependsOnOwnedOnly(mlir::Value value, scf::ForOp rows);
  bool accessesOwnSlices(mlir::Value buffer, llvm::ArrayRef<mlir::Operation *> accesses, scf::ForOp rows);
};

/// The body's only operation with a side effect, where that is a loop without results.
scf::ForOp ChunkRows::onlyLoop() {
  scf::ForOp loop;
  for (mlir::Operation &op : getOperation().getBody().front().without_terminator()) {
    if (op.getNumRegions() == 0 && !mlir::hasEffect<mlir::MemoryEffects::Write>(&op))
      continue;
    if (loop || !mlir::isa<scf::ForOp>(op))
      return {};
    loop = mlir::cast<scf::ForOp>(op);
  }
  return loop && loop.getNumResults() == 0 ? loop : scf::ForOp();
}

/// The extent that the loop runs over from first to last, or empty.
llvm::StringRef ChunkRows::extentOf(scf::ForOp rows) {
  auto size = mlir::dyn_cast<mlir::BlockArgument>(rows.getUpperBound());
  if (!size || !mlir::matchPattern(rows.getLowerBound(), mlir::m_Zero()) ||
      !mlir::matchPattern(rows.getStep(), mlir::m_One()))
    return {};
  llvm::StringRef bind = argumentString(getOperation(), size.getArgNumber(), kBind);
  return bind.consume_front("size(") && bind.consume_back(")") ? bind : llvm::StringRef();
}

/// Whether no other iteration has the same `index`: of an owned value that many elements apart that the rest of the sum
/// stays in between.
bool ChunkRows::isOwned(mlir::Value index, scf::ForOp rows) {
  AffineSum sum = affineSum(index);
  for (auto [term, coefficient] : sum.terms)
    if (isOwnedValue(term, rows) && isBelow(sum.without(term), coefficient))
      return true;
  return false;
}

/// The row itself, or a position in the segment of something owned.
bool ChunkRows::isOwnedValue(mlir::Value value, scf::ForOp rows) {
  if (value == rows.getInductionVar())
    return true;
  scf::ForOp segment = loopOf(value);
  return segment && isOwnedSegment(segment, rows);
}

/// Pointers ascend, so segments of different parents are disjoint; so are computed ones.
bool ChunkRows::isOwnedSegment(scf::ForOp segment, scf::ForOp rows) {
  if (segment->hasAttr(kSegment))
    return dependsOnOwnedOnly(segment.getLowerBound(), rows);
  memref::LoadOp first = loadedIndex(segment.getLowerBound()), last = loadedIndex(segment.getUpperBound());
  return first && last && first.getMemRef() == last.getMemRef() && isPointersArray(getOperation(), first.getMemRef()) &&
         predecessor(last.getIndices().front()) == first.getIndices().front() &&
         isOwned(first.getIndices().front(), rows);
}

/// Whether of all that varies inside of `rows`, `value` is computed from owned values alone, so that its parent is one.
bool ChunkRows::dependsOnOwnedOnly(mlir::Value value, scf::ForOp rows) {
  bool varies = false;
  llvm::SmallVector<mlir::Value> open{value};
  while (!open.empty()) {
    mlir::Value next = open.pop_back_val();
    mlir::Operation *op = next.getDefiningOp();
    if (isOwnedValue(next, rows))
      varies = true;
    else if (op && rows->isAncestor(op) && mlir::isPure(op) && op->getNumRegions() == 0)
      open.append(op->operand_begin(), op->operand_end());
    else if (!rows.isDefinedOutsideOfLoop(next))
      return false;
  }
  return varies;
}

/// Whether in some dimension every access has the row's own index.
bool ChunkRows::accessesOwnSlices(mlir::Value buffer, llvm::ArrayRef<mlir::Operation *> accesses, scf::ForOp rows) {
  auto rank = mlir::cast<mlir::MemRefType>(buffer.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    auto isOwn = [&](mlir::Operation *access) {
      auto load = mlir::dyn_cast<memref::LoadOp>(access);
      mlir::ValueRange indices = load ? load.getIndices() : mlir::cast<memref::StoreOp>(access).getIndices();
      return isOwned(indices[dim], rows);
    };
    if (llvm::all_of(accesses, isOwn))
      return true;
  }
  return false;
}

bool ChunkRows::ownsItsOutputs(scf::ForOp rows) {
  llvm::MapVector<mlir::Value, llvm::SmallVector<mlir::Operation *>> accesses;
  llvm::SmallPtrSet<mlir::Value, 4> written;
  mlir::WalkResult result = rows.walk([&](mlir::Operation *op) {
    if (auto load = mlir::dyn_cast<memref::LoadOp>(op)) {
      accesses[load.getMemRef()].push_back(op);
    } else if (auto store = mlir::dyn_cast<memref::StoreOp>(op)) {
      accesses[store.getMemRef()].push_back(op);
      written.insert(store.getMemRef());
    } else if (op->getNumRegions() == 0 && !mlir::isMemoryEffectFree(op)) {
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  // A buffer that is also read before the loop would be read by every chunk.
  for (mlir::Value buffer : written)
    if (!llvm::all_of(buffer.getUsers(), [&](mlir::Operation *user) { return rows->isProperAncestor(user); }))
      return false;
  return !result.wasInterrupted() && !written.empty() &&
         llvm::all_of(written, [&](mlir::Value buffer) { return accessesOwnSlices(buffer, accesses[buffer], rows); });
}

} // namespace
} // namespace spc::transforms
