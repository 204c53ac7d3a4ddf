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
  const double modulus = std::ldexp(1, 8 * sema::bytesOf(type));
  const double least = sema::isUnsigned(type) ? 0 : -modulus / 2;
  return value.real() - modulus * std::floor((value.real() - least) / modulus);
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
