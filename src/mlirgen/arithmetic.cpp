#include "mlirgen/arithmetic.h"

#include "dialect/attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

#include <cmath>

namespace spc::mlirgen {

namespace arith = mlir::arith;
namespace complex = mlir::complex;
namespace sparse = mlir::sparse_tensor;
using mlir::Value;
using sema::ValueType;

mlir::Type elementType(ValueType type, mlir::MLIRContext &context) {
  switch (type) {
  case ValueType::F16:
    return mlir::Float16Type::get(&context);
  case ValueType::BF16:
    return mlir::BFloat16Type::get(&context);
  case ValueType::F32:
    return mlir::Float32Type::get(&context);
  case ValueType::F64:
    return mlir::Float64Type::get(&context);
  case ValueType::CF32:
    return mlir::ComplexType::get(mlir::Float32Type::get(&context));
  case ValueType::CF64:
    return mlir::ComplexType::get(mlir::Float64Type::get(&context));
  default:
    return mlir::IntegerType::get(&context, 8 * sema::bytesOf(type));
  }
}

llvm::APInt endOf(ValueType type, bool isLeast) {
  const auto bits = static_cast<unsigned>(8 * sema::bytesOf(type));
  if (type == ValueType::Bool)
    return {bits, isLeast ? 0u : 1u};
  if (sema::isUnsigned(type))
    return isLeast ? llvm::APInt::getZero(bits) : llvm::APInt::getMaxValue(bits);
  return isLeast ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getSignedMaxValue(bits);
}

/// `rewrite(value)`, for stored entries only.
Value Arithmetic::perEntry(Value value, mlir::Type result, Rewrite rewrite) {
  if (!inSparseTerm_)
    return rewrite(value);
  auto op = sparse::UnaryOp::create(builder_, location_, result, value);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *present = builder_.createBlock(&op.getPresentRegion(), {}, {value.getType()}, {location_});
  sparse::YieldOp::create(builder_, location_, rewrite(present->getArgument(0)));
  return op.getResult();
}

Value opaqueZero(mlir::OpBuilder &builder, mlir::Location location, Value integer) {
  const Value one = arith::ConstantOp::create(builder, location, builder.getIntegerAttr(integer.getType(), 1));
  const Value even = arith::ShLIOp::create(builder, location, integer, one);
  return arith::AndIOp::create(builder, location, even, one);
}

Value selectWithoutBranch(mlir::OpBuilder &builder, mlir::Location location, Value condition, Value yes, Value no,
                          Value zero) {
  const mlir::Type type = yes.getType();
  if (!zero || !(type.isF32() || type.isF64()))
    return arith::SelectOp::create(builder, location, condition, yes, no);
  const mlir::Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
  const auto bitsOf = [&](Value value) { return arith::BitcastOp::create(builder, location, bits, value); };
  const Value none = arith::ConstantOp::create(builder, location, builder.getIntegerAttr(bits, 0));
  const Value hidden = type.isF32() ? arith::TruncIOp::create(builder, location, bits, zero).getResult() : zero;
  const Value first = arith::SelectOp::create(builder, location, condition, bitsOf(yes), none);
  const Value second = arith::SelectOp::create(builder, location, condition, none, bitsOf(no));
  // As one choice it would be of what is loaded, and that a branch again.
  const Value apart = arith::XOrIOp::create(builder, location, first, hidden);
  return arith::BitcastOp::create(builder, location, type,
                                  arith::OrIOp::create(builder, location, apart, second).getResult());
}

Value Arithmetic::constant(ValueType type, double value) {
  const mlir::Type element = elementType(type, *builder_.getContext());
  if (auto complexType = mlir::dyn_cast<mlir::ComplexType>(element)) {
    auto part = [&](double number) { return builder_.getFloatAttr(complexType.getElementType(), number); };
    return complex::ConstantOp::create(builder_, location_, element, builder_.getArrayAttr({part(value), part(0)}));
  }
  if (sema::isFloat(type))
    return arith::ConstantOp::create(builder_, location_, builder_.getFloatAttr(element, value));
  if (std::isinf(value)) {
    const llvm::APInt end = endOf(type, value < 0);
    return arith::ConstantOp::create(builder_, location_, builder_.getIntegerAttr(element, end));
  }
  const auto integer = static_cast<int64_t>(value);
  return arith::ConstantOp::create(builder_, location_, builder_.getIntegerAttr(element, integer));
}

Value Arithmetic::hide(Value value, Value zero) {
  auto type = mlir::dyn_cast<mlir::IntegerType>(value.getType());
  if (!type || !zero)
    return value;
  if (type.getWidth() < 64)
    zero = arith::TruncIOp::create(builder_, location_, type, zero);
  return arith::OrIOp::create(builder_, location_, value, zero);
}

Value Arithmetic::complexFrom(Value real, mlir::Type type) {
  return perEntry(real, type, [&](Value entry) -> Value {
    Value zero = arith::ConstantOp::create(builder_, location_, builder_.getFloatAttr(entry.getType(), 0));
    return complex::CreateOp::create(builder_, location_, type, entry, zero);
  });
}

Value Arithmetic::convertComplex(Value value, mlir::Type type) {
  const mlir::Type part = mlir::cast<mlir::ComplexType>(type).getElementType();
  return perEntry(value, type, [&](Value entry) -> Value {
    Value real = convertFloat(complex::ReOp::create(builder_, location_, entry), part);
    Value imaginary = convertFloat(complex::ImOp::create(builder_, location_, entry), part);
    return complex::CreateOp::create(builder_, location_, type, real, imaginary);
  });
}

Value Arithmetic::convertFloat(Value value, mlir::Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder_, location_, type, value);
  return arith::TruncFOp::create(builder_, location_, type, value);
}

Value Arithmetic::convertInteger(Value value, ValueType from, mlir::Type type) {
  const bool isUnsigned = from == ValueType::Bool || sema::isUnsigned(from);
  if (mlir::isa<mlir::FloatType>(type))
    return isUnsigned ? arith::UIToFPOp::create(builder_, location_, type, value).getResult()
                      : arith::SIToFPOp::create(builder_, location_, type, value).getResult();
  const unsigned have = value.getType().getIntOrFloatBitWidth(), want = type.getIntOrFloatBitWidth();
  if (have == want)
    return value;
  if (have > want)
    return arith::TruncIOp::create(builder_, location_, type, value);
  return isUnsigned ? arith::ExtUIOp::create(builder_, location_, type, value).getResult()
                    : arith::ExtSIOp::create(builder_, location_, type, value).getResult();
}

Value Arithmetic::convert(Value value, ValueType from, ValueType to) {
  if (from == to)
    return value;
  const mlir::Type type = elementType(to, *builder_.getContext());
  if (sema::isComplex(from))
    return convertComplex(value, type);
  if (sema::isComplex(to)) {
    const ValueType part = to == ValueType::CF32 ? ValueType::F32 : ValueType::F64;
    return complexFrom(convert(value, from, part), type);
  }
  return sema::isFloat(from) ? convertFloat(value, type) : convertInteger(value, from, type);
}

Value Arithmetic::add(ValueType type, Value left, Value right) {
  if (sema::isComplex(type))
    return complex::AddOp::create(builder_, location_, left, right);
  if (sema::isFloat(type))
    return arith::AddFOp::create(builder_, location_, left, right);
  if (type == ValueType::Bool)
    return arith::OrIOp::create(builder_, location_, left, right);
  return arith::AddIOp::create(builder_, location_, left, right);
}

Value Arithmetic::subtract(ValueType type, Value left, Value right) {
  if (sema::isComplex(type))
    return complex::SubOp::create(builder_, location_, left, right);
  if (sema::isFloat(type))
    return arith::SubFOp::create(builder_, location_, left, right);
  return arith::SubIOp::create(builder_, location_, left, right);
}

Value Arithmetic::multiply(ValueType type, Value left, Value right) {
  if (sema::isComplex(type))
    return complex::MulOp::create(builder_, location_, left, right);
  if (sema::isFloat(type))
    return arith::MulFOp::create(builder_, location_, left, right);
  if (type == ValueType::Bool)
    return arith::AndIOp::create(builder_, location_, left, right);
  return arith::MulIOp::create(builder_, location_, left, right);
}

Value Arithmetic::wherePresent(Value left, Value right, mlir::Type result, Combination combination) {
  if (!inSparseTerm_)
    return combination(left, right);
  auto op = sparse::BinaryOp::create(builder_, location_, result, left, right);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *overlap =
      builder_.createBlock(&op.getOverlapRegion(), {}, {left.getType(), right.getType()}, {location_, location_});
  sparse::YieldOp::create(builder_, location_, combination(overlap->getArgument(0), overlap->getArgument(1)));
  return op.getResult();
}

Value Arithmetic::divide(ValueType type, Value numerator, Value divisor) {
  return wherePresent(numerator, divisor, numerator.getType(), [&](Value a, Value b) -> Value {
    return sema::isComplex(type) ? complex::DivOp::create(builder_, location_, a, b).getResult()
                                 : arith::DivFOp::create(builder_, location_, a, b).getResult();
  });
}

/// A complex number with each part combined with a real one.
template <typename Op>
static Value eachPart(mlir::OpBuilder &builder, mlir::Location location, Value number, Value real) {
  const auto combined = [&](Value part) { return Op::create(builder, location, part, real).getResult(); };
  const Value first = combined(complex::ReOp::create(builder, location, number));
  const Value second = combined(complex::ImOp::create(builder, location, number));
  return complex::CreateOp::create(builder, location, number.getType(), first, second);
}

Value Arithmetic::scale(Value number, Value factor) {
  return wherePresent(number, factor, number.getType(),
                      [&](Value z, Value real) { return eachPart<arith::MulFOp>(builder_, location_, z, real); });
}

Value Arithmetic::divideParts(Value number, Value divisor) {
  return wherePresent(number, divisor, number.getType(),
                      [&](Value z, Value real) { return eachPart<arith::DivFOp>(builder_, location_, z, real); });
}

Value Arithmetic::isZero(ValueType type, Value value) {
  if (sema::isComplex(type)) {
    const ValueType part = type == ValueType::CF32 ? ValueType::F32 : ValueType::F64;
    return arith::AndIOp::create(builder_, location_, isZero(part, complex::ReOp::create(builder_, location_, value)),
                                 isZero(part, complex::ImOp::create(builder_, location_, value)));
  }
  return sema::isFloat(type)
             ? arith::CmpFOp::create(builder_, location_, arith::CmpFPredicate::OEQ, value, constant(type, 0))
                   .getResult()
             : arith::CmpIOp::create(builder_, location_, arith::CmpIPredicate::eq, value, constant(type, 0));
}

Value Arithmetic::oneAtZeros(ValueType type, Value divisor, ValueType entryType, Value entry) {
  return wherePresent(entry, divisor, divisor.getType(), [&](Value element, Value own) -> Value {
    return arith::SelectOp::create(builder_, location_, isZero(entryType, element), constant(type, 1), own);
  });
}

/// An integer is multiplied: the sparsifier takes 0 - x for a sum, which would visit missing entries.
Value Arithmetic::negate(ValueType type, Value value) {
  if (sema::isComplex(type))
    return complex::NegOp::create(builder_, location_, value);
  if (sema::isFloat(type))
    return arith::NegFOp::create(builder_, location_, value);
  return multiply(type, value, constant(type, -1));
}

Value Arithmetic::conjugate(Value value) {
  return perEntry(value, value.getType(), [&](Value entry) -> Value {
    const Value real = complex::ReOp::create(builder_, location_, entry);
    const Value imaginary = complex::ImOp::create(builder_, location_, entry);
    return complex::CreateOp::create(builder_, location_, entry.getType(), real,
                                     arith::NegFOp::create(builder_, location_, imaginary));
  });
}

Value Arithmetic::multiplyByCount(ValueType type, Value value, Value count) {
  const Value number = arith::IndexCastOp::create(builder_, location_, builder_.getI64Type(), count);
  const Value none = arith::ConstantOp::create(builder_, location_, builder_.getI64IntegerAttr(0));
  const Value isEmpty = arith::CmpIOp::create(builder_, location_, arith::CmpIPredicate::eq, number, none);
  Value product = value; // of a bool: or-ing it with itself changes nothing
  if (type != ValueType::Bool) {
    Arithmetic plain(builder_, location_, false);
    const Value factor = plain.convert(number, ValueType::U64, sema::partOf(type));
    product = sema::isComplex(type) ? plain.scale(value, factor) : plain.multiply(type, value, factor);
  }
  return arith::SelectOp::create(builder_, location_, isEmpty, constant(type, 0), product);
}

Value Arithmetic::repeat(ValueType type, Value value, Value count) {
  return perEntry(value, value.getType(), [&](Value entry) { return multiplyByCount(type, entry, count); });
}

void Arithmetic::markFactor(Value factor) {
  if (auto conversion = factor.getDefiningOp<arith::UIToFPOp>())
    dialect::markMask(conversion);
}

Value Arithmetic::zeroPerEntry(Value entry, ValueType from, ValueType to) {
  const auto zeroOf = [&](Value value) { return opaqueZero(builder_, location_, value); };
  return convert(perEntry(entry, entry.getType(), zeroOf), from, to);
}

Value Arithmetic::keepIf(ValueType type, llvm::function_ref<Value()> condition, Value value) {
  return perEntry(value, value.getType(), [&](Value entry) -> Value {
    return arith::SelectOp::create(builder_, location_, condition(), entry, constant(type, 0));
  });
}

} // namespace spc::mlirgen
