// The arrays of the operands of merged loops. Private to this folder.
#pragma once

#include "format/format.h"

#include "mlir/IR/Builders.h"

namespace spc::mlirgen {

/// The arrays of an operand, by level; null where a level has none. A dense tensor has its buffer alone.
struct Arrays {
  llvm::SmallVector<mlir::Value> positions, coordinates;
  mlir::Value values;
};

/// `tensor`: null of a scalar, which has no arrays. Emits at the builder's place.
Arrays arraysOf(mlir::Value tensor, const format::Format &format, mlir::OpBuilder &builder, mlir::Location location);

/// An element of an array of positions or coordinates, as an index.
mlir::Value loadIndex(mlir::Value array, mlir::Value at, mlir::OpBuilder &builder, mlir::Location location);

} // namespace spc::mlirgen
