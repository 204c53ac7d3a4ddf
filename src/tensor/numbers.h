// Elements of any value type as real and imaginary parts, and half-precision floats as their bits.
#pragma once

#include "sema/value_type.h"

#include <cstdint>
#include <string>

namespace spc::tensor {

/// A number of any value type. Integers below 2^53 in magnitude are exact, and so are the greatest and the least number
/// of the 64-bit types, which are infinities here.
struct Number {
  double real = 0;
  double imaginary = 0;
  bool operator==(const Number &) const = default;
};

/// Whether a double is an integer below 2^53 in magnitude: from there on, others may have been rounded to it.
bool isExactInteger(double value);

/// The number for people, in 6 digits: "1.5", or "1.5-2i" where there is an imaginary part.
std::string toText(Number number);

/// Element `at` of an array of `type`.
Number loadNumber(const void *array, sema::ValueType type, int64_t at);

/// Stores a number, rounded to nearest even by float types. False, with nothing stored, where the type has no such
/// number: a fraction, an overflow or 2^53 and more in an integer type, anything but 0 and 1 in a bool, an imaginary
/// part in a real. Infinities are the greatest and the least number of an integer type.
bool storeNumber(void *array, sema::ValueType type, int64_t at, Number number);

/// Why storeNumber() does not store a number: "does not fit the type i8", or that it may have been rounded.
std::string whyNotStored(Number number, sema::ValueType type);

/// IEEE 754 binary16 and the upper half of a binary32, rounded to nearest even.
uint16_t toHalf(float value);
float fromHalf(uint16_t bits);
uint16_t toBrain(float value);
float fromBrain(uint16_t bits);

} // namespace spc::tensor
