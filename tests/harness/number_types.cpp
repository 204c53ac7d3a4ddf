#include "harness/number_types.h"

#include <cmath>
#include <limits>

namespace spc::testing {

std::complex<double> converted(std::complex<double> value, sema::ValueType type) {
  if (type == sema::ValueType::Bool)
    return value != 0.0 ? 1 : 0;
  if (type == sema::ValueType::F16 && std::abs(value) >= 65520)
    return std::copysign(std::numeric_limits<double>::infinity(), value.real());
  if (!sema::isInteger(type))
    return value;
  if (std::isinf(value.real()))
    return endOf(type, value.real() < 0);
  const double modulus = std::ldexp(1, 8 * sema::bytesOf(type));
  const double least = sema::isUnsigned(type) ? 0 : -modulus / 2;
  return value.real() - modulus * std::floor((value.real() - least) / modulus);
}

double endOf(sema::ValueType type, bool isLeast) {
  if (type == sema::ValueType::Bool)
    return isLeast ? 0 : 1;
  if (sema::isUnsigned(type) && isLeast)
    return 0;
  if (!sema::isInteger(type) || sema::bytesOf(type) == 8)
    return isLeast ? -HUGE_VAL : HUGE_VAL;
  const double range = std::ldexp(1, 8 * sema::bytesOf(type));
  return sema::isUnsigned(type) ? range - 1 : isLeast ? -range / 2 : range / 2 - 1;
}

double readAs(double value, sema::ValueType from, sema::ValueType to) {
  if (from == to || !sema::isInteger(from))
    return value;
  if (!std::isinf(value))
    return sema::isInteger(to) ? converted(value, to).real() : value;
  const double end = value < 0 ? -0x1p63 : sema::isUnsigned(from) ? 0x1p64 : 0x1p63;
  return !sema::isInteger(to) ? end : sema::isUnsigned(from) ? -1 : to == sema::ValueType::U64 ? 0x1p63 : end;
}

double epsilonOf(sema::ValueType type) {
  switch (type) {
  case sema::ValueType::F16:
    return 0x1p-10;
  case sema::ValueType::BF16:
    return 0x1p-7;
  case sema::ValueType::F32:
    return 0x1p-23;
  case sema::ValueType::CF32:
    return 0x1p-21;
  case sema::ValueType::CF64:
    return 0x1p-50;
  default:
    return 0x1p-52;
  }
}

} // namespace spc::testing
