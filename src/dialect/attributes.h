// The attributes of the dialect `spc` (SpcAttributes.td), and where they stand: on functions that are bodies of a
// kernel and on their arguments. They are verified there (attributes.cpp).
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "dialect/SpcEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/SpcAttributes.h.inc"

namespace spc::dialect {

/// What argument `index` of a body holds; null where nothing is said yet.
BindAttr bindOf(mlir::FunctionOpInterface body, unsigned index);
/// The same of a value; null where it is no argument of `body`.
BindAttr bindOf(mlir::FunctionOpInterface body, mlir::Value value);
/// The argument that holds `bind`, or null.
mlir::BlockArgument argumentWith(mlir::FunctionOpInterface body, BindAttr bind);
void setBind(mlir::FunctionOpInterface body, unsigned index, BindAttr bind);
/// Adds an argument that holds `bind` at the end.
mlir::BlockArgument addArgument(mlir::FunctionOpInterface body, BindAttr bind, mlir::Type type);

/// What `loop` is recorded as: a loop over the rows of a body; null for any other operation.
RowLoopAttr rowLoopOf(mlir::Operation *loop);
void setRowLoop(mlir::Operation *loop, RowLoopAttr rows);

} // namespace spc::dialect
