// The value of an assembled output's element before it gets one. Private to this folder.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

/// The constant `identity` (of a complex type an array of two numbers), or 0 of the type `element` where it is null.
mlir::Value identityConstant(mlir::ImplicitLocOpBuilder &ops, mlir::Type element, mlir::Attribute identity);

} // namespace spc::transforms
