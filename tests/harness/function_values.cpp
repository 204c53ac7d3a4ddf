#include "harness/function_values.h"

#include "harness/number_types.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spc::testing {

using language::Function;

namespace {

/// Hyperbolic and inverse functions, and what is left.
double ofOther(Function function, double x) {
  switch (function) {
  case Function::Sinh:
    return std::sinh(x);
  case Function::Cosh:
    return std::cosh(x);
  case Function::Asin:
    return std::asin(x);
  case Function::Acos:
    return std::acos(x);
  case Function::Atan:
    return std::atan(x);
  case Function::Asinh:
    return std::asinh(x);
  case Function::Acosh:
    return std::acosh(x);
  case Function::Atanh:
    return std::atanh(x);
  case Function::Conj:
  case Function::Real:
    return x;
  case Function::Imag:
    return 0;
  case Function::Arg:
    return std::isnan(x) ? x : std::signbit(x) ? std::acos(-1.0) : 0;
  default:
    return x == 0; // Not
  }
}

double unary(Function function, double x) {
  switch (function) {
  case Function::Abs:
    return std::fabs(x);
  case Function::Sign:
    return std::isnan(x) ? x : (0 < x) - (x < 0);
  case Function::Relu:
    return std::isnan(x) ? x : std::fmax(x, 0);
  case Function::Floor:
    return std::floor(x);
  case Function::Ceil:
    return std::ceil(x);
  case Function::Trunc:
    return std::trunc(x);
  case Function::RoundEven:
    return x - std::remainder(x, 1); // the remainder is that by the nearest, of two by the even one
  case Function::Round:
    return std::round(x);
  case Function::Sqrt:
    return std::sqrt(x);
  case Function::Cbrt:
    return std::cbrt(x);
  case Function::Exp:
    return std::exp(x);
  case Function::Exp2:
    return std::exp2(x);
  case Function::Expm1:
    return std::expm1(x);
  case Function::Log:
    return std::log(x);
  case Function::Log2:
    return std::log2(x);
  case Function::Log1p:
    return std::log1p(x);
  case Function::Sin:
    return std::sin(x);
  case Function::Cos:
    return std::cos(x);
  case Function::Tan:
    return std::tan(x);
  case Function::Tanh:
    return std::tanh(x);
  case Function::Erf:
    return std::erf(x);
  case Function::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case Function::Gelu:
    return 0.5 * x * std::erfc(-x * std::sqrt(0.5));
  default:
    return ofOther(function, x);
  }
}

double extreme(Function function, const std::vector<double> &arguments) {
  if (function == Function::MinNumber || function == Function::MaxNumber)
    return std::accumulate(arguments.begin(), arguments.end(), std::nan(""), [&](double a, double b) {
      return function == Function::MinNumber ? std::fmin(a, b) : std::fmax(a, b);
    });
  double result = arguments.front();
  for (double x : arguments) {
    if (std::isnan(x))
      return x;
    result = function == Function::Min ? std::fmin(result, x) : std::fmax(result, x);
  }
  return result;
}

double several(Function function, const std::vector<double> &x) {
  switch (function) {
  case Function::Pow:
    return std::pow(x[0], x[1]);
  case Function::Atan2: // of zeros without a sign
    return std::atan2(x[0] + 0.0, x[1] + 0.0);
  case Function::CopySign:
    return std::copysign(x[0], x[1]);
  case Function::Modulo:
    return std::fmod(x[0], x[1]);
  case Function::Equal:
  case Function::At:
  case Function::Once:
  case Function::Within:
    return x[0] == x[1];
  case Function::NotEqual:
    return x[0] != x[1];
  case Function::Less:
    return x[0] < x[1];
  case Function::LessEqual:
    return x[0] <= x[1];
  case Function::Greater:
    return x[0] > x[1];
  case Function::GreaterEqual:
    return x[0] >= x[1];
  case Function::And:
    return x[0] != 0 && x[1] != 0;
  case Function::Or:
    return x[0] != 0 || x[1] != 0;
  case Function::Xor:
    return (x[0] != 0) != (x[1] != 0);
  case Function::Select:
    return x[0] != 0 ? x[1] : x[2];
  default:
    return extreme(function, x);
  }
}

/// A number of a type, of which those with 64 bits have infinities for their ends.
__int128 wholeOf(double x, sema::ValueType type) {
  if (!std::isinf(x))
    return static_cast<__int128>(x);
  return x < 0 ? -(__int128{1} << 63) : (__int128{1} << (sema::isUnsigned(type) ? 64 : 63)) - 1;
}

/// Functions with steps, and those that are steep somewhere.
bool mayJump(Function function) {
  switch (function) {
  case Function::Sign:
  case Function::Floor:
  case Function::Ceil:
  case Function::Trunc:
  case Function::RoundEven:
  case Function::Round:
  case Function::Tan:
  case Function::Pow:
  case Function::Atan2:
  case Function::Modulo:
  case Function::And:
  case Function::Or:
  case Function::Xor:
  case Function::Not:
  case Function::Select:
  case Function::Cast:
    return true;
  default:
    return isOfBits(function) || (function >= Function::Equal && function <= Function::Within);
  }
}

/// Whether the sign of an argument, were it a zero, is what was worked out.
bool hasSign(const syntax::Call &call, size_t k, const std::vector<double> &arguments,
             const std::vector<double> &errors) {
  return arguments[k] == 0 ? errors[k] == 0 && std::holds_alternative<syntax::Access>(call.arguments[k]->node)
                           : std::fabs(arguments[k]) > errors[k];
}

bool isMinusZero(double x) {
  return x == 0 && std::signbit(x);
}

} // namespace

double valueOf(const syntax::Call &call, const std::vector<double> &arguments) {
  if (call.function != Function::Cast)
    return arguments.size() == 1 ? unary(call.function, arguments[0]) : several(call.function, arguments);
  const sema::ValueType type = *sema::valueTypeNamed(call.name.text);
  if (!sema::isInteger(type))
    return converted(arguments[0], type).real();
  const double range = std::ldexp(1, 8 * sema::bytesOf(type)), least = sema::isUnsigned(type) ? 0 : -range / 2;
  return std::isnan(arguments[0]) ? 0 : std::clamp(std::trunc(arguments[0]), least, least + range - 1);
}

bool isOfBits(Function function) {
  return function >= Function::Divide && function <= Function::BitXor;
}

Measured valueOfComplex(Function function, std::complex<double> z, double error, double epsilon) {
  switch (function) {
  case Function::Conj:
    return {std::conj(z), error};
  case Function::Real:
    return {z.real(), error};
  case Function::Imag:
    return {z.imag(), error};
  case Function::Arg: {
    const double angle = std::atan2(z.imag(), z.real());
    const bool isCut = std::fabs(z.imag()) <= error && z.real() <= error; // where the sign of a zero decides
    return {angle, isCut ? kInf : 8 * epsilon * std::fabs(angle) + 2 * error / std::abs(z)};
  }
  default:
    return {std::hypot(z.real(), z.imag()), error + 8 * epsilon * std::abs(z)};
  }
}

double valueOfBits(Function function, sema::ValueType type, double a, double b) {
  const __int128 x = wholeOf(a, type), y = wholeOf(b, type);
  const int width = 8 * sema::bytesOf(type);
  const bool isOut = y < 0 || y >= width;
  __int128 value = 0;
  switch (function) {
  case Function::Divide:
    value = y == 0 ? 0 : x / y;
    break;
  case Function::ShiftLeft:
    value = isOut ? 0 : x * (__int128{1} << static_cast<int>(y));
    break;
  case Function::ShiftRight:
    value = x >> (isOut ? width : static_cast<int>(y));
    break;
  case Function::BitAnd:
    value = x & y;
    break;
  case Function::BitOr:
    value = x | y;
    break;
  default:
    value = x ^ y;
  }
  // As the type holds its lowest bits.
  value &= (__int128{1} << width) - 1;
  if (!sema::isUnsigned(type) && (value >> (width - 1)) != 0)
    value -= __int128{1} << width;
  return static_cast<double>(value);
}

double absorbingSum(Function function, sema::ValueType type, double a, double b) {
  const bool isMin = function == Function::MinPlus;
  const double absorbing = endOf(type, !isMin), other = endOf(type, isMin);
  if (a == absorbing || b == absorbing)
    return absorbing;
  if (sema::bytesOf(type) < 8)
    return std::clamp(a + b, endOf(type, true) + (isMin ? 0 : 1), endOf(type, false) - (isMin ? 1 : 0));
  // Of 64 bits an end that absorbs nothing stays what it is, or becomes a number that rounds to 2^63.
  for (const auto &[end, addend] : {std::pair(a, b), std::pair(b, a)})
    if (std::isinf(end))
      return (end < 0 ? addend <= 0 : addend >= 0) ? other : std::copysign(0x1p63, end);
  return a + b;
}

double errorOf(const syntax::Call &call, const std::vector<double> &arguments, const std::vector<double> &errors,
               double epsilon) {
  const bool isExact = std::all_of(errors.begin(), errors.end(), [](double error) { return error == 0; });
  if (call.function == Function::Select) {
    const size_t chosen = arguments[0] != 0 ? 1 : 2;
    return errors[0] == 0 ? errors[chosen] : kInf;
  }
  if (isOfBits(call.function)) // beyond 2^53 doubles are rounded, and their bits not those of the number
    return isExact && std::all_of(arguments.begin(), arguments.end(), [](double x) { return std::fabs(x) < 0x1p53; })
               ? 0
               : kInf;
  const double value = valueOf(call, arguments);
  const bool isFloat = call.function == Function::Cast && sema::isFloat(*sema::valueTypeNamed(call.name.text));
  if (isFloat)
    return errors[0] + 2 * std::max(epsilon, epsilonOf(*sema::valueTypeNamed(call.name.text))) * std::fabs(value);
  if (call.function == Function::CopySign)
    return hasSign(call, 1, arguments, errors) ? errors[0] : kInf;
  if (call.function == Function::Arg)
    return hasSign(call, 0, arguments, errors) ? 8 * epsilon * std::fabs(valueOf(call, arguments)) : kInf;
  if (!isExact && mayJump(call.function))
    return kInf;
  if (call.function == Function::Atan2 && arguments[0] == 0 && (arguments[1] < 0 || isMinusZero(arguments[1])))
    return kInf; // on its cut, where the sign of a zero decides
  double error = 8 * epsilon * (std::fabs(value) + (call.function == Function::Sigmoid ? 1 : 0));
  if (call.function == Function::Gelu || call.function == Function::Expm1)
    error += 8 * epsilon * std::fabs(arguments[0]);
  // Between its ends: all the others are monotonous on either side of 0, or change no faster than their argument.
  for (size_t k = 0; k < arguments.size() && !isExact; ++k)
    for (double sign : {-1.0, 1.0}) {
      std::vector<double> moved = arguments;
      moved[k] += sign * errors[k];
      error += std::max(std::fabs(valueOf(call, moved) - value), 0.0) + errors[k];
    }
  return std::isnan(error) ? kInf : error;
}

} // namespace spc::testing
