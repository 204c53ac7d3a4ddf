#include "sema/fold.h"

#include <algorithm>
#include <cmath>

namespace spc::sema {
namespace {

/// Of 0, which is exact in every library: nothing else is certain to the last digit.
std::optional<double> ofZero(Function function) {
  switch (function) {
  case Function::Exp:
  case Function::Cos:
    return 1;
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
  case Function::Sigmoid:
    return x < 0 ? 0 : function == Function::Exp ? x : 1;
  case Function::Expm1:
    return x < 0 ? -1 : x;
  case Function::Tanh:
  case Function::Erf:
    return x < 0 ? -1 : 1;
  case Function::Cbrt:
    return x;
  case Function::Log:
  case Function::Log1p:
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
  case Function::Round:
    return std::round(x);
  case Function::Not:
    return x == 0 ? 1 : 0;
  case Function::Sqrt: // correctly rounded
    return x >= 0 ? std::optional(std::sqrt(x)) : std::nullopt;
  case Function::Log:
    return x == 1 ? std::optional(0.0) : std::isinf(x) ? ofInfinity(function, x) : std::nullopt;
  default:
    return x == 0 ? ofZero(function) : std::isinf(x) ? ofInfinity(function, x) : std::nullopt;
  }
}

std::optional<double> ofTwo(Function function, double a, double b) {
  switch (function) {
  case Function::Equal:
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
  case Function::Atan2:
    return a == 0 && b == 0 && !std::signbit(b) ? std::optional(a) : std::nullopt;
  case Function::Pow:
    return a == 0 && b > 0 ? std::optional(0.0) : std::nullopt;
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<double> rounded(ValueType type, double value) {
  if (type == ValueType::Bool)
    return value != 0 ? 1 : 0;
  if (type == ValueType::F32 || type == ValueType::CF32)
    return static_cast<float>(value);
  if (type == ValueType::F16 || type == ValueType::BF16)
    return value == std::trunc(value) && std::abs(value) <= 256 ? std::optional(value) : std::nullopt;
  if (!isInteger(type))
    return value;
  if (!(std::abs(value) < kMaxExactInteger))
    return std::nullopt;
  const double range = std::ldexp(1, 8 * bytesOf(type)), least = isUnsigned(type) ? 0 : -range / 2;
  const double wrapped = value - range * std::floor((value - least) / range);
  return std::abs(wrapped) < kMaxExactInteger ? std::optional(wrapped) : std::nullopt;
}

double fold(BinaryOp op, double left, double right) {
  switch (op) {
  case BinaryOp::Add:
    return left + right;
  case BinaryOp::Sub:
    return left - right;
  case BinaryOp::Mul:
    return left * right;
  default:
    return left / right;
  }
}

std::optional<double> fold(Function function, ValueType type, const std::vector<double> &arguments) {
  std::optional<double> value;
  if (function == Function::Min)
    value = *std::min_element(arguments.begin(), arguments.end());
  else if (function == Function::Max)
    value = *std::max_element(arguments.begin(), arguments.end());
  else if (function == Function::Modulo && isInteger(type) && arguments[1] == 0)
    value = 0;
  else
    value = arguments.size() == 1 ? ofOne(function, arguments[0]) : ofTwo(function, arguments[0], arguments[1]);
  return value ? rounded(type, *value) : value;
}

std::optional<double> foldCast(ValueType to, ValueType from, double value) {
  if (isInteger(to) && isFloat(from)) {
    const double range = std::ldexp(1, 8 * bytesOf(to)), least = isUnsigned(to) ? 0 : -range / 2;
    value = std::clamp(std::trunc(value), least, least + range - 1);
  }
  return rounded(to, value);
}

} // namespace spc::sema
