#include "dialect/dialect.h"
#include "transforms/passes.h"
#include "transforms/storage/bounded_indices.h"
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
using dialect::TieAttr;
using mlir::Value;

/// A loop over the entries of one row of a tie, of which there is one at most.
struct TiedRow {
  scf::ForOp loop;
  mlir::BlockArgument tie;
  TieAttr equation;
  Value row; ///< the place of the row's pointer
};

bool isNext(Value next, Value first) {
  const std::optional<int64_t> low = mlir::getConstantIntValue(first), high = mlir::getConstantIntValue(next);
  return low && high ? *high == *low + 1 : predecessor(next) == first;
}

/// The level of columns.
unsigned lastLevel(mlir::BlockArgument tensor) {
  return static_cast<unsigned>(mlir::cast<mlir::RankedTensorType>(tensor.getType()).getRank() - 1);
}

/// The sparse argument whose pointers of its last level `load` is from; null where it is from something else.
mlir::BlockArgument pointedTensor(memref::LoadOp load) {
  auto positions = load ? load.getMemRef().getDefiningOp<sparse::ToPositionsOp>() : sparse::ToPositionsOp();
  const auto tensor = positions ? mlir::dyn_cast<mlir::BlockArgument>(positions.getTensor()) : mlir::BlockArgument();
  return tensor && positions.getLevel() == lastLevel(tensor) ? tensor : mlir::BlockArgument();
}

/// Whether all that is done with a position is to load what the tie holds there.
bool isOnlyLoadedAt(Value position, mlir::BlockArgument tie) {
  return llvm::all_of(position.getUsers(), [&](mlir::Operation *user) {
    auto load = mlir::dyn_cast<memref::LoadOp>(user);
    mlir::Operation *array = load ? load.getMemRef().getDefiningOp() : nullptr;
    if (auto coordinates = mlir::dyn_cast_or_null<sparse::ToCoordinatesOp>(array))
      return coordinates.getTensor() == tie && coordinates.getLevel() == lastLevel(tie);
    auto values = mlir::dyn_cast_or_null<sparse::ToValuesOp>(array);
    return values && values.getTensor() == tie && load.getType().isInteger();
  });
}

/// Whether another argument is read or written at the positions of the lists of `tensor`.
bool isFollowed(mlir::func::FuncOp body, llvm::StringRef tensor) {
  return llvm::any_of(llvm::seq(body.getNumArguments()), [&](unsigned index) {
    const dialect::TensorAttr other = dialect::tensorOf(body, index);
    return other && (other.getPatternOf() == tensor || other.getStructureOf() == tensor);
  });
}

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
  std::optional<TiedRow> tiedRowOf(scf::ForOp loop);
  Value columnOf(const TiedRow &row, mlir::ImplicitLocOpBuilder &ops, Value &isPresent);
  Value extentOf(const TiedRow &row);
  mlir::LogicalResult replace(const TiedRow &row);
};

std::optional<TiedRow> ComputeTies::tiedRowOf(scf::ForOp loop) {
  memref::LoadOp first = loadedIndex(loop.getLowerBound()), end = loadedIndex(loop.getUpperBound());
  const mlir::BlockArgument tie = pointedTensor(first);
  if (!tie || tie != pointedTensor(end) || !mlir::isa<scf::ForOp, scf::WhileOp, scf::IfOp>(loop->getParentOp()) ||
      !isNext(end.getIndices().front(), first.getIndices().front()))
    return {};
  const dialect::TensorAttr tensor = dialect::tensorOf(getOperation(), tie.getArgNumber());
  const TieAttr equation = tensor ? tensor.getTie() : TieAttr();
  if (!equation || !isOnlyLoadedAt(loop.getInductionVar(), tie) || isFollowed(getOperation(), tensor.getSymbol()))
    return {};
  return TiedRow{loop, tie, equation, first.getIndices().front()};
}

/// The number of the tie's columns.
Value ComputeTies::extentOf(const TiedRow &row) {
  return sizeArgument(getOperation(), row.tie.getArgNumber(), lastLevel(row.tie));
}

/// The column by the equation, and whether it is one.
Value ComputeTies::columnOf(const TiedRow &row, mlir::ImplicitLocOpBuilder &ops, Value &isPresent) {
  const auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(ops, value).getResult(); };
  const TieAttr equation = row.equation;
  Value column = row.row;
  if (equation.getSlope() != 1)
    column = arith::MulIOp::create(ops, column, number(equation.getSlope()));
  if (equation.getScalar()) {
    const Value scalar = boundNumber(getOperation(), equation.getScalar());
    column = equation.getIsSubtracted() ? arith::SubIOp::create(ops, column, scalar).getResult()
                                        : arith::AddIOp::create(ops, column, scalar).getResult();
  }
  // A position plus 1 would be taken for the end of a segment.
  if (equation.getConstant() != 0)
    column = arith::SubIOp::create(ops, column, number(-equation.getConstant()));
  Value isWhole;
  if (equation.getDivisor() > 1) {
    const Value divisor = number(equation.getDivisor());
    isWhole =
        arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, arith::RemSIOp::create(ops, column, divisor), number(0));
    column = arith::DivSIOp::create(ops, column, divisor);
  }
  isPresent = arith::CmpIOp::create(ops, arith::CmpIPredicate::ult, column, extentOf(row)); // none is negative
  if (isWhole)
    isPresent = arith::AndIOp::create(ops, isWhole, isPresent);
  return column;
}

/// Puts the inside of the loop in its place.
mlir::LogicalResult ComputeTies::replace(const TiedRow &row) {
  scf::ForOp loop = row.loop;
  mlir::ImplicitLocOpBuilder ops(loop.getLoc(), loop);
  Value isPresent, column;
  if (!row.equation.getIsListed())
    column = columnOf(row, ops, isPresent);
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
  loop.getInductionVar().replaceAllUsesWith(row.row);
  for (auto [carried, initial] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    carried.replaceAllUsesWith(initial);
  mlir::Block *body = loop.getBody();
  if (column) // which is within the extent here
    BoundedIndices(getOperation()).mark({nullptr, 0, affineSum(column), extentOf(row)}, loop);
  if (row.equation.getIsTotal()) {
    loop.replaceAllUsesWith(body->getTerminator()->getOperands());
    loop->getBlock()->getOperations().splice(loop->getIterator(), body->getOperations(), body->begin(),
                                             std::prev(body->end()));
  } else {
    const bool yields = loop.getNumResults() > 0;
    auto branch = scf::IfOp::create(ops, loop.getResultTypes(), isPresent, /*addThenBlock=*/true,
                                    /*addElseBlock=*/yields);
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

void ComputeTies::runOnOperation() {
  mlir::func::FuncOp body = getOperation();
  if (body.isExternal() || hasLongRows(body))
    return;
  llvm::SmallVector<TiedRow> rows;
  body.walk([&](scf::ForOp loop) {
    if (const std::optional<TiedRow> row = tiedRowOf(loop))
      rows.push_back(*row);
  });
  if (rows.empty())
    return;
  for (const TiedRow &row : rows)
    if (mlir::failed(replace(row)))
      return signalPassFailure();
  // Lists that nothing reads any more are not to become arguments.
  body.walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>([](mlir::Operation *op) {
    if (mlir::isOpTriviallyDead(op))
      op->erase();
  });
}

} // namespace

} // namespace spc::transforms
