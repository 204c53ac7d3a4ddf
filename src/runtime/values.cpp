#include "runtime/values.h"

namespace spc::runtime {
namespace {

uint32_t bitsOf(float value) {
  return __builtin_bit_cast(uint32_t, value);
}

float floatOf(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

bool isZeroBut(const void *value, int64_t bytes, uint8_t sign) {
  const auto *read = static_cast<const uint8_t *>(value);
  for (int64_t b = 0; b < bytes - 1; ++b)
    if (read[b] != 0)
      return false;
  return (read[bytes - 1] & ~sign) == 0;
}

} // namespace

bool isZero(ValueKind kind, const void *value, int64_t bytes) {
  switch (kind) {
  case ValueKind::Float:
  case ValueKind::Half:
  case ValueKind::Brain:
    return isZeroBut(value, bytes, 0x80);
  case ValueKind::Complex:
    return isZeroBut(value, bytes / 2, 0x80) &&
           isZeroBut(static_cast<const char *>(value) + bytes / 2, bytes / 2, 0x80);
  case ValueKind::Integer:
  case ValueKind::Unsigned:
  case ValueKind::Bool:
    break;
  }
  return isZeroBut(value, bytes, 0);
}

float halfToFloat(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1fu, fraction = bits & 0x3ffu;
  if (exponent == 0x1f)
    return floatOf(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0)
    return floatOf(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return floatOf(sign | bitsOf(magnitude));
}

/// Rounds to nearest even. Subnormal halves: adding a power of two leaves the bits that they keep, and rounds them.
uint16_t floatToHalf(float value) {
  const uint32_t bits = bitsOf(value), magnitude = bits & 0x7fffffffu;
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
  if (magnitude > 0x7f800000u)
    return static_cast<uint16_t>(sign | 0x7e00u | (bits >> 13 & 0x3ffu));
  if (magnitude >= 0x477ff000u)
    return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u)
    return static_cast<uint16_t>(sign | (bitsOf(floatOf(magnitude) + 0.5f) - bitsOf(0.5f)));
  const uint32_t rounded = magnitude + 0xfffu + (bits >> 13 & 1u);
  return static_cast<uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

float brainToFloat(uint16_t bits) {
  return floatOf(static_cast<uint32_t>(bits) << 16);
}

uint16_t floatToBrain(float value) {
  const uint32_t bits = bitsOf(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

void addValue(const Tensor &type, const void *source, int64_t from, void *values, int64_t to) {
  auto *shorts = static_cast<uint16_t *>(values);
  const auto *read = static_cast<const uint16_t *>(source);
  switch (type.valueKind) {
  case ValueKind::Float:
    return type.valueBytes == 4 ? addNumber<float>(values, to, source, from)
                                : addNumber<double>(values, to, source, from);
  case ValueKind::Half:
    shorts[to] = floatToHalf(halfToFloat(shorts[to]) + halfToFloat(read[from]));
    return;
  case ValueKind::Brain:
    shorts[to] = floatToBrain(brainToFloat(shorts[to]) + brainToFloat(read[from]));
    return;
  case ValueKind::Bool:
    static_cast<uint8_t *>(values)[to] |= static_cast<const uint8_t *>(source)[from];
    return;
  case ValueKind::Integer:
  case ValueKind::Unsigned:
    if (type.valueBytes == 1)
      return addNumber<uint8_t>(values, to, source, from);
    if (type.valueBytes == 2)
      return addNumber<uint16_t>(values, to, source, from);
    return type.valueBytes == 4 ? addNumber<uint32_t>(values, to, source, from)
                                : addNumber<uint64_t>(values, to, source, from);
  case ValueKind::Complex:
    for (int64_t part = 0; part < 2; ++part) {
      if (type.valueBytes == 8)
        addNumber<float>(values, 2 * to + part, source, 2 * from + part);
      else
        addNumber<double>(values, 2 * to + part, source, 2 * from + part);
    }
    return;
  }
}

/// Whether one number is to stay beside another one: it is less, or greater where `isMax`, or a NaN.
template <typename T> static bool stays(T held, T other, bool isMax) {
  return held != held || (isMax ? held > other : held < other);
}

template <typename T>
static bool numberStays(const void *values, int64_t to, const void *source, int64_t from, bool isMax) {
  return stays(static_cast<const T *>(values)[to], static_cast<const T *>(source)[from], isMax);
}

static bool integerStays(const Tensor &type, const void *values, int64_t to, const void *source, int64_t from,
                         bool isMax) {
  if (type.valueKind == ValueKind::Integer) {
    switch (type.valueBytes) {
    case 1:
      return numberStays<int8_t>(values, to, source, from, isMax);
    case 2:
      return numberStays<int16_t>(values, to, source, from, isMax);
    case 4:
      return numberStays<int32_t>(values, to, source, from, isMax);
    default:
      return numberStays<int64_t>(values, to, source, from, isMax);
    }
  }
  switch (type.valueBytes) {
  case 1:
    return numberStays<uint8_t>(values, to, source, from, isMax);
  case 2:
    return numberStays<uint16_t>(values, to, source, from, isMax);
  case 4:
    return numberStays<uint32_t>(values, to, source, from, isMax);
  default:
    return numberStays<uint64_t>(values, to, source, from, isMax);
  }
}

static bool valueStays(const Tensor &type, const void *values, int64_t to, const void *source, int64_t from,
                       bool isMax) {
  const auto *held = static_cast<const uint16_t *>(values), *read = static_cast<const uint16_t *>(source);
  switch (type.valueKind) {
  case ValueKind::Float:
    return type.valueBytes == 4 ? numberStays<float>(values, to, source, from, isMax)
                                : numberStays<double>(values, to, source, from, isMax);
  case ValueKind::Half:
    return stays(halfToFloat(held[to]), halfToFloat(read[from]), isMax);
  case ValueKind::Brain:
    return stays(brainToFloat(held[to]), brainToFloat(read[from]), isMax);
  case ValueKind::Integer:
  case ValueKind::Unsigned:
  case ValueKind::Bool:
  case ValueKind::Complex: // which has no order: spc takes no such format
    break;
  }
  return integerStays(type, values, to, source, from, isMax);
}

void combineValue(const Tensor &type, Duplicates duplicates, const void *source, int64_t from, void *values,
                  int64_t to) {
  switch (duplicates) {
  case Duplicates::Sum:
    return addValue(type, source, from, values, to);
  case Duplicates::Min:
  case Duplicates::Max:
    if (valueStays(type, values, to, source, from, duplicates == Duplicates::Max))
      return;
    break;
  case Duplicates::Last:
  case Duplicates::Error:
    break;
  }
  copyValue(type, source, from, values, to);
}

} // namespace spc::runtime
