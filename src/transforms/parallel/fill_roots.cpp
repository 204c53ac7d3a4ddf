#include "transforms/parallel/row_loops.h"
#include "transforms/passes.h"
#include "transforms/util/access.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/index_chains.h"
#include "transforms/util/loop_hints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

#define GEN_PASS_DEF_FILLROOTS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using dialect::RowLoopKind;
using mlir::Operation;
using mlir::Value;

/// A nest of loops at a body's top that stores one value in all rows of its outermost loop, and does nothing else.
struct Fill {
  scf::ForOp rows;
  Value buffer;
  unsigned dim; ///< the buffer's dimension that the rows are
};

std::optional<Fill> matchFill(scf::ForOp rows) {
  memref::StoreOp store;
  scf::ForOp loop = rows;
  while (!store) {
    if (loop.getNumResults() > 0 || !mlir::isConstantIntValue(loop.getStep(), 1) ||
        !rows.isDefinedOutsideOfLoop(loop.getUpperBound()))
      return std::nullopt;
    // The loop has one operation in it.
    Operation &inner = loop.getBody()->front();
    if (inner.getNextNode() != loop.getBody()->getTerminator())
      return std::nullopt;
    loop = mlir::dyn_cast<scf::ForOp>(inner);
    store = mlir::dyn_cast<memref::StoreOp>(inner);
    if (!loop && !store)
      return std::nullopt;
  }
  if (!mlir::isa<mlir::BlockArgument>(store.getMemRef()) || !rows.isDefinedOutsideOfLoop(store.getValueToStore()))
    return std::nullopt;
  const auto dim = llvm::find(store.getIndices(), rows.getInductionVar());
  if (dim == store.getIndices().end() || !rows.getInductionVar().hasOneUse())
    return std::nullopt;
  return Fill{rows, store.getMemRef(), unsigned(dim - store.getIndices().begin())};
}

class FillRoots : public impl::FillRootsBase<FillRoots> {
public:
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    llvm::SmallVector<Fill> fills;
    for (auto loop : getOperation().getBody().front().getOps<scf::ForOp>())
      if (std::optional<Fill> fill = matchFill(loop))
        fills.push_back(*fill);
    for (const Fill &fill : fills)
      if (std::optional<RowLoop> root = rootAfter(fill))
        move(fill, *root);
  }

private:
  std::optional<RowLoop> rootAfter(const Fill &fill);
  memref::LoadOp rowOf(Operation *user, unsigned dim, const RowLoop &root);
  void move(const Fill &fill, const RowLoop &positions);
  scf::ForOp cloneRows(mlir::OpBuilder &builder, const Fill &fill, Value from, Value to);
};

/// The load of the row that `user` accesses, where that is the coordinate at the root's own position; else null.
memref::LoadOp FillRoots::rowOf(Operation *user, unsigned dim, const RowLoop &root) {
  std::optional<Access> access = accessOf(user);
  if (!access)
    return {};
  memref::LoadOp row = loadedIndex(access->indices[dim]);
  const bool isOwn = row && row.getMemRef() == root.indices && row->getParentOp() == root.loop &&
                     row.getIndices().front() == root.item;
  return isOwn ? row : memref::LoadOp();
}

/// The loop over a compressed root that is the next to access what is filled, where its coordinates ascend and each
/// position accesses its own row; else nullopt.
std::optional<RowLoop> FillRoots::rootAfter(const Fill &fill) {
  Operation *next = nullptr;
  mlir::Block *block = fill.rows->getBlock();
  for (Operation *user : fill.buffer.getUsers()) {
    Operation *top = block->findAncestorOpInBlock(*user);
    if (top != fill.rows && fill.rows->isBeforeInBlock(top) && (!next || top->isBeforeInBlock(next)))
      next = top;
  }
  std::optional<RowLoop> root = next ? rowLoopOf(getOperation(), next) : std::nullopt;
  const unsigned number = mlir::cast<mlir::BlockArgument>(fill.buffer).getArgNumber();
  // Rows of another extent may lie outside of the buffer.
  if (!root || root->kind != RowLoopKind::Positions || !root->rows || next->getNumResults() > 0 ||
      root->rows != dimExtent(getOperation(), number, fill.dim))
    return std::nullopt;
  for (Operation *user : fill.buffer.getUsers())
    if (next->isAncestor(user) && !rowOf(user, fill.dim, *root))
      return std::nullopt;
  return root;
}

scf::ForOp FillRoots::cloneRows(mlir::OpBuilder &builder, const Fill &fill, Value from, Value to) {
  auto clone = mlir::cast<scf::ForOp>(builder.clone(*scf::ForOp(fill.rows).getOperation()));
  clone.setLowerBound(from);
  clone.setUpperBound(to);
  keepLoopAsItIs(clone); // LLVM would unroll its calls of memset
  return clone;
}

/// Replaces the root's loop by one that carries the first row that is not filled yet.
void FillRoots::move(const Fill &fill, const RowLoop &positions) {
  auto root = mlir::cast<scf::ForOp>(positions.loop);
  scf::ForOp rows = fill.rows;
  memref::LoadOp row;
  for (Operation *user : fill.buffer.getUsers())
    if (root->isAncestor(user))
      row = rowOf(user, fill.dim, positions);
  mlir::OpBuilder builder(root);
  auto loop = scf::ForOp::create(builder, root.getLoc(), root.getLowerBound(), root.getUpperBound(), root.getStep(),
                                 mlir::ValueRange{rows.getLowerBound()});
  loop->setDiscardableAttrs(root->getDiscardableAttrDictionary());
  loop.getBody()->clear();
  root.getBody()->getTerminator()->erase();
  root.getInductionVar().replaceAllUsesWith(loop.getInductionVar());
  loop.getBody()->getOperations().splice(loop.getBody()->end(), root.getBody()->getOperations());
  root.erase();

  mlir::ImplicitLocOpBuilder ops(loop.getLoc(), builder);
  row->moveBefore(loop.getBody(), loop.getBody()->begin());
  ops.setInsertionPointAfter(row);
  Value coordinate = arith::IndexCastUIOp::create(ops, ops.getIndexType(), row.getResult());
  Value after = arith::AddIOp::create(ops, coordinate, arith::ConstantIndexOp::create(ops, 1));
  Value next = loop.getRegionIterArg(0);
  cloneRows(ops, fill, next, after);
  ops.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(ops, mlir::ValueRange{arith::MaxSIOp::create(ops, next, after)});
  ops.setInsertionPointAfter(loop);
  cloneRows(ops, fill, loop.getResult(0), rows.getUpperBound());
  rows.erase();
}

} // namespace
} // namespace spc::transforms
