// Functions of one float that an operation of MLIR computes each.
#pragma once

#include "sema/kernel.h"

#include "mlir/IR/Builders.h"

namespace spc::mlirgen {

/// The value of such a function, `floor` to `erf`, at the builder's place.
mlir::Value emitElementary(mlir::OpBuilder &builder, mlir::Location location, sema::Function function, mlir::Value x);

} // namespace spc::mlirgen
