// Loads and stores of single elements.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <optional>

namespace spc::transforms {

/// A `memref.load` or a `memref.store`: `buffer[indices]`.
struct Access {
  mlir::Operation *op;
  mlir::Value buffer;
  mlir::ValueRange indices;

  bool isStore() const { return mlir::isa<mlir::memref::StoreOp>(op); }
};

/// The access that `op` makes; nullopt where it makes none.
std::optional<Access> accessOf(mlir::Operation *op);

/// Whether both access one element: the same buffer at indices that are equal as sums.
bool isSameElement(const Access &a, const Access &b);

/// The bytes that an element of `buffer` takes in memory.
int64_t elementBytes(mlir::Value buffer);

} // namespace spc::transforms
