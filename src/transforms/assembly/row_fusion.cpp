#include "transforms/assembly/row_fusion.h"

#include "dialect/attributes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <set>

namespace spc::transforms {

namespace memref = mlir::memref;
namespace scf = mlir::scf;

scf::ForOp asRowLoop(mlir::Operation *op) {
  auto loop = mlir::dyn_cast<scf::ForOp>(op);
  const dialect::LoopAttr planned = loop ? dialect::plannedLoopOf(loop) : dialect::LoopAttr();
  return planned && planned.getIsRow() && planned.getLists().empty() ? loop : scf::ForOp();
}

/// Moves what the later loop does into the first one. What it needs comes before both.
static mlir::LogicalResult fuse(scf::ForOp first, scf::ForOp later, llvm::SmallVectorImpl<RowNest> &laterNests) {
  for (mlir::Operation &op :
       llvm::make_early_inc_range(llvm::make_range(std::next(first->getIterator()), later->getIterator()))) {
    if (op.getNumRegions() > 0 || !(mlir::isMemoryEffectFree(&op) || mlir::isa<memref::LoadOp>(op)))
      return op.emitError("the loops over an assembled output's rows have something between them");
    op.moveBefore(first);
  }
  mlir::Block &body = *first.getBody(), &moved = *later.getBody();
  later.getInductionVar().replaceAllUsesWith(first.getInductionVar());
  moved.getTerminator()->erase();
  if (!moved.empty())
    laterNests.push_back({&moved.front(), &moved.back()});
  body.getOperations().splice(body.getTerminator()->getIterator(), moved.getOperations());
  later.erase();
  return mlir::success();
}

mlir::LogicalResult fuseRowLoops(mlir::Value buffer, mlir::Operation *&first, mlir::Operation *&last,
                                 llvm::SmallVectorImpl<RowNest> &laterNests) {
  llvm::SmallVector<scf::ForOp> loops;
  std::set<int64_t> nests;
  for (mlir::Operation &op : llvm::make_range(first->getIterator(), std::next(last->getIterator()))) {
    const auto isInside = [&](mlir::Operation *user) { return op.isProperAncestor(user); };
    if (op.getNumRegions() == 0 || llvm::none_of(buffer.getUsers(), isInside))
      continue;
    loops.push_back(asRowLoop(&op));
    const dialect::PlaceAttr place = dialect::placeOf(&op);
    nests.insert(place ? place.getNest() : -1);
  }
  if (nests.size() < 2) // loops over listed rows may be a merge and what it leaves
    return mlir::success();
  if (llvm::is_contained(loops, scf::ForOp()))
    return first->emitError("the terms of an assembled output's run have loops that are not over all rows");
  for (scf::ForOp later : llvm::drop_begin(loops))
    if (mlir::failed(fuse(loops.front(), later, laterNests)))
      return mlir::failure();
  first = last = loops.front();
  return mlir::success();
}

} // namespace spc::transforms
