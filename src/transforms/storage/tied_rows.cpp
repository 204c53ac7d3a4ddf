#include "transforms/storage/tied_rows.h"

#include "transforms/util/body_arguments.h"
#include "transforms/util/index_chains.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace sparse = mlir::sparse_tensor;
using dialect::TieAttr;
using mlir::Value;

namespace {

bool isNext(Value next, Value first) {
  const std::optional<int64_t> low = mlir::getConstantIntValue(first), high = mlir::getConstantIntValue(next);
  return low && high ? *high == *low + 1 : predecessor(next) == first;
}

/// The level of columns.
unsigned lastLevel(mlir::BlockArgument tensor) {
  return static_cast<unsigned>(mlir::cast<mlir::RankedTensorType>(tensor.getType()).getRank() - 1);
}

/// Whether another argument is read or written at the positions of the lists of `tensor`.
bool isFollowed(mlir::func::FuncOp body, llvm::StringRef tensor) {
  return llvm::any_of(llvm::seq(body.getNumArguments()), [&](unsigned index) {
    const dialect::TensorAttr other = dialect::tensorOf(body, index);
    return other && (other.getPatternOf() == tensor || other.getStructureOf() == tensor);
  });
}

} // namespace

mlir::BlockArgument pointedTensor(memref::LoadOp load) {
  auto positions = load ? load.getMemRef().getDefiningOp<sparse::ToPositionsOp>() : sparse::ToPositionsOp();
  const auto tensor = positions ? mlir::dyn_cast<mlir::BlockArgument>(positions.getTensor()) : mlir::BlockArgument();
  return tensor && positions.getLevel() == lastLevel(tensor) ? tensor : mlir::BlockArgument();
}

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

std::optional<TiedRow> tiedRowOf(mlir::func::FuncOp body, Value begin, Value end) {
  memref::LoadOp first = loadedIndex(begin), next = loadedIndex(end);
  const mlir::BlockArgument tie = pointedTensor(first);
  if (!tie || tie != pointedTensor(next) || !isNext(next.getIndices().front(), first.getIndices().front()))
    return {};
  const dialect::TensorAttr tensor = dialect::tensorOf(body, tie.getArgNumber());
  const TieAttr equation = tensor ? tensor.getTie() : TieAttr();
  if (!equation || isFollowed(body, tensor.getSymbol()))
    return {};
  return TiedRow{tie, equation, first.getIndices().front()};
}

Value columnsOf(mlir::func::FuncOp body, const TiedRow &row) {
  return sizeArgument(body, row.tie.getArgNumber(), lastLevel(row.tie));
}

Value columnOf(mlir::func::FuncOp body, const TiedRow &row, mlir::ImplicitLocOpBuilder &ops, Value &isPresent) {
  const auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(ops, value).getResult(); };
  const TieAttr equation = row.equation;
  Value column = row.place;
  if (equation.getSlope() != 1)
    column = arith::MulIOp::create(ops, column, number(equation.getSlope()));
  if (equation.getScalar()) {
    const Value scalar = boundNumber(body, equation.getScalar());
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
  isPresent = arith::CmpIOp::create(ops, arith::CmpIPredicate::ult, column, columnsOf(body, row)); // none is negative
  if (isWhole)
    isPresent = arith::AndIOp::create(ops, isWhole, isPresent);
  return column;
}

arith::CmpIOp comparisonOf(Value isPresent) {
  if (auto both = isPresent.getDefiningOp<arith::AndIOp>())
    return both.getRhs().getDefiningOp<arith::CmpIOp>();
  return isPresent.getDefiningOp<arith::CmpIOp>();
}

} // namespace spc::transforms
