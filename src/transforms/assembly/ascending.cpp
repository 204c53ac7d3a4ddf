#include "transforms/assembly/ascending.h"

#include "dialect/attributes.h"
#include "transforms/util/index_chains.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;

bool isLoop(mlir::Operation *op) {
  return mlir::isa<scf::ForOp, scf::WhileOp>(op);
}

mlir::Operation *loopDefining(Value value) {
  mlir::Operation *op = value.getParentBlock()->getParentOp();
  while (op && !isLoop(op))
    op = op->getParentOp();
  return op;
}

/// What a value that a merge carries along begins with, also of what the loop behind it begins with.
static Value beginOf(Value value) {
  const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (auto rest = argument ? mlir::dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
      rest && argument == rest.getInductionVar())
    value = rest.getLowerBound();
  auto merge = value.getDefiningOp<scf::WhileOp>();
  unsigned number = merge ? mlir::cast<mlir::OpResult>(value).getResultNumber() : 0;
  if (!merge && argument) {
    merge = mlir::dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
    number = argument.getArgNumber();
  }
  if (!merge)
    return value;
  const auto carried = mlir::dyn_cast<mlir::BlockArgument>(merge.getConditionOp().getArgs()[number]);
  return carried && carried.getOwner() == merge.getBeforeBody() ? merge.getInits()[carried.getArgNumber()] : value;
}

/// Whether a merge, or the rest that it leaves, steps with `position` through a segment of a list.
static bool isMerged(Value position) {
  const Value begin = beginOf(position);
  mlir::memref::LoadOp pointer = loadedIndex(begin);
  return begin != position && pointer && pointer.getMemRef().getDefiningOp<mlir::sparse_tensor::ToPositionsOp>();
}

/// Whether coordinates that are loaded from one array come in the order of the loop: all but those of ties at the
/// places of their rows.
static bool isInOrder(mlir::memref::LoadOp load) {
  auto list = load.getMemRef().getDefiningOp<mlir::sparse_tensor::ToCoordinatesOp>();
  const auto tensor = list ? mlir::dyn_cast<mlir::BlockArgument>(list.getTensor()) : mlir::BlockArgument();
  const auto body =
      tensor ? mlir::dyn_cast<mlir::func::FuncOp>(tensor.getOwner()->getParentOp()) : mlir::func::FuncOp();
  const dialect::TensorAttr listed = body ? dialect::tensorOf(body, tensor.getArgNumber()) : dialect::TensorAttr();
  return !listed || !listed.getTie() || isMerged(load.getIndices().back());
}

bool ascends(Value value, mlir::Operation *loop) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || loopDefining(value) != loop)
    return true;
  if (auto load = mlir::dyn_cast<mlir::memref::LoadOp>(op))
    return isInOrder(load);
  if (auto product = mlir::dyn_cast<arith::MulIOp>(op)) {
    const std::optional<int64_t> factor = mlir::getConstantIntValue(product.getRhs());
    return factor && *factor > 0 && ascends(product.getLhs(), loop);
  }
  if (auto difference = mlir::dyn_cast<arith::SubIOp>(op))
    return (mlir::getConstantIntValue(difference.getRhs()) || loopDefining(difference.getRhs()) != loop) &&
           ascends(difference.getLhs(), loop);
  if (mlir::isa<arith::AddIOp, arith::DivSIOp, arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
                arith::ExtSIOp>(op))
    return llvm::all_of(op->getOperands(), [&](Value operand) { return ascends(operand, loop); });
  return true;
}

} // namespace spc::transforms
