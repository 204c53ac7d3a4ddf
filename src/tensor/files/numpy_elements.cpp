// Elements of NumPy's arrays as numbers, one by one and many at a time.
#include "tensor/files/numpy_array.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

namespace spc::tensor {

namespace {

using sema::ValueType;

constexpr int64_t kAtOnce = 4096; ///< elements whose bytes are turned around

template <typename T> T loaded(const char *bytes, int64_t at) {
  T value;
  std::memcpy(&value, bytes + at * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

/// Calls `use` with a null pointer to what C++ calls a type of whole numbers or floats; false, with nothing called, for
/// others.
template <typename Use> bool withCType(ValueType type, const Use &use) {
  switch (type) {
  case ValueType::F32:
    return use(static_cast<float *>(nullptr)), true;
  case ValueType::F64:
    return use(static_cast<double *>(nullptr)), true;
  case ValueType::I8:
    return use(static_cast<int8_t *>(nullptr)), true;
  case ValueType::I16:
    return use(static_cast<int16_t *>(nullptr)), true;
  case ValueType::I32:
    return use(static_cast<int32_t *>(nullptr)), true;
  case ValueType::I64:
    return use(static_cast<int64_t *>(nullptr)), true;
  case ValueType::U8:
    return use(static_cast<uint8_t *>(nullptr)), true;
  case ValueType::U16:
    return use(static_cast<uint16_t *>(nullptr)), true;
  case ValueType::U32:
    return use(static_cast<uint32_t *>(nullptr)), true;
  case ValueType::U64:
    return use(static_cast<uint64_t *>(nullptr)), true;
  case ValueType::F16:
  case ValueType::BF16:
  case ValueType::Bool:
  case ValueType::CF32:
  case ValueType::CF64:
    break;
  }
  return false;
}

template <typename From, typename To> std::optional<int64_t> convert(const char *from, int64_t elements, To *to) {
  if constexpr (std::is_floating_point_v<To>) {
    for (int64_t e = 0; e < elements; ++e)
      to[e] = static_cast<To>(static_cast<double>(loaded<From>(from, e)));
  } else {
    for (int64_t e = 0; e < elements; ++e) {
      const From value = loaded<From>(from, e);
      if (!std::in_range<To>(value))
        return e;
      to[e] = static_cast<To>(value);
    }
  }
  return std::nullopt;
}

/// Bools are bytes that are 0 or 1.
std::optional<int64_t> copyBools(const char *from, int64_t elements, char *to) {
  for (int64_t e = 0; e < elements; ++e)
    if (static_cast<unsigned char>(from[e]) > 1)
      return e;
  std::memcpy(to, from, static_cast<size_t>(elements));
  return std::nullopt;
}

} // namespace

Number NumpyArray::number(int64_t at) const {
  alignas(16) std::array<char, 16> element{};
  std::memcpy(element.data(), bytes.data() + static_cast<size_t>(at) * elementBytes, elementBytes);
  const size_t partBytes = kind == 'c' ? elementBytes / 2 : elementBytes;
  for (size_t part = 0; isBigEndian && part < elementBytes; part += partBytes)
    std::reverse(element.data() + part, element.data() + part + partBytes);
  if (isInteger() && elementBytes == sizeof(int64_t)) { // whose ends are infinities to loadNumber()
    int64_t value = 0;
    std::memcpy(&value, element.data(), sizeof(value));
    return fromInteger(kind == 'i' ? Integer{value} : Integer{static_cast<uint64_t>(value)});
  }
  return loadNumber(element.data(), *numberType(kind, elementBytes), 0);
}

std::optional<int64_t> NumpyArray::integer(int64_t at) const {
  const Integer value = toInteger(number(at)).value_or(INT64_MIN);
  return value >= INT64_MIN && value <= INT64_MAX ? std::optional(static_cast<int64_t>(value)) : std::nullopt;
}

std::optional<int64_t> NumpyArray::store(int64_t begin, int64_t elements, ValueType type, void *to) const {
  const ValueType own = *numberType(kind, elementBytes);
  const char *from = bytes.data() + static_cast<size_t>(begin) * elementBytes;
  if (isBigEndian && elementBytes > 1) {
    for (int64_t done = 0; done < elements; done += kAtOnce) {
      std::string turned(from + static_cast<size_t>(done) * elementBytes,
                         static_cast<size_t>(std::min(kAtOnce, elements - done)) * elementBytes);
      const size_t partBytes = kind == 'c' ? elementBytes / 2 : elementBytes;
      for (size_t part = 0; part < turned.size(); part += partBytes)
        std::reverse(turned.data() + part, turned.data() + part + partBytes);
      NumpyArray piece = *this;
      piece.isBigEndian = false;
      piece.bytes = turned;
      char *at = static_cast<char *>(to) + done * sema::bytesOf(type);
      if (const auto bad = piece.store(0, std::min(kAtOnce, elements - done), type, at))
        return begin + done + *bad;
    }
    return std::nullopt;
  }
  std::optional<int64_t> bad;
  const auto after = [&](std::optional<int64_t> place) { bad = place ? std::optional(begin + *place) : std::nullopt; };
  if (own == type) {
    if (type == ValueType::Bool)
      after(copyBools(from, elements, static_cast<char *>(to)));
    else if (elements > 0)
      std::memcpy(to, from, static_cast<size_t>(elements) * elementBytes);
    return bad;
  }
  bool isDone = false;
  withCType(type, [&]<typename To>(To *) {
    withCType(own == ValueType::Bool ? ValueType::U8 : own, [&]<typename From>(From *) {
      if constexpr (std::is_floating_point_v<To> || std::is_integral_v<From>) {
        after(convert<From>(from, elements, static_cast<To *>(to)));
        isDone = true;
      }
    });
  });
  for (int64_t e = 0; !isDone && !bad && e < elements; ++e)
    if (!storeNumber(to, type, e, number(begin + e)))
      bad = begin + e;
  return bad;
}

void NumpyArray::copyIntegers(int64_t begin, int64_t elements, int64_t *to) const {
  for (int64_t done = 0; done < elements; ++done) {
    const std::optional<int64_t> bad = store(begin + done, elements - done, ValueType::I64, to + done);
    if (!bad)
      return;
    done = *bad - begin;
    to[done] = -1;
  }
}

std::string NumpyArray::text() const {
  std::string characters;
  for (const char byte : count == 1 && isText() ? bytes : std::string_view())
    if (byte != '\0')
      characters += byte;
  return characters;
}

} // namespace spc::tensor
