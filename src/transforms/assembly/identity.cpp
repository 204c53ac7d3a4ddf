#include "transforms/assembly/identity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

namespace spc::transforms {

namespace arith = mlir::arith;

mlir::Value identityConstant(mlir::ImplicitLocOpBuilder &ops, mlir::Type element, mlir::Attribute identity) {
  if (auto parts = mlir::dyn_cast_or_null<mlir::ArrayAttr>(identity))
    return mlir::complex::ConstantOp::create(ops, element, parts);
  if (identity)
    return arith::ConstantOp::create(ops, mlir::cast<mlir::TypedAttr>(identity));
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(element)) {
    const mlir::Attribute part = ops.getZeroAttr(complex.getElementType());
    return mlir::complex::ConstantOp::create(ops, complex, ops.getArrayAttr({part, part}));
  }
  return arith::ConstantOp::create(ops, ops.getZeroAttr(element));
}

} // namespace spc::transforms
