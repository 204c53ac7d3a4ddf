// Sums, products and quotients, and how far from them a correct kernel's may be.
#include "reference/nodes.h"

#include <cmath>
#include <limits>

namespace spc::reference {

namespace {

using sema::ValueType;

constexpr double kNoBound = std::numeric_limits<double>::infinity();

bool isFinite(const std::complex<double> &number) {
  return std::isfinite(number.real()) && std::isfinite(number.imag());
}

/// An infinity or a NaN beyond doubt: whatever is added to it or multiplied with it leaves it no number.
bool isNoNumber(const Value &value) {
  return !isFinite(value.number) && value.error == 0;
}

/// The largest and the smallest number, 1 among them, that products of some of a value's factors are.
struct Range {
  double most = 1, least = 1;
};

Range rangeOf(const Value &value) {
  Range range{value.most, value.least};
  const double size = std::abs(value.number);
  if (std::isfinite(size) && size > 0) {
    range.most = std::max(range.most, size);
    range.least = std::min(range.least, size);
  }
  return range;
}

/// Other orders of factors may overflow where the text's does not, or lose what is too small, times all others.
Value inAnyOrder(Value product, const Range &range, ValueType type) {
  product.most = range.most;
  product.least = range.least;
  if (!isFinite(product.number))
    return product;
  if (!(range.most < largestOf(type)))
    product.error = kNoBound;
  else if (range.least < spacingOf(type))
    product.error += spacingOf(type) * range.most;
  return product;
}

} // namespace

bool isCertain(const Value &value) {
  return value.error == 0 && !value.alternatives;
}

Value checked(Value value, ValueType type, bool isSound) {
  if (!isFinite(value.number)) {
    value.magnitude = 0;
    value.error = isSound ? 0 : kNoBound;
    return value;
  }
  const double size = std::abs(value.number);
  if (!(size + value.error < largestOf(type)))
    value.error = kNoBound;
  else if (size < spacingOf(type) && size > 0)
    value.error += spacingOf(type);
  return value;
}

Adder::Adder(ValueType type) : type_(type) {
  if (isExact(type))
    sum_ = wrapped(type, 0, true);
  sum_.addends = 0;
}

void Adder::add(const Value &value, bool isNegated) {
  const double before = count_++;
  if (isExact(type_)) {
    if (before == 0 && !isNegated) {
      sum_ = value; // with what else may be right
      return;
    }
    const auto a = static_cast<uint64_t>(sum_.integer), b = static_cast<uint64_t>(value.integer);
    sum_ = wrapped(type_, isNegated ? a - b : a + b, isCertain(sum_) && isCertain(value));
    return;
  }
  const bool isSound = (isNoNumber(sum_) && before > 0) || isNoNumber(value);
  sum_.number += isNegated ? -value.number : value.number;
  sum_.magnitude += value.magnitude;
  sum_.addends += value.number == 0.0 && value.error == 0 ? 0 : value.addends;
  sum_.error += value.error;
  const Range range = rangeOf(value);
  sum_.most = std::max(sum_.most, range.most);
  sum_.least = std::min(sum_.least, range.least);
  if (!isFinite(sum_.number))
    sum_ = checked(sum_, type_, isSound);
}

Value Adder::total(double epsilon) const {
  Value sum = sum_;
  if (isExact(type_))
    return sum;
  sum.addends = std::max(sum.addends, 1.0);
  if (!isFinite(sum.number))
    return sum;
  // Of two there is one order, and one rounding of their sum.
  const bool isPair = sum.addends <= 2;
  if (sum.addends > 1)
    sum.error += epsilon * (isPair ? std::abs(sum.number) + sum.error : (sum.addends - 1) * sum.magnitude);
  return checked(sum, type_, false);
}

Value productOf(const Value &a, const Value &b, ValueType type) {
  Value product;
  if (isExact(type)) {
    const bool isZero = (a.integer == 0 && isCertain(a)) || (b.integer == 0 && isCertain(b));
    return wrapped(type, static_cast<uint64_t>(a.integer) * static_cast<uint64_t>(b.integer),
                   isZero || (isCertain(a) && isCertain(b)));
  }
  const bool isReal = a.number.imag() == 0 && b.number.imag() == 0;
  product.number = isReal ? a.number.real() * b.number.real() : a.number * b.number;
  product.magnitude = a.magnitude * b.magnitude;
  product.addends = a.addends * b.addends;
  product.error =
      a.magnitude * b.error + b.magnitude * a.error + a.error * b.error + epsilonOf(type) * product.magnitude;
  const Range left = rangeOf(a), right = rangeOf(b);
  return inAnyOrder(checked(product, type, isNoNumber(a) || isNoNumber(b)),
                    {left.most * right.most, left.least * right.least}, type);
}

Value quotientOf(const Value &a, const Value &b, ValueType type) {
  Value quotient;
  const bool isReal = a.number.imag() == 0 && b.number.imag() == 0;
  const double divisor = std::abs(b.number);
  quotient.number = isReal ? a.number.real() / b.number.real() : a.number / b.number;
  quotient.addends = a.addends;
  if (isNoNumber(b) && std::isinf(divisor) && isFinite(a.number)) {
    quotient.error = std::isfinite(a.error) ? 0 : kNoBound;
    return quotient;
  }
  quotient.magnitude = a.magnitude / divisor;
  quotient.error = divisor > b.error ? (a.error + quotient.magnitude * b.error) / (divisor - b.error) +
                                           epsilonOf(type) * quotient.magnitude
                                     : kNoBound;
  const Range left = rangeOf(a), right = rangeOf(b);
  return inAnyOrder(checked(quotient, type, isNoNumber(a) || isNoNumber(b) || (divisor == 0 && b.error == 0)),
                    {left.most / right.least, left.least / right.most}, type);
}

} // namespace spc::reference
