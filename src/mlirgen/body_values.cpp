#include "mlirgen/body_values.h"

#include "dialect/attributes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace spc::mlirgen {

BodyValues::BodyValues(const sema::Kernel &kernel, mlir::func::FuncOp function,
                       const std::vector<BodyArgument> &arguments, mlir::OpBuilder &builder)
    : kernel_(kernel), function_(function), builder_(builder), read_(kernel.tensors.size()),
      followers_(kernel.tensors.size()), written_(kernel.tensors.size()) {
  for (auto [argument, value] : llvm::zip(arguments, function.getArguments())) {
    switch (argument.role) {
    case ArgumentRole::Stored:
      read_[argument.tensor] = value;
      if (isWritten(argument, kernel))
        written_[argument.tensor] = value;
      break;
    case ArgumentRole::OutputProxy:
      written_[argument.tensor] = value;
      break;
    case ArgumentRole::RunProxy:
      runs_.push_back(value);
      break;
    case ArgumentRole::Follower:
      followers_[argument.tensor] = value;
      break;
    }
  }
}

mlir::Value BodyValues::read(sema::TensorId id) {
  const sema::Tensor &tensor = kernel_.tensors[id];
  if (!tensor.format.isDense())
    return read_[id];
  mlir::Value current = written_[id] ? written_[id] : read_[id];
  if (tensor.order() > 0 || isScalarOperand(tensor))
    return current;
  return mlir::tensor::ExtractOp::create(builder_, function_.getLoc(), current, mlir::ValueRange());
}

mlir::Value BodyValues::read(const sema::Operand &operand) {
  return operand.follows ? followers_[operand.tensor] : read(operand.tensor);
}

/// Whether dimension `k` of the tensor's type, by level of a sparse one, is as long as `extent`.
static bool hasExtent(const sema::Tensor &tensor, int k, sema::ExtentId extent) {
  if (tensor.format.isDense())
    return tensor.extents[k] == extent;
  const format::Level &level = tensor.format.levels[k];
  return level.part == format::Part::Whole && tensor.extents[level.dim] == extent;
}

mlir::Value BodyValues::extent(sema::ExtentId extent) {
  for (sema::TensorId id : kernel_.tensors.ids()) {
    const sema::Tensor &tensor = kernel_.tensors[id];
    mlir::Value argument = read_[id] ? read_[id] : written_[id];
    const int rank = tensor.format.isDense() ? tensor.order() : tensor.format.levelCount();
    for (int k = 0; argument && k < rank; ++k)
      if (hasExtent(tensor, k, extent))
        return mlir::tensor::DimOp::create(builder_, function_.getLoc(), argument, k);
  }
  const auto size =
      dialect::BindAttr::get(dialect::ExtentAttr::get(builder_.getContext(), kernel_.extents[extent].name));
  const mlir::BlockArgument known = dialect::argumentWith(function_, size);
  return known ? known : dialect::addArgument(function_, size, builder_.getIndexType());
}

llvm::SmallVector<mlir::Value> BodyValues::results(const std::vector<BodyArgument> &arguments) const {
  llvm::SmallVector<mlir::Value> results;
  for (const BodyArgument &argument : arguments)
    if (argument.role == ArgumentRole::RunProxy)
      results.push_back(runs_[argument.run]);
    else if (isWritten(argument, kernel_))
      results.push_back(written_[argument.tensor]);
  return results;
}

} // namespace spc::mlirgen
