// Values that the lowering of runs builds again and again, where a builder stands. Private to this folder.
#pragma once

#include "dialect/dialect.h"
#include "dialect/runtime_types.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
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

inline mlir::Value plusOne(mlir::ImplicitLocOpBuilder &ops, mlir::Value number) {
  return mlir::arith::AddIOp::create(ops, number, constant(ops, 1));
}

inline mlir::LLVM::CallOp call(mlir::ImplicitLocOpBuilder &ops, const runtime::Function &function,
                               mlir::ValueRange arguments) {
  return dialect::callRuntime(ops, ops.getLoc(), function, arguments);
}

/// What values are arrays of: a complex number is two of its parts, side by side.
inline mlir::Type wordPart(mlir::Type element) {
  auto complex = mlir::dyn_cast<mlir::ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

/// The bytes of a run's keys.
inline unsigned keyBytes(dialect::RunType type) {
  return type.getKey().getIntOrFloatBitWidth() / 8;
}

/// The bytes of a run's values; 0 where it has none.
inline unsigned valueBytes(dialect::RunType type) {
  const mlir::Type value = type.getValue();
  if (!value)
    return 0;
  return wordPart(value).getIntOrFloatBitWidth() / 8 * (mlir::isa<mlir::ComplexType>(value) ? 2 : 1);
}

} // namespace spc::transforms
