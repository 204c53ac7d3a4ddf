#include "transforms/parallel/diagonals.h"
#include "transforms/passes.h"
#include "transforms/util/access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

#define GEN_PASS_DEF_BLOCKDIAGONALS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using dialect::BindAttr;
using dialect::BindKind;
using mlir::Operation;
using mlir::Value;

constexpr int64_t kBlockBytes = 16 << 10; ///< of an output's rows: half of a small first-level cache
constexpr int64_t kLeastRows = 16;

class BlockDiagonals : public impl::BlockDiagonalsBase<BlockDiagonals> {
public:
  void runOnOperation() override {
    mlir::func::FuncOp body = getOperation();
    if (body.isExternal())
      return;
    llvm::SmallVector<Diagonals> found;
    for (Operation &op : body.getBody().front())
      if (std::optional<Diagonals> diagonals = matchDiagonals(body, &op))
        found.push_back(*diagonals);
    for (const Diagonals &diagonals : found)
      block(diagonals);
  }

private:
  scf::ForOp fillBefore(const Diagonals &diagonals, Value begin, Value end);
  Value rowsOfBlock(mlir::ImplicitLocOpBuilder &ops, const Diagonals &diagonals);
  void block(const Diagonals &diagonals);
};

/// The loop right before the diagonals that fills what they add to, from `begin`, where that is null from 0, to `end`;
/// null where there is none.
scf::ForOp BlockDiagonals::fillBefore(const Diagonals &diagonals, Value begin, Value end) {
  scf::ForOp positions = diagonals.positions;
  auto fill = mlir::dyn_cast_or_null<scf::ForOp>(positions->getPrevNode());
  const auto isFirst = [&](Value bound) { return begin ? bound == begin : mlir::isConstantIntValue(bound, 0); };
  if (!fill || fill.getNumResults() > 0 || !isFirst(fill.getLowerBound()) || fill.getUpperBound() != end)
    return {};
  const auto fillsRow = [&](Operation *op) {
    auto store = mlir::dyn_cast<memref::StoreOp>(op);
    if (!store)
      return mlir::isa<scf::ForOp, scf::YieldOp>(op);
    const bool isOwn = llvm::is_contained(store.getIndices(), fill.getInductionVar());
    return isOwn && llvm::any_of(store.getMemRef().getUsers(), [&](Operation *user) {
             return mlir::isa<memref::StoreOp>(user) && positions->isAncestor(user);
           });
  };
  const auto look = [&](Operation *op) {
    return fillsRow(op) ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  };
  return fill->walk(look).wasInterrupted() ? scf::ForOp() : fill;
}

/// How many rows of what is written stay in the first-level cache.
Value BlockDiagonals::rowsOfBlock(mlir::ImplicitLocOpBuilder &ops, const Diagonals &diagonals) {
  scf::ForOp positions = diagonals.positions, rows = diagonals.rows;
  Value bytes;
  rows->walk([&](memref::StoreOp store) {
    Value row = arith::ConstantIndexOp::create(ops, elementBytes(store.getMemRef()));
    for (auto loop = store->getParentOfType<scf::ForOp>(); loop != rows; loop = loop->getParentOfType<scf::ForOp>())
      if (positions.isDefinedOutsideOfLoop(loop.getUpperBound()))
        row = arith::MulIOp::create(ops, row, loop.getUpperBound());
    bytes = bytes ? arith::AddIOp::create(ops, bytes, row).getResult() : row;
  });
  Value atLeast = arith::MaxUIOp::create(ops, bytes, arith::ConstantIndexOp::create(ops, 1));
  Value fitting = arith::DivUIOp::create(ops, arith::ConstantIndexOp::create(ops, kBlockBytes), atLeast);
  return arith::MaxUIOp::create(ops, fitting, arith::ConstantIndexOp::create(ops, kLeastRows));
}

void BlockDiagonals::block(const Diagonals &diagonals) {
  mlir::func::FuncOp body = getOperation();
  scf::ForOp positions = diagonals.positions;
  const auto size = BindAttr::get(diagonals.extent);
  Value begin = dialect::argumentWith(body, size.as(BindKind::Begin));
  Value end = dialect::argumentWith(body, begin ? size.as(BindKind::End) : size);
  scf::ForOp fill = fillBefore(diagonals, begin, end);
  mlir::OpBuilder builder(positions);
  mlir::ImplicitLocOpBuilder ops(positions.getLoc(), builder);
  if (!begin)
    begin = arith::ConstantIndexOp::create(ops, 0);
  auto blocks = scf::ForOp::create(ops, begin, end, rowsOfBlock(ops, diagonals));
  ops.setInsertionPointToStart(blocks.getBody());
  Value first = blocks.getInductionVar();
  Value last = arith::MinSIOp::create(ops, arith::AddIOp::create(ops, first, blocks.getStep()), end);
  Operation *yield = blocks.getBody()->getTerminator();
  if (fill) {
    fill->moveBefore(yield);
    fill.setLowerBound(first);
    fill.setUpperBound(last);
  }
  positions->moveBefore(yield);
  narrowBounds(diagonals.rows, first, last);
  for (scf::ForOp inner : {fill, positions})
    if (inner)
      dialect::removeRowLoop(inner);
}

} // namespace
} // namespace spc::transforms
