#include "transforms/util/body_arguments.h"

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

void eraseArgument(mlir::func::FuncOp body, unsigned index) {
  (void)body.eraseArgument(index);
}

} // namespace spc::transforms
