#include "sema/value_type.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace spc::sema {
namespace {

struct Properties {
  ValueType type;
  const char *spelling;
  int bytes;
};

constexpr Properties kProperties[] = {
    {ValueType::F16, "f16", 2},   {ValueType::BF16, "bf16", 2}, {ValueType::F32, "f32", 4},
    {ValueType::F64, "f64", 8},   {ValueType::I8, "i8", 1},     {ValueType::I16, "i16", 2},
    {ValueType::I32, "i32", 4},   {ValueType::I64, "i64", 8},   {ValueType::U8, "u8", 1},
    {ValueType::U16, "u16", 2},   {ValueType::U32, "u32", 4},   {ValueType::U64, "u64", 8},
    {ValueType::Bool, "bool", 1}, {ValueType::CF32, "cf32", 8}, {ValueType::CF64, "cf64", 16},
};

const Properties &propertiesOf(ValueType type) {
  return kProperties[static_cast<int>(type)];
}

ValueType signedOfBytes(int bytes) {
  return bytes == 1 ? ValueType::I8 : bytes == 2 ? ValueType::I16 : bytes == 4 ? ValueType::I32 : ValueType::I64;
}

ValueType widestInteger(ValueType a, ValueType b) {
  if (isUnsigned(a) == isUnsigned(b))
    return bytesOf(a) >= bytesOf(b) ? a : b;
  const ValueType unsignedOne = isUnsigned(a) ? a : b;
  const ValueType signedOne = isUnsigned(a) ? b : a;
  return signedOfBytes(std::min(8, std::max(bytesOf(signedOne), 2 * bytesOf(unsignedOne))));
}

ValueType widestFloat(ValueType a, ValueType b) {
  if (a == b)
    return a;
  return std::max({a, b, ValueType::F32});
}

/// bool, integer, float, complex.
int kindOf(ValueType type) {
  return type == ValueType::Bool ? 0 : isInteger(type) ? 1 : isFloat(type) ? 2 : 3;
}

} // namespace

const char *spelling(ValueType type) {
  return propertiesOf(type).spelling;
}

std::optional<ValueType> valueTypeNamed(std::string_view name) {
  for (const Properties &properties : kProperties)
    if (name == properties.spelling)
      return properties.type;
  return std::nullopt;
}

int bytesOf(ValueType type) {
  return propertiesOf(type).bytes;
}

bool isFloat(ValueType type) {
  return type <= ValueType::F64;
}

bool isHalf(ValueType type) {
  return type == ValueType::F16 || type == ValueType::BF16;
}

bool isInteger(ValueType type) {
  return type >= ValueType::I8 && type <= ValueType::U64;
}

bool isUnsigned(ValueType type) {
  return type >= ValueType::U8 && type <= ValueType::U64;
}

bool isComplex(ValueType type) {
  return type >= ValueType::CF32;
}

ValueType partOf(ValueType type) {
  return type == ValueType::CF32 ? ValueType::F32 : type == ValueType::CF64 ? ValueType::F64 : type;
}

ValueType complexOf(ValueType type) {
  return widest(type, ValueType::CF32);
}

ValueType widest(ValueType a, ValueType b) {
  if (kindOf(a) < kindOf(b))
    std::swap(a, b);
  if (isComplex(a))
    return a == ValueType::CF64 || b == ValueType::CF64 || b == ValueType::F64 ? ValueType::CF64 : ValueType::CF32;
  if (kindOf(a) != kindOf(b))
    return a;
  return isFloat(a) ? widestFloat(a, b) : isInteger(a) ? widestInteger(a, b) : a;
}

ValueType arithmeticType(ValueType type) {
  return type == ValueType::F16 || type == ValueType::BF16 ? ValueType::F32 : type;
}

std::string textOf(ValueType type, double number) {
  if (type == ValueType::Bool)
    return number != 0 ? "true" : "false";
  if (isInteger(type) && std::isinf(number)) {
    const int bits = 8 * bytesOf(type) - (isUnsigned(type) ? 0 : 1);
    const uint64_t most = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    return number > 0 ? std::to_string(most) : isUnsigned(type) ? "0" : "-" + std::to_string(most + 1);
  }
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), number);
  return {text, end};
}

} // namespace spc::sema
