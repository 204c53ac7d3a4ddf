#include "transforms/util/body_arguments.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/Builders.h"

namespace spc::transforms {

ExtentAttr dimExtent(mlir::func::FuncOp body, unsigned index, unsigned dim) {
  const TensorAttr tensor = dialect::tensorOf(body, index);
  return tensor ? tensor.getExtent(dim) : ExtentAttr();
}

mlir::BlockArgument boundArgument(mlir::func::FuncOp body, BindAttr bind, mlir::Type type) {
  mlir::BlockArgument known = dialect::argumentWith(body, bind);
  return known ? known : dialect::addArgument(body, bind, type);
}

mlir::BlockArgument boundNumber(mlir::func::FuncOp body, BindAttr bind) {
  return boundArgument(body, bind, mlir::IndexType::get(body.getContext()));
}

BindAttr fieldOf(mlir::func::FuncOp body, unsigned index, BindKind kind, int64_t level) {
  return BindAttr::get(body.getContext(), kind, dialect::tensorOf(body, index).getSymbol(), level);
}

mlir::BlockArgument sizeArgument(mlir::func::FuncOp body, unsigned index, unsigned dim) {
  return boundNumber(body, BindAttr::get(dimExtent(body, index, dim)));
}

std::optional<int64_t> blocksOf(mlir::func::FuncOp body, mlir::Value bound, unsigned index, unsigned dim) {
  const BindAttr bind = dialect::bindOf(body, bound);
  const ExtentAttr extent = dimExtent(body, index, dim);
  return bind && extent && bind.getKind() == BindKind::Size ? extent.blockOf(bind.getExtent()) : std::nullopt;
}

mlir::LogicalResult requireTensors(mlir::func::FuncOp body, llvm::function_ref<bool(mlir::Type)> isNeeded) {
  if (!body.getBody().hasOneBlock())
    return body.emitOpError("has several blocks, and is no body of a kernel");
  for (unsigned index = 0; index < body.getNumArguments(); ++index) {
    const mlir::Type type = body.getArgument(index).getType();
    if (!isNeeded(type))
      continue;
    const TensorAttr tensor = dialect::tensorOf(body, index);
    const auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
    const size_t rank = shaped ? static_cast<size_t>(shaped.getRank()) : 0;
    if (!tensor || tensor.getExtents().size() != rank)
      return body.emitOpError() << "argument " << index << " of type " << type << " has no #spc.tensor with " << rank
                                << " extents";
  }
  return mlir::success();
}

bool isSparseTensor(mlir::Type type) {
  return mlir::isa<mlir::RankedTensorType>(type) && mlir::sparse_tensor::getSparseTensorEncoding(type);
}

mlir::LogicalResult eraseArgument(mlir::func::FuncOp body, unsigned index) {
  const mlir::BlockArgument argument = body.getArgument(index);
  if (!argument.use_empty())
    return argument.getUsers().begin()->emitError() << "uses argument " << index << ", of which nothing is left";
  return body.eraseArgument(index);
}

} // namespace spc::transforms
