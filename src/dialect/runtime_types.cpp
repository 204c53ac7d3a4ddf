#include "dialect/runtime_types.h"

#include "mlir/IR/BuiltinOps.h"

namespace LLVM = mlir::LLVM;

namespace spc::dialect {

mlir::Type scalarType(mlir::MLIRContext *context, runtime::Scalar kind) {
  switch (kind) {
  case runtime::Scalar::Void:
    return LLVM::LLVMVoidType::get(context);
  case runtime::Scalar::Int32:
    return mlir::IntegerType::get(context, 32);
  case runtime::Scalar::Int64:
    return mlir::IntegerType::get(context, 64);
  case runtime::Scalar::Pointer:
    return LLVM::LLVMPointerType::get(context);
  }
  llvm_unreachable("every kind is listed");
}

LLVM::LLVMFunctionType functionType(mlir::MLIRContext *context, const runtime::Function &function) {
  llvm::SmallVector<mlir::Type> parameters;
  for (unsigned k = 0; k < function.parameterCount; ++k)
    parameters.push_back(scalarType(context, function.parameters[k]));
  return LLVM::LLVMFunctionType::get(scalarType(context, function.result), parameters);
}

LLVM::LLVMFuncOp declareRuntime(mlir::ModuleOp module, const runtime::Function &function, mlir::Location where) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(function.symbol))
    return known;
  mlir::OpBuilder start = mlir::OpBuilder::atBlockBegin(module.getBody());
  auto declared = LLVM::LLVMFuncOp::create(start, where, function.symbol, functionType(module.getContext(), function));
  declared.setNoUnwind(true);
  return declared;
}

LLVM::CallOp callRuntime(mlir::OpBuilder &builder, mlir::Location where, const runtime::Function &function,
                         mlir::ValueRange arguments) {
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<mlir::ModuleOp>();
  return LLVM::CallOp::create(builder, where, declareRuntime(module, function, module.getLoc()), arguments);
}

} // namespace spc::dialect
