#include "transforms/passes.h"
#include "transforms/util/body_arguments.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace spc::transforms {

#define GEN_PASS_DEF_BINDBUFFERS
#include "transforms/Passes.h.inc"

namespace {

class BindBuffers : public impl::BindBuffersBase<BindBuffers> {
public:
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    mlir::func::FuncOp body = getOperation();
    mlir::LLVMTypeConverter types(&getContext());
    unsigned count = body.getNumArguments();
    for (unsigned index = 0; index < count; ++index)
      if (mlir::isa<mlir::MemRefType>(body.getArgument(index).getType()) && failed(bind(index, types)))
        return signalPassFailure();
  }

private:
  mlir::LogicalResult bind(unsigned index, mlir::LLVMTypeConverter &types);
  mlir::Value asInteger(mlir::OpBuilder &builder, mlir::Value index) {
    return mlir::arith::IndexCastOp::create(builder, getOperation().getLoc(), builder.getI64Type(), index);
  }
};

/// Replaces a memref argument by a pointer and a memref made from it. Its descriptor folds away in LLVM, since it is
/// built from values and never stored. Sparse arrays have no size of their own, and nothing asks for one.
mlir::LogicalResult BindBuffers::bind(unsigned index, mlir::LLVMTypeConverter &types) {
  mlir::func::FuncOp body = getOperation();
  mlir::BlockArgument argument = body.getArgument(index);
  auto type = mlir::cast<mlir::MemRefType>(argument.getType());
  const BindAttr bound = dialect::bindOf(body, index);
  const TensorAttr tensor = dialect::tensorOf(body, index);
  const mlir::FailureOr<unsigned> space = types.getMemRefAddressSpace(type);
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!bound || failed(space) || failed(type.getStridesAndOffset(strides, offset)) ||
      (tensor && tensor.getExtents().size() != strides.size()) || !types.convertType(type))
    return body.emitOpError() << "argument " << index << " of type " << type << " is bound to no array that it can be";
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&body.getBody().front());
  mlir::Location location = body.getLoc();

  auto descriptor = mlir::MemRefDescriptor::poison(builder, location, types.convertType(type));
  auto cast = mlir::UnrealizedConversionCastOp::create(builder, location, type, mlir::Value(descriptor));
  argument.replaceAllUsesWith(cast.getResult(0));
  argument.setType(mlir::LLVM::LLVMPointerType::get(&getContext(), *space));
  body.setArgAttr(index, "llvm.noalias", builder.getUnitAttr());

  builder.setInsertionPoint(cast);
  descriptor.setAllocatedPtr(builder, location, argument);
  descriptor.setAlignedPtr(builder, location, argument);
  descriptor.setConstantOffset(builder, location, 0);
  bool isDense = dimExtent(body, index, 0) != nullptr;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    mlir::Value size = isDense ? asInteger(builder, sizeArgument(body, index, dim))
                               : mlir::LLVM::ConstantOp::create(builder, location, builder.getI64IntegerAttr(0));
    descriptor.setSize(builder, location, dim, size);
    if (!mlir::ShapedType::isDynamic(strides[dim])) {
      descriptor.setConstantStride(builder, location, dim, strides[dim]);
      continue;
    }
    const auto stride = BindAttr::get(&getContext(), BindKind::Stride, bound.getSymbol(), dim);
    descriptor.setStride(builder, location, dim, asInteger(builder, boundNumber(body, stride)));
  }
  cast->setOperand(0, mlir::Value(descriptor));
  body.setType(mlir::FunctionType::get(&getContext(), body.getBody().getArgumentTypes(), {}));
  return mlir::success();
}

} // namespace
} // namespace spc::transforms
