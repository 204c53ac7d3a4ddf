#include "transforms/parallel/diagonals.h"

#include "transforms/util/access.h"
#include "transforms/util/walks.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

namespace memref = mlir::memref;
namespace scf = mlir::scf;

namespace {

/// The dimension of a stored buffer that the row indexes; nullopt where it indexes none.
std::optional<unsigned> rowDimension(memref::StoreOp store, scf::ForOp rows) {
  const auto index = llvm::find(store.getIndices(), rows.getInductionVar());
  return index == store.getIndices().end() ? std::nullopt : std::optional(unsigned(index - store.getIndices().begin()));
}

/// Whether no row accesses what another one writes.
bool ownsWhatItWrites(const Diagonals &diagonals) {
  scf::ForOp positions = diagonals.positions, rows = diagonals.rows;
  return holdsForAll(positions.getOperation(), [&](mlir::Operation *op) {
    auto store = mlir::dyn_cast<memref::StoreOp>(op);
    if (!store)
      return accessOf(op) || op->getNumRegions() > 0 || mlir::isMemoryEffectFree(op);
    const std::optional<unsigned> dim = rows->isAncestor(store) ? rowDimension(store, rows) : std::nullopt;
    return dim && llvm::all_of(store.getMemRef().getUsers(), [&](mlir::Operation *user) {
             const std::optional<Access> access = accessOf(user);
             return !positions->isAncestor(user) || (access && access->indices[*dim] == rows.getInductionVar());
           });
  });
}

} // namespace

std::optional<Diagonals> matchDiagonals(mlir::func::FuncOp body, mlir::Operation *op) {
  auto positions = mlir::dyn_cast<scf::ForOp>(op);
  const dialect::RowLoopAttr root = dialect::rowLoopOf(op);
  if (!positions || positions.getNumResults() > 0 || !root || root.getKind() != dialect::RowLoopKind::Positions)
    return std::nullopt;
  const llvm::SmallVector<scf::ForOp> inner(positions.getBody()->getOps<scf::ForOp>());
  if (inner.size() != 1)
    return std::nullopt;
  const dialect::LoopAttr planned = dialect::plannedLoopOf(inner.front());
  const bool isDense = planned && planned.getLists().empty();
  const Diagonals diagonals{positions, inner.front(), isDense ? planned.getExtent() : dialect::ExtentAttr()};
  // Rows without other bounds are those of a dense matrix.
  const bool isClipped = diagonals.extent && !extentOf(body, inner.front());
  return isClipped && ownsWhatItWrites(diagonals) ? std::optional(diagonals) : std::nullopt;
}

} // namespace spc::transforms
