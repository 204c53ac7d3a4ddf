#include "tensor/numbers.h"

#include "runtime/values.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace spc::tensor {

using sema::ValueType;

namespace {

constexpr double kExactBelow = 0x1p53; ///< every integer in between is a double
constexpr double kFarBeyond = 0x1p66;  ///< an integer up to here, less its nearest double, has 16 bits

template <typename T> double at(const void *array, int64_t index) {
  return static_cast<double>(static_cast<const T *>(array)[index]);
}

template <typename T> bool put(void *array, int64_t index, double value) {
  static_cast<T *>(array)[index] = static_cast<T>(value);
  return true;
}

/// Of 64 bits: the ends of the range are infinities.
template <typename T> Number atWide(const void *array, int64_t index) {
  const T value = static_cast<const T *>(array)[index];
  if (value == std::numeric_limits<T>::max())
    return {std::numeric_limits<double>::infinity()};
  if (value == std::numeric_limits<T>::min() && value != 0)
    return {-std::numeric_limits<double>::infinity()};
  return fromInteger(value);
}

template <typename T> bool putEnd(void *array, int64_t index, double infinity) {
  static_cast<T *>(array)[index] = infinity > 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
  return true;
}

template <typename T> bool putWide(void *array, int64_t index, Number number) {
  if (std::isinf(number.real))
    return putEnd<T>(array, index, number.real);
  const std::optional<Integer> integer = toInteger(number);
  if (!integer || *integer < std::numeric_limits<T>::min() || *integer > std::numeric_limits<T>::max())
    return false;
  static_cast<T *>(array)[index] = static_cast<T>(*integer);
  return true;
}

template <typename T> bool putInteger(void *array, int64_t index, double value) {
  if (std::isinf(value))
    return putEnd<T>(array, index, value);
  // The bounds are powers of two, or one less, that doubles hold or round up to.
  const double low = static_cast<double>(std::numeric_limits<T>::min());
  const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
  return value == std::floor(value) && value >= low && value < beyond && put<T>(array, index, value);
}

} // namespace

Number loadNumber(const void *array, ValueType type, int64_t index) {
  switch (type) {
  case ValueType::F16:
    return {runtime::halfToFloat(static_cast<const uint16_t *>(array)[index])};
  case ValueType::BF16:
    return {runtime::brainToFloat(static_cast<const uint16_t *>(array)[index])};
  case ValueType::F32:
    return {at<float>(array, index)};
  case ValueType::F64:
    return {at<double>(array, index)};
  case ValueType::I8:
    return {at<int8_t>(array, index)};
  case ValueType::I16:
    return {at<int16_t>(array, index)};
  case ValueType::I32:
    return {at<int32_t>(array, index)};
  case ValueType::I64:
    return atWide<int64_t>(array, index);
  case ValueType::U8:
    return {at<uint8_t>(array, index)};
  case ValueType::U16:
    return {at<uint16_t>(array, index)};
  case ValueType::U32:
    return {at<uint32_t>(array, index)};
  case ValueType::U64:
    return atWide<uint64_t>(array, index);
  case ValueType::Bool:
    return {at<uint8_t>(array, index)};
  case ValueType::CF32:
    return {at<float>(array, 2 * index), at<float>(array, 2 * index + 1)};
  case ValueType::CF64:
    return {at<double>(array, 2 * index), at<double>(array, 2 * index + 1)};
  }
  return {};
}

bool storeNumber(void *array, ValueType type, int64_t index, Number number) {
  if (number.imaginary != 0 && !sema::isComplex(type))
    return false;
  switch (type) {
  case ValueType::F16:
    static_cast<uint16_t *>(array)[index] = runtime::floatToHalf(static_cast<float>(number.real));
    return true;
  case ValueType::BF16:
    static_cast<uint16_t *>(array)[index] = runtime::floatToBrain(static_cast<float>(number.real));
    return true;
  case ValueType::F32:
    return put<float>(array, index, number.real);
  case ValueType::F64:
    return put<double>(array, index, number.real);
  case ValueType::I8:
    return putInteger<int8_t>(array, index, number.real);
  case ValueType::I16:
    return putInteger<int16_t>(array, index, number.real);
  case ValueType::I32:
    return putInteger<int32_t>(array, index, number.real);
  case ValueType::I64:
    return putWide<int64_t>(array, index, number);
  case ValueType::U8:
    return putInteger<uint8_t>(array, index, number.real);
  case ValueType::U16:
    return putInteger<uint16_t>(array, index, number.real);
  case ValueType::U32:
    return putInteger<uint32_t>(array, index, number.real);
  case ValueType::U64:
    return putWide<uint64_t>(array, index, number);
  case ValueType::Bool:
    return (number.real == 0 || number.real == 1) && put<uint8_t>(array, index, number.real);
  case ValueType::CF32:
    return put<float>(array, 2 * index, number.real) && put<float>(array, 2 * index + 1, number.imaginary);
  case ValueType::CF64:
    return put<double>(array, 2 * index, number.real) && put<double>(array, 2 * index + 1, number.imaginary);
  }
  return false;
}

std::string whyNotStored(ValueType type) {
  return "does not fit the type " + std::string(sema::spelling(type));
}

std::string valueNotStored(Number number, ValueType type) {
  constexpr int kUsual = 6, kAll = 17;
  const std::optional<Integer> integer = toInteger(number);
  std::string text = integer ? toDigits(*integer) : toText(number, kUsual);
  if (!integer && text.find('.') == std::string::npos) // else it looks like one
    text = toText(number, kAll);
  return "value " + text + " " + whyNotStored(type);
}

Number fromInteger(Integer integer) {
  const auto narrow = static_cast<int64_t>(integer); // which converts faster
  const auto real = integer == narrow ? static_cast<double>(narrow) : static_cast<double>(integer);
  if (std::abs(real) < kExactBelow || std::abs(real) > kFarBeyond)
    return {real};
  return {real, 0, static_cast<int16_t>(integer - static_cast<Integer>(real))};
}

std::optional<Integer> toInteger(Number number) {
  if (number.imaginary != 0 || !(std::abs(number.real) <= kFarBeyond) || number.real != std::floor(number.real))
    return std::nullopt;
  return static_cast<Integer>(number.real) + number.rest;
}

std::optional<Integer> readInteger(std::string_view text) {
  constexpr int kMostDigits = 37;
  const bool isNegative = text.starts_with('-');
  text.remove_prefix(isNegative || text.starts_with('+') ? 1 : 0);
  Integer integer = 0;
  int digits = 0, afterPoint = 0;
  bool hasPoint = false, hasDigits = false;
  size_t at = 0;
  for (; at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) || (text[at] == '.' && !hasPoint));
       ++at) {
    if (text[at] == '.') {
      hasPoint = true;
      continue;
    }
    hasDigits = true;
    digits += digits > 0 || text[at] != '0';
    afterPoint += hasPoint;
    if (digits > kMostDigits)
      return std::nullopt;
    integer = 10 * integer + (text[at] - '0');
  }
  int exponent = 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    at += text.substr(at + 1).starts_with('+') ? 2 : 1;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), exponent);
    if (error != std::errc())
      return std::nullopt;
    at = static_cast<size_t>(stop - text.data());
  }
  if (at != text.size() || !hasDigits || std::abs(exponent) > kMostDigits)
    return std::nullopt;
  for (exponent -= afterPoint; exponent > 0 && digits < kMostDigits; --exponent, ++digits)
    integer *= 10;
  for (; exponent < 0 && integer % 10 == 0; ++exponent)
    integer /= 10;
  return exponent == 0 ? std::optional(isNegative ? -integer : integer) : std::nullopt;
}

Number withRest(double nearest, std::string_view text) {
  if (!(std::abs(nearest) >= kExactBelow))
    return {nearest};
  const std::optional<Integer> integer = readInteger(text);
  return integer ? fromInteger(*integer) : Number{nearest};
}

std::string toDigits(Integer integer) {
  std::string digits;
  for (Integer left = integer; left != 0; left /= 10)
    digits += static_cast<char>('0' + (left < 0 ? -(left % 10) : left % 10));
  if (integer <= 0)
    digits += integer < 0 ? '-' : '0';
  return {digits.rbegin(), digits.rend()};
}

Number sumOf(Number a, Number b) {
  const std::optional<Integer> left = toInteger(a), right = toInteger(b);
  return left && right ? fromInteger(*left + *right) : Number{a.real + b.real, a.imaginary + b.imaginary};
}

std::string toText(Number number, int digits) {
  if (number.rest != 0)
    return toDigits(*toInteger(number));
  char text[80];
  if (number.imaginary == 0)
    std::snprintf(text, sizeof(text), "%.*g", digits, number.real);
  else
    std::snprintf(text, sizeof(text), "%.*g%+.*gi", digits, number.real, digits, number.imaginary);
  return text;
}

} // namespace spc::tensor
