#include "transforms/body_arguments.h"
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

/// The array load and its index behind `index_cast(extui(load array[x]))`, or null.
memref::LoadOp loadedIndex(mlir::Value value) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (auto load = mlir::dyn_cast<memref::LoadOp>(op))
      return load;
    if (!mlir::isa<mlir::arith::IndexCastOp, mlir::arith::IndexCastUIOp, mlir::arith::ExtUIOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

bool isSuccessor(mlir::Value next, mlir::Value value) {
  auto sum = next.getDefiningOp<mlir::arith::AddIOp>();
  return sum && ((sum.getLhs() == value && mlir::matchPattern(sum.getRhs(), mlir::m_One())) ||
                 (sum.getRhs() == value && mlir::matchPattern(sum.getLhs(), mlir::m_One())));
}

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

/// Whether no other iteration has the same `index`: the row itself, or a position between the pointers of something
/// owned. Pointers ascend, so segments of different parents are disjoint.
bool ChunkRows::isOwned(mlir::Value index, scf::ForOp rows) {
  if (index == rows.getInductionVar())
    return true;
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(index);
  auto segment = argument ? mlir::dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!segment || segment.getInductionVar() != index)
    return false;
  memref::LoadOp first = loadedIndex(segment.getLowerBound()), last = loadedIndex(segment.getUpperBound());
  return first && last && first.getMemRef() == last.getMemRef() && isPointersArray(getOperation(), first.getMemRef()) &&
         isSuccessor(last.getIndices().front(), first.getIndices().front()) &&
         isOwned(first.getIndices().front(), rows);
}

/// Whether in some dimension every access has the row's own index.
bool ChunkRows::accessesOwnSlices(mlir::Value buffer, llvm::ArrayRef<mlir::Operation *> accesses, scf::ForOp rows) {
  auto rank = mlir::cast<mlir::MemRefType>(buffer.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    auto isOwn = [&](mlir::Operation *access) {
      auto load = mlir::dyn_cast<memref::LoadOp>(access);
      mlir::ValueRange indices = load ? load.getIndices() : mlir::cast<memref::StoreOp>(access).getIndices();
      return rank == 1 ? isOwned(indices[dim], rows) : indices[dim] == rows.getInductionVar();
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
