#include "driver/run/shares.h"

#include "tensor/numbers.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

namespace spc::driver {

namespace {

using sema::Reduction;
using sema::ValueType;

/// IEEE 754's minimum and maximum: of a NaN NaN, and -0 is less than 0.
template <typename T> T betterOf(T a, T b, bool isMost) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return a + b;
    if (a == b)
      return std::signbit(a) == isMost ? b : a;
  }
  return (isMost ? a > b : a < b) ? a : b;
}

/// The sum or the product; integers wrap.
template <typename T> T combined(Reduction reduction, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>; // as C++ leaves it open what large signed ones make
    const auto x = uint64_t{static_cast<Unsigned>(a)}, y = uint64_t{static_cast<Unsigned>(b)};
    return static_cast<T>(reduction == Reduction::Product ? x * y : x + y);
  } else {
    return reduction == Reduction::Product ? a * b : a + b;
  }
}

template <typename T> void reduceAll(Reduction reduction, void *result, const void *share, int64_t count) {
  T *const to = static_cast<T *>(result);
  const T *const from = static_cast<const T *>(share);
  if constexpr (std::is_arithmetic_v<T>) {
    const bool isMost = reduction == Reduction::Max || reduction == Reduction::Any;
    if (isMost || reduction == Reduction::Min || reduction == Reduction::All) {
      for (int64_t k = 0; k < count; ++k)
        to[k] = betterOf(to[k], from[k], isMost);
      return;
    }
  }
  if (reduction == Reduction::Product)
    for (int64_t k = 0; k < count; ++k)
      to[k] = combined(Reduction::Product, to[k], from[k]);
  else
    for (int64_t k = 0; k < count; ++k)
      to[k] = combined(Reduction::Sum, to[k], from[k]);
}

/// Half floats, in singles.
void reduceHalves(Reduction reduction, ValueType type, void *result, const void *share, int64_t count) {
  for (int64_t k = 0; k < count; ++k) {
    auto value = static_cast<float>(tensor::loadNumber(result, type, k).real);
    const auto other = static_cast<float>(tensor::loadNumber(share, type, k).real);
    reduceAll<float>(reduction, &value, &other, 1);
    tensor::storeNumber(result, type, k, {value});
  }
}

/// Bools are bytes that are 0 or 1: their sum is whether one is, their product whether both are.
Reduction ofBools(Reduction reduction) {
  return reduction == Reduction::Sum ? Reduction::Any : reduction == Reduction::Product ? Reduction::All : reduction;
}

} // namespace

void reduceShare(Reduction reduction, ValueType type, void *result, const void *share, int64_t count) {
  switch (type) {
  case ValueType::F32:
    return reduceAll<float>(reduction, result, share, count);
  case ValueType::F64:
    return reduceAll<double>(reduction, result, share, count);
  case ValueType::I8:
    return reduceAll<int8_t>(reduction, result, share, count);
  case ValueType::I16:
    return reduceAll<int16_t>(reduction, result, share, count);
  case ValueType::I32:
    return reduceAll<int32_t>(reduction, result, share, count);
  case ValueType::I64:
    return reduceAll<int64_t>(reduction, result, share, count);
  case ValueType::U8:
    return reduceAll<uint8_t>(reduction, result, share, count);
  case ValueType::U16:
    return reduceAll<uint16_t>(reduction, result, share, count);
  case ValueType::U32:
    return reduceAll<uint32_t>(reduction, result, share, count);
  case ValueType::U64:
    return reduceAll<uint64_t>(reduction, result, share, count);
  case ValueType::Bool:
    return reduceAll<uint8_t>(ofBools(reduction), result, share, count);
  case ValueType::CF32:
    return reduceAll<std::complex<float>>(reduction, result, share, count);
  case ValueType::CF64:
    return reduceAll<std::complex<double>>(reduction, result, share, count);
  case ValueType::F16:
  case ValueType::BF16:
    return reduceHalves(reduction, type, result, share, count);
  }
}

} // namespace spc::driver
