#include "transforms/util/body_arguments.h"

#include "mlir/IR/Builders.h"

namespace spc::transforms {

llvm::StringRef argumentString(mlir::func::FuncOp body, unsigned index, llvm::StringRef attribute) {
  auto value = body.getArgAttrOfType<mlir::StringAttr>(index, attribute);
  return value ? value.getValue() : llvm::StringRef();
}

ExtentAttr dimExtent(mlir::func::FuncOp body, unsigned index, unsigned dim) {
  auto extents = body.getArgAttrOfType<mlir::ArrayAttr>(index, kExtents);
  return extents && dim < extents.size() ? mlir::dyn_cast<ExtentAttr>(extents[dim]) : ExtentAttr();
}

LevelAttr levelOf(mlir::func::FuncOp body, unsigned index, unsigned level) {
  auto levels = body.getArgAttrOfType<mlir::ArrayAttr>(index, kLevels);
  return levels && level < levels.size() ? mlir::cast<LevelAttr>(levels[level]) : LevelAttr::get(body.getContext());
}

mlir::BlockArgument boundArgument(mlir::func::FuncOp body, BindAttr bind, mlir::Type type) {
  mlir::BlockArgument known = dialect::argumentWith(body, bind);
  return known ? known : dialect::addArgument(body, bind, type);
}

mlir::BlockArgument boundNumber(mlir::func::FuncOp body, BindAttr bind) {
  return boundArgument(body, bind, mlir::IndexType::get(body.getContext()));
}

BindAttr fieldOf(mlir::func::FuncOp body, unsigned index, BindKind kind, int64_t level) {
  return BindAttr::get(body.getContext(), kind, argumentString(body, index, kName), level);
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
