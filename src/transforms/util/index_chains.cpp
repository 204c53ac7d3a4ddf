#include "transforms/util/index_chains.h"

#include "transforms/util/affine_sums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;

namespace {

bool isExtension(mlir::Operation *op) {
  return mlir::isa<arith::ExtUIOp, arith::ExtSIOp>(op);
}

arith::CmpIPredicate signedPredicate(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::ult:
    return arith::CmpIPredicate::slt;
  case arith::CmpIPredicate::ule:
    return arith::CmpIPredicate::sle;
  case arith::CmpIPredicate::ugt:
    return arith::CmpIPredicate::sgt;
  case arith::CmpIPredicate::uge:
    return arith::CmpIPredicate::sge;
  default:
    return predicate;
  }
}

bool isIndexCast(mlir::Operation *op) {
  return mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp>(op);
}

} // namespace

memref::LoadOp loadedIndex(mlir::Value value) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (auto load = mlir::dyn_cast<memref::LoadOp>(op))
      return load;
    if (!isIndexCast(op) && !isExtension(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

mlir::FailureOr<llvm::SmallVector<mlir::Value>> indexUses(memref::LoadOp load) {
  llvm::SmallVector<mlir::Value> indices;
  llvm::SmallVector<mlir::Operation *> open(load->getUsers().begin(), load->getUsers().end());
  while (!open.empty()) {
    mlir::Operation *user = open.pop_back_val();
    if (isIndexCast(user))
      indices.push_back(user->getResult(0));
    else if (isExtension(user))
      open.append(user->getUsers().begin(), user->getUsers().end());
    else
      return user->emitError("an element of an index array used other than as an index");
  }
  return indices;
}

mlir::LogicalResult replaceChain(memref::LoadOp load, mlir::Value index) {
  auto ends = indexUses(load);
  if (failed(ends))
    return mlir::failure();
  for (mlir::Value end : *ends) {
    mlir::Operation *op = end.getDefiningOp();
    end.replaceAllUsesWith(index);
    while (op && op != load && op->use_empty()) {
      mlir::Operation *source = op->getOperand(0).getDefiningOp();
      op->erase();
      op = source;
    }
  }
  load.erase();
  return mlir::success();
}

namespace {

/// Makes comparisons of a coordinate signed, through the minimum that merging loops choose.
void compareSigned(mlir::Value coordinate) {
  llvm::SmallVector<mlir::Value> open{coordinate};
  llvm::SmallPtrSet<mlir::Operation *, 4> seen;
  while (!open.empty())
    for (mlir::Operation *user : open.pop_back_val().getUsers()) {
      if (auto comparison = mlir::dyn_cast<arith::CmpIOp>(user))
        comparison.setPredicate(signedPredicate(comparison.getPredicate()));
      else if (mlir::isa<arith::SelectOp>(user) && seen.insert(user).second)
        open.push_back(user->getResult(0));
    }
}

} // namespace

mlir::LogicalResult makeSigned(memref::LoadOp load) {
  auto ends = indexUses(load);
  if (failed(ends))
    return mlir::failure();
  for (mlir::Value end : *ends) {
    mlir::Operation *cast = end.getDefiningOp();
    mlir::OpBuilder builder(cast);
    auto index = arith::IndexCastOp::create(builder, cast->getLoc(), builder.getIndexType(), load);
    end.replaceAllUsesWith(index);
    compareSigned(index);
    mlir::Operation *extension = cast->getOperand(0).getDefiningOp();
    cast->erase();
    if (extension != load && extension->use_empty())
      extension->erase();
  }
  return mlir::success();
}

mlir::Value predecessor(mlir::Value index) {
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (sum && mlir::isConstantIntValue(sum.getRhs(), 1))
    return sum.getLhs();
  if (sum && mlir::isConstantIntValue(sum.getLhs(), 1))
    return sum.getRhs();
  return {};
}

} // namespace spc::transforms
