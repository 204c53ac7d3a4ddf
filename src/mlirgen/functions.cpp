#include "mlirgen/functions.h"

#include "mlirgen/arithmetic.h"
#include "mlirgen/elementary_functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <numbers>

namespace spc::mlirgen {
namespace {

namespace arith = mlir::arith;
namespace complex = mlir::complex;
namespace math = mlir::math;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using mlir::Value;
using sema::Function;
using sema::ValueType;

/// Calls with arguments of one type.
class FunctionEmitter {
public:
  FunctionEmitter(mlir::OpBuilder &builder, mlir::Location location, ValueType type)
      : builder_(builder), location_(location), type_(type), plain_(builder, location, false) {}

  Value constant(double value) { return plain_.constant(type_, value); }

  Value less(Value a, Value b) { return compare(Function::Less, a, b); }

  /// An i1.
  Value compare(Function function, Value a, Value b) {
    if (sema::isComplex(type_))
      return function == Function::Equal ? complex::EqualOp::create(builder_, location_, a, b).getResult()
                                         : complex::NotEqualOp::create(builder_, location_, a, b).getResult();
    if (sema::isFloat(type_))
      return arith::CmpFOp::create(builder_, location_, floatPredicate(function), a, b);
    return arith::CmpIOp::create(builder_, location_, integerPredicate(function), a, b);
  }

  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder_, location_, condition, a, b);
  }

  Value unary(Function function, Value x) {
    if (sema::isComplex(type_))
      return ofComplex(function, x);
    switch (function) {
    case Function::Conj:
    case Function::Real:
      return x;
    case Function::Imag:
      return constant(0);
    case Function::Arg:
      return atan2(constant(0), x);
    case Function::Abs:
      return absolute(x);
    case Function::Sign:
      return sign(x);
    case Function::Relu:
      return extreme(Function::Max, x, constant(0));
    case Function::Sigmoid:
      return plain_.divide(type_, constant(1),
                           plain_.add(type_, constant(1), create<math::ExpOp>(plain_.negate(type_, x))));
    case Function::Gelu: {
      const Value erf = create<math::ErfOp>(plain_.multiply(type_, x, constant(1 / std::numbers::sqrt2)));
      const Value half = plain_.multiply(type_, x, constant(0.5));
      return plain_.multiply(type_, half, plain_.add(type_, constant(1), erf));
    }
    default:
      return emitElementary(builder_, location_, function, x);
    }
  }

  Value binary(Function function, Value a, Value b) {
    switch (function) {
    case Function::Pow:
      return math::PowFOp::create(builder_, location_, a, b);
    case Function::Atan2:
      return atan2(a, b);
    case Function::CopySign:
      return math::CopySignOp::create(builder_, location_, a, b);
    case Function::MinNumber:
    case Function::MaxNumber:
      return extremeNumber(function == Function::MinNumber ? Function::Min : Function::Max, a, b);
    case Function::Divide:
      return divide(a, b);
    case Function::ShiftLeft:
    case Function::ShiftRight:
      return shift(function, a, b);
    case Function::BitAnd:
      return arith::AndIOp::create(builder_, location_, a, b);
    case Function::BitOr:
      return arith::OrIOp::create(builder_, location_, a, b);
    case Function::BitXor:
      return arith::XOrIOp::create(builder_, location_, a, b);
    case Function::Modulo:
      return modulo(a, b);
    case Function::MinPlus:
    case Function::MaxPlus:
      return absorbingSum(function == Function::MinPlus, a, b);
    default:
      return extreme(function, a, b);
    }
  }

  /// A float cut to an integer type.
  Value toInteger(Value x, ValueType to) {
    const int bits = 8 * sema::bytesOf(to);
    const bool isUnsigned = sema::isUnsigned(to);
    // Exact in every float type that holds the range at all; what lies beyond is chosen below.
    const double above = std::ldexp(1.0, isUnsigned ? bits : bits - 1), least = isUnsigned ? 0 : -above;
    const Value isAbove = compare(Function::GreaterEqual, x, constant(above));
    const Value isInside = arith::AndIOp::create(builder_, location_, compare(Function::Greater, x, constant(least)),
                                                 compare(Function::Less, x, constant(above)));
    const Value inside = select(isInside, x, constant(0));
    const mlir::Type type = elementType(to, *builder_.getContext());
    const Value whole = isUnsigned ? arith::FPToUIOp::create(builder_, location_, type, inside).getResult()
                                   : arith::FPToSIOp::create(builder_, location_, type, inside).getResult();
    const Value isBelow = compare(Function::LessEqual, x, constant(least));
    return select(isAbove, plain_.constant(to, HUGE_VAL), select(isBelow, plain_.constant(to, -HUGE_VAL), whole));
  }

private:
  /// MLIR folds the angle of two constant zeros to a NaN: it is +-0, or +-pi where the second is -0.
  Value atan2(Value y, Value x) {
    const auto isZero = [&](Value value) -> Value {
      return arith::CmpFOp::create(builder_, location_, CmpFPredicate::OEQ, value, constant(0));
    };
    const Value isOrigin = arith::AndIOp::create(builder_, location_, isZero(y), isZero(x));
    const Value one = math::CopySignOp::create(builder_, location_, constant(1), x);
    const Value isBehind = arith::CmpFOp::create(builder_, location_, CmpFPredicate::OLT, one, constant(0));
    const Value angle = arith::SelectOp::create(builder_, location_, isBehind, constant(std::numbers::pi), constant(0));
    const Value signedAngle = math::CopySignOp::create(builder_, location_, angle, y);
    const Value usual = math::Atan2Op::create(builder_, location_, y, x);
    return arith::SelectOp::create(builder_, location_, isOrigin, signedAngle, usual);
  }

  Value ofComplex(Function function, Value z) {
    const Value real = complex::ReOp::create(builder_, location_, z);
    const Value imaginary = complex::ImOp::create(builder_, location_, z);
    FunctionEmitter parts(builder_, location_, sema::partOf(type_));
    switch (function) {
    case Function::Real:
      return real;
    case Function::Imag:
      return imaginary;
    case Function::Conj:
      return plain_.conjugate(z);
    case Function::Arg:
      return parts.atan2(imaginary, real);
    default:
      return parts.hypotenuse(parts.absolute(real), parts.absolute(imaginary));
    }
  }

  /// Of two sizes, by their ratio, as their squares may be too large. Infinite where one is, whatever the other is.
  Value hypotenuse(Value a, Value b) {
    const Value most = greatest(a, b), ratio = plain_.divide(type_, least(a, b), most);
    const Value squares = plain_.add(type_, constant(1), plain_.multiply(type_, ratio, ratio));
    const Value size = plain_.multiply(type_, most, create<math::SqrtOp>(squares));
    const Value infinity = constant(HUGE_VAL);
    const Value isInfinite = arith::OrIOp::create(builder_, location_, compare(Function::Equal, a, infinity),
                                                  compare(Function::Equal, b, infinity));
    const Value isZero = compare(Function::Equal, most, constant(0));
    return select(isInfinite, infinity, select(isZero, most, size));
  }

  template <typename Op> Value create(Value x) { return Op::create(builder_, location_, x); }

  static CmpFPredicate floatPredicate(Function function) {
    switch (function) {
    case Function::Equal:
      return CmpFPredicate::OEQ;
    case Function::NotEqual:
      return CmpFPredicate::UNE;
    case Function::Less:
      return CmpFPredicate::OLT;
    case Function::LessEqual:
      return CmpFPredicate::OLE;
    case Function::Greater:
      return CmpFPredicate::OGT;
    default:
      return CmpFPredicate::OGE;
    }
  }

  bool isUnsigned() const { return type_ == ValueType::Bool || sema::isUnsigned(type_); }

  CmpIPredicate integerPredicate(Function function) const {
    switch (function) {
    case Function::Equal:
    case Function::At:
    case Function::Once:
    case Function::Within:
      return CmpIPredicate::eq;
    case Function::NotEqual:
      return CmpIPredicate::ne;
    case Function::Less:
      return isUnsigned() ? CmpIPredicate::ult : CmpIPredicate::slt;
    case Function::LessEqual:
      return isUnsigned() ? CmpIPredicate::ule : CmpIPredicate::sle;
    case Function::Greater:
      return isUnsigned() ? CmpIPredicate::ugt : CmpIPredicate::sgt;
    default:
      return isUnsigned() ? CmpIPredicate::uge : CmpIPredicate::sge;
    }
  }

  Value absolute(Value x) {
    if (sema::isFloat(type_))
      return create<math::AbsFOp>(x);
    return isUnsigned() ? x : select(less(x, constant(0)), plain_.negate(type_, x), x);
  }

  /// Of a zero or a NaN: itself.
  Value sign(Value x) {
    const Value nonPositive = isUnsigned() ? x : select(less(x, constant(0)), constant(-1), x);
    return select(less(constant(0), x), constant(1), nonPositive);
  }

  Value extreme(Function function, Value a, Value b) {
    const bool isMin = function == Function::Min;
    if (sema::isFloat(type_))
      return isMin ? arith::MinimumFOp::create(builder_, location_, a, b).getResult()
                   : arith::MaximumFOp::create(builder_, location_, a, b).getResult();
    if (isUnsigned())
      return isMin ? arith::MinUIOp::create(builder_, location_, a, b).getResult()
                   : arith::MaxUIOp::create(builder_, location_, a, b).getResult();
    return isMin ? arith::MinSIOp::create(builder_, location_, a, b).getResult()
                 : arith::MaxSIOp::create(builder_, location_, a, b).getResult();
  }

  Value least(Value a, Value b) { return extreme(Function::Min, a, b); }
  Value greatest(Value a, Value b) { return extreme(Function::Max, a, b); }

  /// The sum of two integers: the greatest number, or else the least, where either is that, any other sum kept from it
  /// and from wrapping around. The first addend is clamped to where nothing wraps around, which vectorises.
  Value absorbingSum(bool absorbsGreatest, Value a, Value b) {
    const auto number = [&](const llvm::APInt &value) -> Value {
      return arith::ConstantOp::create(builder_, location_, builder_.getIntegerAttr(a.getType(), value));
    };
    const llvm::APInt absorbing = endOf(type_, !absorbsGreatest);
    const Value most = number(endOf(type_, false) - (absorbsGreatest ? 1 : 0));
    const Value fewest = number(endOf(type_, true) + (absorbsGreatest ? 0 : 1));
    Value clamped = a;
    if (isUnsigned()) {
      clamped = least(a, plain_.subtract(type_, most, least(b, most)));
    } else {
      const Value up = plain_.subtract(type_, most, greatest(b, constant(0)));
      const Value down = plain_.subtract(type_, fewest, least(b, constant(0)));
      clamped = least(greatest(a, down), up);
    }
    const Value isAbsorbed = arith::OrIOp::create(builder_, location_, compare(Function::Equal, a, number(absorbing)),
                                                  compare(Function::Equal, b, number(absorbing)));
    // Not a choice of the sum: a reduction of it would be made conditional by LLVM, which does not vectorise that.
    const Value toAbsorbing = plain_.subtract(type_, number(absorbing), b);
    return plain_.add(type_, select(isAbsorbed, toAbsorbing, clamped), b);
  }

  /// Of floats, of which a NaN is no number: the other argument takes its place.
  Value extremeNumber(Function function, Value a, Value b) {
    if (!sema::isFloat(type_))
      return extreme(function, a, b);
    const auto orOther = [&](Value value, Value other) {
      return select(arith::CmpFOp::create(builder_, location_, CmpFPredicate::UNO, value, value), other, value);
    };
    return extreme(function, orOther(a, b), orOther(b, a));
  }

  Value isOneOf(Value x, llvm::ArrayRef<double> numbers) {
    Value isAny = compare(Function::Equal, x, constant(numbers.front()));
    for (const double number : numbers.drop_front())
      isAny = arith::OrIOp::create(builder_, location_, isAny, compare(Function::Equal, x, constant(number)));
    return isAny;
  }

  /// Towards 0; 0 where the divisor is 0. The machine traps on that, and on the least number by -1.
  Value divide(Value a, Value b) {
    const Value isZero = isOneOf(b, {0});
    if (isUnsigned()) {
      const Value by = select(isZero, constant(1), b);
      return select(isZero, constant(0), arith::DivUIOp::create(builder_, location_, a, by));
    }
    const Value isMinusOne = isOneOf(b, {-1});
    const Value by = select(arith::OrIOp::create(builder_, location_, isZero, isMinusOne), constant(1), b);
    const Value negated =
        select(isMinusOne, plain_.negate(type_, a), arith::DivSIOp::create(builder_, location_, a, by));
    return select(isZero, constant(0), negated);
  }

  /// Amounts are taken for unsigned: negative ones shift all bits out, as those do that are as large as the width.
  Value shift(Function function, Value a, Value amount) {
    const int width = 8 * sema::bytesOf(type_);
    const Value last = constant(width - 1);
    const Value within = arith::MinUIOp::create(builder_, location_, amount, last);
    if (function == Function::ShiftRight && !isUnsigned()) // the sign remains
      return arith::ShRSIOp::create(builder_, location_, a, within);
    const Value isWithin = arith::CmpIOp::create(builder_, location_, CmpIPredicate::ule, amount, last);
    const Value shifted = function == Function::ShiftLeft
                              ? arith::ShLIOp::create(builder_, location_, a, within).getResult()
                              : arith::ShRUIOp::create(builder_, location_, a, within).getResult();
    return select(isWithin, shifted, constant(0));
  }

  Value modulo(Value a, Value b) {
    if (sema::isFloat(type_))
      return arith::RemFOp::create(builder_, location_, a, b);
    // By 1 in these cases: the machine traps on them.
    const Value traps = isUnsigned() ? isOneOf(b, {0}) : isOneOf(b, {0, -1});
    const Value by = select(traps, constant(1), b);
    return isUnsigned() ? arith::RemUIOp::create(builder_, location_, a, by).getResult()
                        : arith::RemSIOp::create(builder_, location_, a, by).getResult();
  }

  mlir::OpBuilder &builder_;
  mlir::Location location_;
  ValueType type_;
  Arithmetic plain_;
};

/// A bool of the language from an i1.
Value asBool(mlir::OpBuilder &builder, mlir::Location location, Value condition) {
  return arith::ExtUIOp::create(builder, location, elementType(ValueType::Bool, *builder.getContext()), condition);
}

Value emitCast(mlir::OpBuilder &builder, mlir::Location location, ValueType to, TypedValue from) {
  if (to == from.type)
    return from.value;
  if (to == ValueType::Bool)
    return asBool(builder, location, isTrue(builder, location, from));
  if (sema::isFloat(from.type) && sema::isInteger(to))
    return FunctionEmitter(builder, location, from.type).toInteger(from.value, to);
  return Arithmetic(builder, location, false).convert(from.value, from.type, to);
}

Value emitLogic(mlir::OpBuilder &builder, mlir::Location location, Function function,
                llvm::ArrayRef<TypedValue> arguments) {
  const Value first = isTrue(builder, location, arguments.front());
  if (function == Function::Not) {
    const Value one = arith::ConstantOp::create(builder, location, builder.getBoolAttr(true));
    return arith::XOrIOp::create(builder, location, first, one);
  }
  const Value second = isTrue(builder, location, arguments.back());
  if (function == Function::Xor)
    return arith::XOrIOp::create(builder, location, first, second);
  return function == Function::And ? arith::AndIOp::create(builder, location, first, second).getResult()
                                   : arith::OrIOp::create(builder, location, first, second).getResult();
}

} // namespace

Value isTrue(mlir::OpBuilder &builder, mlir::Location location, TypedValue value) {
  FunctionEmitter emitter(builder, location, value.type);
  return emitter.compare(Function::NotEqual, value.value, emitter.constant(0));
}

Value emitCall(mlir::OpBuilder &builder, mlir::Location location, Function function, ValueType type,
               llvm::ArrayRef<TypedValue> arguments) {
  FunctionEmitter emitter(builder, location, arguments.front().type);
  switch (function) {
  case Function::Equal:
  case Function::At:
  case Function::Once:
  case Function::Within:
  case Function::NotEqual:
  case Function::Less:
  case Function::LessEqual:
  case Function::Greater:
  case Function::GreaterEqual:
    return asBool(builder, location, emitter.compare(function, arguments[0].value, arguments[1].value));
  case Function::And:
  case Function::Or:
  case Function::Xor:
  case Function::Not:
    return asBool(builder, location, emitLogic(builder, location, function, arguments));
  case Function::Select:
    return emitter.select(isTrue(builder, location, arguments[0]), arguments[1].value, arguments[2].value);
  case Function::Cast:
    return emitCast(builder, location, type, arguments.front());
  case Function::Complex:
    return complex::CreateOp::create(builder, location, elementType(type, *builder.getContext()), arguments[0].value,
                                     arguments[1].value);
  default:
    break;
  }
  if (arguments.size() == 1)
    return emitter.unary(function, arguments.front().value);
  Value result = arguments.front().value;
  for (const TypedValue &argument : arguments.drop_front())
    result = emitter.binary(function, result, argument.value);
  return result;
}

} // namespace spc::mlirgen
