// Reductions of two values, and their identities.
#include "mlirgen/arithmetic.h"
#include "mlirgen/functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

#include <cmath>

namespace spc::mlirgen {

namespace arith = mlir::arith;
namespace complex = mlir::complex;
using mlir::Value;
using sema::Function;
using sema::ValueType;

Value combine(mlir::OpBuilder &builder, mlir::Location location, sema::Reduction reduction, ValueType type, Value a,
              Value b) {
  Arithmetic plain(builder, location, false);
  switch (reduction) {
  case sema::Reduction::Min:
    return emitCall(builder, location, Function::Min, type, {TypedValue{a, type}, TypedValue{b, type}});
  case sema::Reduction::Max:
    return emitCall(builder, location, Function::Max, type, {TypedValue{a, type}, TypedValue{b, type}});
  case sema::Reduction::Product:
  case sema::Reduction::All:
    return plain.multiply(type, a, b);
  default:
    return plain.add(type, a, b);
  }
}

mlir::Attribute identityAttribute(mlir::MLIRContext &context, sema::Reduction reduction, ValueType type) {
  mlir::Builder builder(&context);
  const bool isMin = reduction == sema::Reduction::Min, isExtreme = isMin || reduction == sema::Reduction::Max;
  const bool isOne = reduction == sema::Reduction::Product || reduction == sema::Reduction::All;
  const mlir::Type element = elementType(type, context);
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(element)) {
    const mlir::Type part = complex.getElementType();
    return builder.getArrayAttr({builder.getFloatAttr(part, isOne ? 1 : 0), builder.getFloatAttr(part, 0)});
  }
  if (sema::isFloat(type))
    return builder.getFloatAttr(element, isExtreme ? (isMin ? HUGE_VAL : -HUGE_VAL) : isOne ? 1 : 0);
  if (!isExtreme || type == ValueType::Bool)
    return builder.getIntegerAttr(element, isOne || (isExtreme && isMin) ? 1 : 0);
  return builder.getIntegerAttr(element, endOf(type, !isMin));
}

Value identityOf(mlir::OpBuilder &builder, mlir::Location location, sema::Reduction reduction, ValueType type) {
  const mlir::Attribute value = identityAttribute(*builder.getContext(), reduction, type);
  if (auto parts = mlir::dyn_cast<mlir::ArrayAttr>(value))
    return complex::ConstantOp::create(builder, location, elementType(type, *builder.getContext()), parts);
  return arith::ConstantOp::create(builder, location, mlir::cast<mlir::TypedAttr>(value));
}

} // namespace spc::mlirgen
