#include "dialect/dialect.h"
#include "transforms/passes.h"
#include "transforms/storage/bounded_indices.h"
#include "transforms/storage/tied_rows.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/index_chains.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

#define GEN_PASS_DEF_COMPUTETIES
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace sparse = mlir::sparse_tensor;
using mlir::Value;

/// A loop over the entries of one row of a tie, of which there is one at most.
struct RowLoop {
  scf::ForOp loop;
  TiedRow row;
};

/// Whether a result is assembled by rows of several coordinates, each of which is to have a loop of its own.
bool hasLongRows(mlir::func::FuncOp body) {
  return llvm::any_of(llvm::seq(body.getNumArguments()), [&](unsigned index) {
    const dialect::TensorAttr tensor = dialect::tensorOf(body, index);
    return tensor && tensor.getRun() && tensor.getRun().getRowOrder() > 1;
  });
}

class ComputeTies : public impl::ComputeTiesBase<ComputeTies> {
public:
  void runOnOperation() override;

private:
  mlir::LogicalResult replace(const RowLoop &found);
  void markColumns();

  llvm::SmallVector<ColumnInside> inside_;
};

/// Puts the inside of the loop in its place.
mlir::LogicalResult ComputeTies::replace(const RowLoop &found) {
  scf::ForOp loop = found.loop;
  const TiedRow &row = found.row;
  mlir::ImplicitLocOpBuilder ops(loop.getLoc(), loop);
  Value isPresent, column;
  if (!row.equation.getIsListed())
    column = columnOf(getOperation(), row, ops, isPresent);
  for (mlir::Operation *user : llvm::make_early_inc_range(loop.getInductionVar().getUsers())) {
    auto load = mlir::cast<memref::LoadOp>(user);
    if (load.getMemRef().getDefiningOp<sparse::ToValuesOp>()) {
      mlir::OpBuilder inside(load);
      load.replaceAllUsesWith(arith::ConstantIntOp::create(inside, load.getLoc(), load.getType(), 1).getResult());
      load.erase();
    } else if (column && mlir::failed(replaceChain(load, column))) {
      return mlir::failure();
    }
  }
  loop.getInductionVar().replaceAllUsesWith(row.place);
  for (auto [carried, initial] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    carried.replaceAllUsesWith(initial);
  mlir::Block *body = loop.getBody();
  if (column)
    inside_.push_back({comparisonOf(isPresent), {}});
  if (row.equation.getIsTotal()) {
    loop.replaceAllUsesWith(body->getTerminator()->getOperands());
    loop->getBlock()->getOperations().splice(loop->getIterator(), body->getOperations(), body->begin(),
                                             std::prev(body->end()));
  } else {
    const bool yields = loop.getNumResults() > 0;
    auto branch = scf::IfOp::create(ops, loop.getResultTypes(), isPresent, /*addThenBlock=*/true,
                                    /*addElseBlock=*/yields);
    if (column)
      inside_.back().branch = branch;
    branch.thenBlock()->getOperations().splice(branch.thenBlock()->begin(), body->getOperations());
    if (yields) {
      ops.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(ops, loop.getInitArgs());
    }
    loop.replaceAllUsesWith(branch.getResults());
  }
  loop.erase();
  return mlir::success();
}

/// Columns are within their extents. A column that another tie's row depends on has its sum when both are computed.
void ComputeTies::markColumns() {
  for (auto &[compare, branch] : inside_)
    BoundedIndices(getOperation())
        .mark({nullptr, 0, affineSum(compare.getLhs()), compare.getRhs()},
              branch ? branch.getOperation() : compare->getParentOp());
  inside_.clear();
}

void ComputeTies::runOnOperation() {
  mlir::func::FuncOp body = getOperation();
  if (body.isExternal() || hasLongRows(body))
    return;
  const bool seeks = seekTiedColumns(body, inside_);
  llvm::SmallVector<RowLoop> rows;
  body.walk([&](scf::ForOp loop) {
    const std::optional<TiedRow> row = tiedRowOf(body, loop.getLowerBound(), loop.getUpperBound());
    if (row && isOnlyLoadedAt(loop.getInductionVar(), row->tie) &&
        mlir::isa<scf::ForOp, scf::WhileOp, scf::IfOp>(loop->getParentOp()))
      rows.push_back({loop, *row});
  });
  if (rows.empty() && !seeks)
    return;
  for (const RowLoop &row : rows)
    if (mlir::failed(replace(row)))
      return signalPassFailure();
  markColumns();
  // Lists that nothing reads any more are not to become arguments.
  body.walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>([](mlir::Operation *op) {
    if (mlir::isOpTriviallyDead(op))
      op->erase();
  });
}

} // namespace

} // namespace spc::transforms
