// Values that the lowering of runs builds again and again, where a builder stands. Private to this folder.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

inline mlir::Type pointerType(mlir::MLIRContext *context) {
  return mlir::LLVM::LLVMPointerType::get(context);
}

inline mlir::Value constant(mlir::ImplicitLocOpBuilder &ops, int64_t value) {
  return mlir::arith::ConstantOp::create(ops, ops.getI64IntegerAttr(value));
}

inline mlir::Value loadInt(mlir::ImplicitLocOpBuilder &ops, mlir::Value address) {
  return mlir::LLVM::LoadOp::create(ops, ops.getI64Type(), address);
}

inline mlir::Value loadPointer(mlir::ImplicitLocOpBuilder &ops, mlir::Value address) {
  return mlir::LLVM::LoadOp::create(ops, pointerType(ops.getContext()), address);
}

inline mlir::Value elementOf(mlir::ImplicitLocOpBuilder &ops, mlir::Type type, mlir::Value array,
                             mlir::LLVM::GEPArg number) {
  return ops.createOrFold<mlir::LLVM::GEPOp>(pointerType(ops.getContext()), type, array,
                                             llvm::ArrayRef<mlir::LLVM::GEPArg>{number});
}

inline mlir::ImplicitLocOpBuilder thenBuilder(mlir::ImplicitLocOpBuilder &ops, mlir::scf::IfOp branch) {
  return {ops.getLoc(), branch.getThenBodyBuilder(ops.getListener())};
}

} // namespace spc::transforms
