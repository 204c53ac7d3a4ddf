// Integers and bools, and what becomes of numbers in other types.
#include "reference/nodes.h"

#include <cmath>
#include <limits>

namespace spc::reference {

namespace {

using sema::ValueType;

constexpr double kAnything = std::numeric_limits<double>::infinity();

int64_t endOf(ValueType type, bool isGreatest) {
  const uint64_t ones = ~uint64_t{0} >> (64 - 8 * sema::bytesOf(type));
  const uint64_t greatest = sema::isUnsigned(type) ? ones : ones >> 1;
  return static_cast<int64_t>(isGreatest ? greatest : sema::isUnsigned(type) ? 0 : ~greatest);
}

/// Without its fraction, or the nearest end of the type; NaN is 0.
int64_t integerFrom(double number, ValueType type) {
  const double beyond = std::ldexp(1, 8 * sema::bytesOf(type) - (sema::isUnsigned(type) ? 0 : 1));
  if (std::isnan(number))
    return 0;
  if (number >= beyond || number <= (sema::isUnsigned(type) ? 0 : -beyond))
    return endOf(type, number > 0);
  return sema::isUnsigned(type) ? static_cast<int64_t>(static_cast<uint64_t>(number)) : static_cast<int64_t>(number);
}

/// How far a whole number is from the float that it becomes.
double conversionError(double number, ValueType to) {
  const ValueType arithmetic = sema::arithmeticType(to);
  const bool isDouble = arithmetic == ValueType::F64 || arithmetic == ValueType::CF64;
  return std::abs(number) <= (isDouble ? 0x1p53 : 0x1p24) ? 0 : epsilonOf(arithmetic) * std::abs(number);
}

} // namespace

Value wrapped(ValueType type, uint64_t bits, bool isCertain) {
  Value value;
  const int unused = 64 - 8 * sema::bytesOf(type);
  if (type == ValueType::Bool)
    value.integer = bits != 0;
  else if (sema::isUnsigned(type))
    value.integer = static_cast<int64_t>(bits << unused >> unused);
  else
    value.integer = static_cast<int64_t>(bits << unused) >> unused;
  const double number = type == ValueType::U64 ? static_cast<double>(static_cast<uint64_t>(value.integer))
                                               : static_cast<double>(value.integer);
  value.number = number;
  value.magnitude = std::abs(number);
  value.error = isCertain ? 0 : kAnything;
  return value;
}

static std::shared_ptr<const std::vector<int64_t>> wrappedAll(std::vector<int64_t> integers, ValueType type) {
  for (int64_t &integer : integers)
    integer = wrapped(type, static_cast<uint64_t>(integer), true).integer;
  return std::make_shared<const std::vector<int64_t>>(std::move(integers));
}

Value numberIn(ValueType type, double number) {
  if (type == ValueType::Bool)
    return wrapped(type, number != 0, true);
  if (sema::isInteger(type))
    return wrapped(type, static_cast<uint64_t>(integerFrom(number, type)), true);
  Value value;
  value.number = number;
  value.magnitude = std::isinf(number) ? 0 : std::abs(number);
  return value;
}

Value truthOf(const Value &value) {
  const bool isCertain = !value.alternatives && (value.error == 0 || std::abs(value.number) > value.error);
  return wrapped(ValueType::Bool, value.number != 0.0, isCertain);
}

Value converted(const Value &value, ValueType from, ValueType to) {
  if (from == to)
    return value;
  Value result;
  if (to == ValueType::Bool) {
    result = truthOf(value);
  } else if (isExact(from) && isExact(to)) {
    result = wrapped(to, static_cast<uint64_t>(value.integer), value.error == 0);
    if (value.alternatives)
      result.alternatives = wrappedAll(*value.alternatives, to);
  } else if (isExact(to)) {
    const double number = value.number.real();
    const int64_t least = integerFrom(number - value.error, to), most = integerFrom(number + value.error, to);
    result = wrapped(to, static_cast<uint64_t>(integerFrom(number, to)), least == most);
  } else {
    result = value;
    result.alternatives = nullptr;
    if (value.alternatives)
      result.error = kAnything;
    result.error += isExact(from)                     ? conversionError(value.number.real(), to)
                    : epsilonOf(to) > epsilonOf(from) ? epsilonOf(to) * std::abs(value.number)
                                                      : 0;
    if (std::isfinite(std::abs(value.number)) && !(std::abs(value.number) + result.error < largestOf(to)))
      result.error = kAnything;
  }
  result.isMissing = value.isMissing;
  return result;
}

Value castTo(const Value &value, ValueType from, ValueType to) {
  const auto roundedIn = [&](ValueType type, double number) { return elementOf(type, {number}).number.real(); };
  const bool isRounded = epsilonOf(to) > epsilonOf(from) && !isExact(from);
  const double number = value.number.real();
  if (!isRounded || sema::isComplex(to) || !std::isfinite(number) || !std::isfinite(value.error))
    return converted(value, from, to);
  Value result = value;
  result.number = roundedIn(to, number);
  result.magnitude = std::abs(result.number);
  result.addends = 1;
  result.most = result.least = 1;
  result.error = std::max(roundedIn(to, number + value.error) - result.number.real(),
                          result.number.real() - roundedIn(to, number - value.error));
  // By way of f32 a half float may be rounded twice.
  const double twice = roundedIn(to, roundedIn(ValueType::F32, number));
  result.error = std::max(result.error, std::abs(twice - result.number.real()));
  result = checked(result, to, false);
  result.isMissing = value.isMissing;
  return result;
}

Value negated(const Value &value, ValueType type) {
  Value result = value;
  if (isExact(type))
    result = wrapped(type, 0 - static_cast<uint64_t>(value.integer), value.error == 0 && !value.alternatives);
  else
    result.number = -value.number;
  result.isMissing = value.isMissing;
  return result;
}

} // namespace spc::reference
