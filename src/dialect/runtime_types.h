// The structs and functions of the runtime (runtime/contract.def) in the LLVM dialect.
#pragma once

#include "runtime/contract.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace spc::dialect {

mlir::Type scalarType(mlir::MLIRContext *context, runtime::Scalar kind);

mlir::LLVM::LLVMFunctionType functionType(mlir::MLIRContext *context, const runtime::Function &function);

/// Declares a function at the start of the module, once.
mlir::LLVM::LLVMFuncOp declareRuntime(mlir::ModuleOp module, const runtime::Function &function, mlir::Location where);

/// Calls a function of the runtime at the builder's place, in a module that then declares it.
mlir::LLVM::CallOp callRuntime(mlir::OpBuilder &builder, mlir::Location where, const runtime::Function &function,
                               mlir::ValueRange arguments);

/// One of the contract's structs, with its slots as fields: `runtime::RunSlot::keys` is the number of a field.
template <typename T> mlir::LLVM::LLVMStructType structType(mlir::MLIRContext *context) {
  llvm::SmallVector<mlir::Type> slots;
  for (unsigned slot = 0; slot < runtime::slotCount<T>; ++slot)
    slots.push_back(scalarType(context, runtime::slotKind<T>(slot)));
  return mlir::LLVM::LLVMStructType::getLiteral(context, slots);
}

} // namespace spc::dialect
