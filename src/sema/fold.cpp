#include "sema/fold.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace spc::sema {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of 0, which is exact in every library: nothing else is certain to the last digit.
std::optional<double> ofZero(Function function) {
  switch (function) {
  case Function::Exp:
  case Function::Exp2:
  case Function::Cos:
  case Function::Cosh:
    return 1;
  case Function::Acos:
  case Function::Acosh:
    return std::nullopt;
  case Function::Sigmoid:
    return 0.5;
  default:
    return 0;
  }
}

/// Of an infinity, where the limit is exact (C, annex F).
std::optional<double> ofInfinity(Function function, double x) {
  switch (function) {
  case Function::Exp:
  case Function::Exp2:
    return x < 0 ? 0 : x;
  case Function::Sigmoid:
    return x < 0 ? 0 : 1;
  case Function::Expm1:
    return x < 0 ? -1 : x;
  case Function::Tanh:
  case Function::Erf:
    return x < 0 ? -1 : 1;
  case Function::Cbrt:
  case Function::Sinh:
  case Function::Asinh:
    return x;
  case Function::Cosh:
    return std::abs(x);
  case Function::Log:
  case Function::Log2:
  case Function::Log1p:
  case Function::Acosh:
    return x > 0 ? std::optional(x) : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<double> ofOne(Function function, double x) {
  switch (function) {
  case Function::Abs:
    return std::abs(x);
  case Function::Sign:
    return x > 0 ? 1 : x < 0 ? -1 : x;
  case Function::Relu:
    return std::max(x, 0.0);
  case Function::Floor:
    return std::floor(x);
  case Function::Ceil:
    return std::ceil(x);
  case Function::Trunc:
    return std::trunc(x);
  case Function::RoundEven:
    return std::nearbyint(x); // in the default mode
  case Function::Round:
    return std::round(x);
  case Function::Not:
    return x == 0 ? 1 : 0;
  case Function::Conj:
  case Function::Real:
    return x;
  case Function::Imag:
    return 0;
  case Function::Arg:
    return x < 0 || std::signbit(x) ? std::nullopt : std::optional(0.0);
  case Function::Sqrt: // correctly rounded
    return x >= 0 ? std::optional(std::sqrt(x)) : std::nullopt;
  case Function::Log:
  case Function::Log2:
    return x == 1 ? std::optional(0.0) : std::isinf(x) ? ofInfinity(function, x) : std::nullopt;
  default:
    return x == 0 ? ofZero(function) : std::isinf(x) ? ofInfinity(function, x) : std::nullopt;
  }
}

std::optional<double> ofTwo(Function function, double a, double b) {
  switch (function) {
  case Function::Equal:
  case Function::At:
  case Function::Once:
  case Function::Within:
    return a == b;
  case Function::NotEqual:
    return a != b;
  case Function::Less:
    return a < b;
  case Function::LessEqual:
    return a <= b;
  case Function::Greater:
    return a > b;
  case Function::GreaterEqual:
    return a >= b;
  case Function::Xor:
    return (a != 0) != (b != 0);
  case Function::Modulo:
    return b != 0 ? std::optional(std::fmod(a, b)) : std::nullopt;
  case Function::CopySign:
    return std::copysign(a, b);
  case Function::Complex:
    return b == 0 && !std::signbit(b) ? std::optional(a) : std::nullopt;
  case Function::Atan2:
    return a == 0 && b >= 0 && !std::signbit(b) ? std::optional(a) : std::nullopt;
  case Function::Pow:
    return a == 0 && b > 0 ? std::optional(0.0) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// An integer type's number as the bits of a 64-bit one.
uint64_t bitsOf(ValueType type, double number) {
  if (!std::isinf(number))
    return static_cast<uint64_t>(static_cast<int64_t>(number));
  const int bits = 8 * bytesOf(type) - (isUnsigned(type) ? 0 : 1);
  const uint64_t most = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return number > 0 ? most : isUnsigned(type) ? 0 : ~most;
}

/// The number whose lowest bits these are; nullopt where doubles do not hold it.
std::optional<double> fromBits(ValueType type, uint64_t number) {
  const int unused = 64 - 8 * bytesOf(type);
  number <<= unused;
  const auto asSigned = static_cast<int64_t>(number) >> unused;
  number = isUnsigned(type) ? number >> unused : static_cast<uint64_t>(asSigned);
  for (const bool isNegative : {false, true})
    if (number == bitsOf(type, isNegative ? -kInfinity : kInfinity))
      return infinityOf(type, isNegative);
  const double value = isUnsigned(type) ? static_cast<double>(number) : static_cast<double>(asSigned);
  return std::abs(value) <= kMaxExactInteger ? std::optional(value) : std::nullopt;
}

uint64_t wrapped(BinaryOp op, uint64_t left, uint64_t right) {
  return op == BinaryOp::Add ? left + right : op == BinaryOp::Sub ? left - right : left * right;
}

uint64_t remainder(ValueType type, uint64_t left, uint64_t right) {
  if (right == 0)
    return 0;
  if (isUnsigned(type))
    return left % right;
  const auto divisor = static_cast<int64_t>(right);
  return divisor == -1 ? 0 : static_cast<uint64_t>(static_cast<int64_t>(left) % divisor);
}

uint64_t quotient(ValueType type, uint64_t left, uint64_t right) {
  if (right == 0)
    return 0;
  if (isUnsigned(type))
    return left / right;
  const auto divisor = static_cast<int64_t>(right);
  return divisor == -1 ? 0 - left : static_cast<uint64_t>(static_cast<int64_t>(left) / divisor);
}

/// By a negative amount as by one that is too large: all bits are shifted out.
uint64_t shifted(Function function, ValueType type, uint64_t number, uint64_t amount) {
  const auto width = static_cast<uint64_t>(8 * bytesOf(type));
  if (function == Function::ShiftLeft)
    return amount < width ? number << amount : 0;
  if (isUnsigned(type))
    return amount < width ? number >> amount : 0;
  return static_cast<uint64_t>(static_cast<int64_t>(number) >> std::min(amount, width - 1));
}

/// The sum of two numbers that absorbs, by `absorbing`, or ends just before it and at the other end of the type.
std::optional<double> saturated(Function function, ValueType type, double left, double right) {
  const bool isMin = function == Function::MinPlus;
  const double absorbing = infinityOf(type, !isMin);
  if (left == absorbing || right == absorbing)
    return absorbing;
  const uint64_t a = bitsOf(type, left), b = bitsOf(type, right), sum = a + b;
  const uint64_t most = bitsOf(type, kInfinity) - (isMin ? 1 : 0), least = bitsOf(type, -kInfinity) + (isMin ? 0 : 1);
  if (isUnsigned(type))
    return fromBits(type, sum < a || sum > most ? most : std::max(sum, least));
  const auto whole = static_cast<int64_t>(sum);
  const bool isNegative = static_cast<int64_t>(a) < 0;
  if (isNegative == (static_cast<int64_t>(b) < 0) && isNegative != (whole < 0)) // beyond 64 bits
    return fromBits(type, isNegative ? least : most);
  return fromBits(type,
                  static_cast<uint64_t>(std::clamp(whole, static_cast<int64_t>(least), static_cast<int64_t>(most))));
}

/// Functions that are not those of floats at the ends of a type.
std::optional<double> ofIntegers(Function function, ValueType type, const std::vector<double> &arguments) {
  switch (function) {
  case Function::Abs:
    return arguments[0] < 0 ? foldNegate(type, arguments[0]) : arguments[0];
  case Function::Modulo:
    return fromBits(type, remainder(type, bitsOf(type, arguments[0]), bitsOf(type, arguments[1])));
  case Function::Divide:
    return fromBits(type, quotient(type, bitsOf(type, arguments[0]), bitsOf(type, arguments[1])));
  case Function::ShiftLeft:
  case Function::ShiftRight:
    return fromBits(type, shifted(function, type, bitsOf(type, arguments[0]), bitsOf(type, arguments[1])));
  case Function::BitAnd:
    return fromBits(type, bitsOf(type, arguments[0]) & bitsOf(type, arguments[1]));
  case Function::BitOr:
    return fromBits(type, bitsOf(type, arguments[0]) | bitsOf(type, arguments[1]));
  case Function::BitXor:
    return fromBits(type, bitsOf(type, arguments[0]) ^ bitsOf(type, arguments[1]));
  case Function::MinPlus:
  case Function::MaxPlus:
    return saturated(function, type, arguments[0], arguments[1]);
  default:
    return std::nullopt;
  }
}

/// Whether a half float holds a value as it is; subnormal ones are left out.
bool isHalf(ValueType type, double value) {
  if (value == 0 || !std::isfinite(value))
    return true;
  const int digits = type == ValueType::F16 ? 11 : 8, most = type == ValueType::F16 ? 15 : 127;
  const int exponent = std::ilogb(value);
  const double digitsOfValue = std::ldexp(value, digits - 1 - exponent);
  return exponent <= most && exponent > -most && digitsOfValue == std::trunc(digitsOfValue);
}

/// A result as its type holds it: integers wrap around, floats are rounded, anything but 0 is true.
std::optional<double> rounded(ValueType type, double value) {
  if (type == ValueType::Bool)
    return value != 0 ? 1 : 0;
  if (type == ValueType::F32 || type == ValueType::CF32)
    return static_cast<float>(value);
  if (type == ValueType::F16 || type == ValueType::BF16)
    return isHalf(type, value) ? std::optional(value) : std::nullopt;
  if (!isInteger(type))
    return value;
  if (std::isinf(value))
    return infinityOf(type, value < 0);
  return std::abs(value) <= kMaxExactInteger ? fromBits(type, bitsOf(type, value)) : std::nullopt;
}

} // namespace

double infinityOf(ValueType type, bool isNegative) {
  if (type == ValueType::Bool)
    return isNegative ? 0 : 1;
  return !isNegative ? kInfinity : isUnsigned(type) ? 0 : -kInfinity;
}

double identityOf(Reduction reduction, ValueType type) {
  switch (reduction) {
  case Reduction::Min:
    return infinityOf(type, false);
  case Reduction::Max:
    return infinityOf(type, true);
  case Reduction::Product:
  case Reduction::All:
    return 1;
  default:
    return 0;
  }
}

std::optional<double> fold(BinaryOp op, ValueType type, double left, double right) {
  if (isInteger(type))
    return op == BinaryOp::Div ? std::nullopt : fromBits(type, wrapped(op, bitsOf(type, left), bitsOf(type, right)));
  switch (op) {
  case BinaryOp::Add:
    return rounded(type, left + right);
  case BinaryOp::Sub:
    return rounded(type, left - right);
  case BinaryOp::Mul:
    return rounded(type, left * right);
  case BinaryOp::Div:
    return rounded(type, left / right);
  }
  return std::nullopt;
}

std::optional<double> foldNegate(ValueType type, double value) {
  return isInteger(type) ? fold(BinaryOp::Sub, type, 0, value) : rounded(type, -value);
}

std::optional<double> fold(Function function, ValueType type, const std::vector<double> &arguments) {
  if (function == Function::Min || function == Function::MinNumber)
    return *std::min_element(arguments.begin(), arguments.end());
  if (function == Function::Max || function == Function::MaxNumber)
    return *std::max_element(arguments.begin(), arguments.end());
  if (isInteger(type))
    if (const std::optional<double> value = ofIntegers(function, type, arguments))
      return value;
  const std::optional<double> value =
      arguments.size() == 1 ? ofOne(function, arguments[0]) : ofTwo(function, arguments[0], arguments[1]);
  return value ? rounded(type, *value) : value;
}

std::optional<double> foldCast(ValueType to, ValueType from, double value) {
  if (to == from)
    return value;
  if (isInteger(from) && isInteger(to))
    return fromBits(to, bitsOf(from, value));
  if (isInteger(from) && std::isinf(value)) // rounded as a conversion rounds it
    value = isUnsigned(from) ? static_cast<double>(bitsOf(from, value))
                             : static_cast<double>(static_cast<int64_t>(bitsOf(from, value)));
  if (isInteger(to)) {
    const double range = std::ldexp(1, 8 * bytesOf(to)), least = isUnsigned(to) ? 0 : -range / 2;
    const double whole = std::isinf(value) ? value : std::trunc(value);
    return whole >= least + range - 1 ? infinityOf(to, false)
           : whole <= least           ? infinityOf(to, true)
                                      : rounded(to, whole);
  }
  return rounded(to, value);
}

} // namespace spc::sema
