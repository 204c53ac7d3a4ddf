// What the types of values make of numbers that are worked out in double precision.
#pragma once

#include "sema/value_type.h"

#include <complex>
#include <limits>

namespace spc::testing {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();

/// A number as the type holds it: integers, worked out exactly, wrap around, and infinities are the ends of their type;
/// anything but 0 is true; too large an f16 is infinite. Floats are not rounded, see epsilonOf.
std::complex<double> converted(std::complex<double> value, sema::ValueType type);

/// The greatest or the least number of a type. Those of 64-bit integers, which are no doubles, are infinities.
double endOf(sema::ValueType type, bool isLeast);

/// A tensor's number in the type in which it is computed with.
double readAs(double value, sema::ValueType from, sema::ValueType to);

/// The relative rounding error of one operation; complex ones are made of several.
double epsilonOf(sema::ValueType type);

} // namespace spc::testing
