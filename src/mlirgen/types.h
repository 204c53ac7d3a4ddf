// Tensor types of the kernel's arguments: storage formats as sparse_tensor encodings.
#pragma once

#include "sema/kernel.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

namespace spc::mlirgen {

/// f32 or f64.
mlir::FloatType floatType(sema::ValueType type, mlir::MLIRContext &context);

/// tensor<?x?xT> by dimension, without an encoding.
mlir::RankedTensorType denseType(const sema::Tensor &tensor, mlir::MLIRContext &context);

/// tensor<?x?xT, #sparse_tensor.encoding<...>> for the tensor's format, one dimension a level: MLIR sees the levels as
/// the tensor's dimensions, so that blocks and diagonals need no map that it would have to invert. COO becomes
/// compressed(nonunique), then singletons, each with an array of its own (soa).
mlir::RankedTensorType sparseType(const sema::Tensor &tensor, mlir::MLIRContext &context);

/// The dense view, by level, through which an output that shares a pattern is written.
mlir::RankedTensorType standInType(const sema::Tensor &tensor, mlir::MLIRContext &context);

} // namespace spc::mlirgen
