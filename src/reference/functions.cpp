// What functions, comparisons and logic make of numbers.
#include "reference/nodes.h"

#include <cmath>
#include <limits>

namespace spc::reference {

namespace {

using language::Function;
using sema::ValueType;
using tensor::Integer;

constexpr double kUndecided = std::numeric_limits<double>::infinity();

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
    return std::atan2(0, x);
  default: // gelu
    return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
  }
}

double ofOne(Function function, double x) {
  switch (function) {
  case Function::Abs:
    return std::abs(x);
  case Function::Sign:
    return x > 0 ? 1 : x < 0 ? -1 : x;
  case Function::Relu:
    return x > 0 || std::isnan(x) ? x : 0;
  case Function::Floor:
    return std::floor(x);
  case Function::Ceil:
    return std::ceil(x);
  case Function::Trunc:
    return std::trunc(x);
  case Function::RoundEven:
    return std::nearbyint(x);
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
  default:
    return ofOther(function, x);
  }
}

double ofTwo(Function function, double x, double y) {
  switch (function) {
  case Function::Pow:
    return std::pow(x, y);
  case Function::Atan2:
    return std::atan2(x, y);
  case Function::Min:
    return std::isnan(x) || x < y ? x : y;
  case Function::Max:
    return std::isnan(x) || x > y ? x : y;
  case Function::MinNumber:
    return std::isnan(x) || y < x || (x == y && std::signbit(y)) ? y : x;
  case Function::MaxNumber:
    return std::isnan(x) || y > x || (x == y && std::signbit(x)) ? y : x;
  case Function::CopySign:
    return std::copysign(x, y);
  default: // %
    return std::fmod(x, y);
  }
}

double ofMany(Function function, const std::vector<double> &x) {
  if (x.size() == 1)
    return ofOne(function, x[0]);
  double result = x[0];
  for (size_t k = 1; k < x.size(); ++k)
    result = ofTwo(function, result, x[k]);
  return result;
}

/// Those that change in steps, and never down as their argument goes up.
bool isStaircase(Function function) {
  return function == Function::Sign || (function >= Function::Floor && function <= Function::Round);
}

/// Where a small change of an argument may make any other value.
bool isBroken(Function function, const std::vector<Value> &values) {
  const auto isSmooth = [&] {
    const double power = values[1].number.real(), base = values[0].number.real();
    return base > values[0].error || (values[1].error == 0 && power == std::trunc(power) && power >= 0);
  };
  if (function == Function::CopySign)
    return std::abs(values[1].number.real()) <= values[1].error;
  if (function == Function::Arg)
    return std::abs(values[0].number.real()) <= values[0].error;
  return function == Function::Tan || function == Function::Atan2 || (function == Function::Pow && !isSmooth());
}

/// Those that turn back between the ends of an interval; their slopes change by no more than their arguments do.
bool isWave(Function function) {
  return function == Function::Sin || function == Function::Cos || function == Function::Gelu;
}

bool isRounded(Function function) {
  return function > Function::Round && function != Function::CopySign && !language::isExtreme(function);
}

/// The error of a remainder, where rounding does not change what is subtracted.
double remainderError(const Value &x, const Value &y) {
  const double of = x.number.real(), by = y.number.real(), quotient = std::trunc(of / by);
  for (const double up : {-1.0, 1.0})
    for (const double side : {-1.0, 1.0})
      if (std::trunc((of + up * x.error) / (by + side * y.error)) != quotient)
        return kUndecided;
  return std::abs(by) > y.error ? x.error + std::abs(quotient) * y.error : kUndecided;
}

/// Whether an infinity is that of a number which is too large, and may be less in another rounding.
bool isOverflow(const std::vector<double> &arguments, double value) {
  return std::isinf(value) && std::all_of(arguments.begin(), arguments.end(),
                                          [](double argument) { return std::isfinite(argument) && argument != 0; });
}

Value ofFloats(Function function, const std::vector<Value> &values, ValueType type) {
  std::vector<double> numbers;
  for (const Value &value : values)
    numbers.push_back(value.number.real());
  Value result = numberIn(type, ofMany(function, numbers));
  if (function == Function::Modulo) {
    const bool isCertain = values[0].error == 0 && values[1].error == 0;
    result.error = isCertain ? 0 : remainderError(values[0], values[1]);
    return result;
  }
  const double number = result.number.real();
  double error = 0;
  for (size_t k = 0; k < values.size(); ++k)
    for (const double sign : {-1.0, 1.0}) {
      if (values[k].error == 0)
        continue;
      std::vector<double> moved = numbers;
      moved[k] += sign * values[k].error;
      const double change = std::abs(ofMany(function, moved) - number);
      error += change + (isWave(function) ? values[k].error * values[k].error : 0);
    }
  const bool isMoved = std::any_of(values.begin(), values.end(), [](const Value &value) { return value.error != 0; });
  const bool isUncertain =
      ((isMoved || function == Function::CopySign || function == Function::Arg) && isBroken(function, values)) ||
      (error > 0 && isStaircase(function)) || std::isnan(error);
  const double scale = std::abs(number) +
                       (function == Function::Gelu || function == Function::Expm1 ? std::abs(numbers[0]) : 0) +
                       (function == Function::Sigmoid ? 1 : 0);
  result.error = isUncertain ? kUndecided : error + (isRounded(function) ? 8 * epsilonOf(type) * scale : 0);
  return checked(result, type, !isMoved && !isOverflow(numbers, number));
}

/// Of a complex number, of which the result is not always one.
Value ofComplex(Function function, const Value &z, ValueType type) {
  Value result = z;
  const double size = std::abs(z.number);
  switch (function) {
  case Function::Conj:
    result.number = std::conj(z.number);
    return result;
  case Function::Real:
    result.number = z.number.real();
    break;
  case Function::Imag:
    result.number = z.number.imag();
    break;
  case Function::Arg: {
    // On its cut the sign of a zero decides, which rounding may change.
    const bool isCut = z.number.real() <= 0 && std::abs(z.number.imag()) <= z.error;
    result.number = std::arg(z.number);
    result.error =
        isCut || size <= z.error ? kUndecided : 2 * z.error / size + 8 * epsilonOf(type) * std::abs(result.number);
    break;
  }
  default: // abs
    result.number = size;
    result.error = z.error + 8 * epsilonOf(type) * size;
  }
  result.magnitude = std::isfinite(result.number.real()) ? std::abs(result.number) : 0;
  result.addends = 1;
  return checked(result, type, z.error == 0 && std::isinf(size) == std::isinf(result.number.real()));
}

/// A complex number of its parts.
Value ofParts(const Value &real, const Value &imaginary, ValueType type) {
  Value result = real;
  result.number = {real.number.real(), imaginary.number.real()};
  result.error = real.error + imaginary.error;
  const double size = std::abs(result.number);
  result.magnitude = std::isfinite(size) ? size : 0;
  result.addends = 1;
  return checked(result, type, result.error == 0);
}

Integer exactOf(const Value &value, ValueType type) {
  return type == ValueType::U64 ? Integer{static_cast<uint64_t>(value.integer)} : Integer{value.integer};
}

/// A sum in which the greatest number, of `isMin`, or the least one is infinity, which nothing else becomes.
Integer saturated(Integer x, Integer y, Integer least, Integer greatest, bool isMin) {
  const Integer infinity = isMin ? greatest : least;
  if (x == infinity || y == infinity)
    return infinity;
  return std::clamp<Integer>(x + y, isMin ? least : least + 1, isMin ? greatest - 1 : greatest);
}

/// All bits are out by a width, more, or less than nothing.
Integer shifted(Function function, Integer x, Integer amount, int width) {
  const bool isOut = amount < 0 || amount >= width;
  if (function == Function::ShiftRight)
    return isOut ? (x < 0 ? -1 : 0) : x >> static_cast<int>(amount);
  return isOut ? 0 : static_cast<Integer>(static_cast<uint64_t>(x) << static_cast<int>(amount));
}

Integer ofTwoIntegers(Function function, Integer x, Integer y, ValueType type) {
  switch (function) {
  case Function::Min:
    return std::min(x, y);
  case Function::Max:
    return std::max(x, y);
  case Function::MinNumber:
    return std::min(x, y);
  case Function::MaxNumber:
    return std::max(x, y);
  case Function::Modulo:
    return y == 0 ? 0 : x % y;
  case Function::Divide:
    return y == 0 ? 0 : x / y;
  case Function::ShiftLeft:
  case Function::ShiftRight:
    return shifted(function, x, y, 8 * sema::bytesOf(type));
  case Function::BitAnd:
    return x & y;
  case Function::BitOr:
    return x | y;
  case Function::BitXor:
    return x ^ y;
  default: // minplus and maxplus
    return saturated(x, y, exactOf(numberIn(type, -kUndecided), type), exactOf(numberIn(type, kUndecided), type),
                     function == Function::MinPlus);
  }
}

Value ofIntegers(Function function, const std::vector<Value> &values, ValueType type) {
  Integer result = exactOf(values[0], type);
  bool isCertain = values[0].error == 0 && !values[0].alternatives;
  if (function == Function::Abs && result < 0)
    result = -result;
  else if (function == Function::Sign)
    result = result > 0 ? 1 : result < 0 ? -1 : 0;
  else if (function == Function::Relu)
    result = std::max<Integer>(result, 0);
  for (size_t k = 1; k < values.size(); ++k) {
    isCertain = isCertain && values[k].error == 0 && !values[k].alternatives;
    result = ofTwoIntegers(function, result, exactOf(values[k], type), type);
  }
  return wrapped(type, static_cast<uint64_t>(result), isCertain);
}

template <class Number> bool holds(Function function, Number x, Number y) {
  switch (function) {
  case Function::Less:
    return x < y;
  case Function::LessEqual:
    return x <= y;
  case Function::Greater:
    return x > y;
  default:
    return x >= y;
  }
}

Value comparisonOf(Function function, const Value &x, const Value &y, ValueType type) {
  const bool isEquality =
      function == Function::Equal || language::isOfPlaces(function) || function == Function::NotEqual;
  const double error = x.error + y.error;
  const bool isCertain = !x.alternatives && !y.alternatives && (error == 0 || std::abs(x.number - y.number) > error);
  bool isTrue = false;
  if (isEquality)
    isTrue = (isExact(type) ? x.integer == y.integer : x.number == y.number) == (function != Function::NotEqual);
  else if (isExact(type))
    isTrue = holds(function, exactOf(x, type), exactOf(y, type));
  else
    isTrue = holds(function, x.number.real(), y.number.real());
  return wrapped(ValueType::Bool, isTrue, isCertain);
}

Value logicOf(Function function, const std::vector<Value> &values) {
  const Value x = truthOf(values[0]);
  if (function == Function::Not)
    return wrapped(ValueType::Bool, x.integer == 0, x.error == 0);
  const Value y = truthOf(values[1]);
  const int64_t deciding = function == Function::Or ? 1 : 0;
  if (function != Function::Xor)
    for (const Value &value : {x, y})
      if (value.error == 0 && value.integer == deciding)
        return value;
  const bool isTrue = function == Function::Xor ? x.integer != y.integer : deciding == 0;
  return wrapped(ValueType::Bool, isTrue, x.error == 0 && y.error == 0);
}

/// Where the condition is not certain, either value is right.
Value choiceOf(const std::vector<Value> &values, ValueType type) {
  const Value condition = truthOf(values[0]);
  const Value &other = values[condition.integer != 0 ? 2 : 1];
  Value result = values[condition.integer != 0 ? 1 : 2];
  result.isMissing = false;
  if (condition.error == 0)
    return result;
  const double apart = std::abs(result.number - other.number);
  if (!isExact(type))
    result.error = std::max(result.error, apart + other.error);
  else if (result.integer != other.integer || other.error > 0 || other.alternatives)
    result = wrapped(type, static_cast<uint64_t>(result.integer), false);
  return result;
}

} // namespace

Value callOf(Function function, const std::vector<Value> &values, const std::vector<ValueType> &from, ValueType type) {
  if (function >= Function::Equal && function <= Function::Within)
    return comparisonOf(function, values[0], values[1], from[0]);
  if (function >= Function::And && function <= Function::Not)
    return logicOf(function, values);
  if (function == Function::Select)
    return choiceOf(values, type);
  if (function == Function::Complex)
    return ofParts(values[0], values[1], type);
  if (sema::isComplex(from[0]))
    return ofComplex(function, values[0], type);
  return isExact(type) ? ofIntegers(function, values, type) : ofFloats(function, values, type);
}

} // namespace spc::reference
