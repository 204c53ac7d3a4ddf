// Elements of any value type as real and imaginary parts, and half-precision floats as their bits.
#pragma once

#include "sema/value_type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spc::tensor {

/// A number of any value type. The greatest and the least integer of 64 bits that an array holds are infinities here.
struct Number {
  double real = 0;
  double imaginary = 0;
  int16_t rest = 0; ///< of an integer of 2^53 and more in magnitude: what there is beyond `real`, its nearest double
  bool operator==(const Number &) const = default;
};

/// Holds every integer of 64 bits, with and without a sign, and sums of very many of them.
__extension__ typedef __int128 Integer;

/// An integer as a number; exact where it has 64 bits.
Number fromInteger(Integer integer);

/// The integer that a number is; nullopt of fractions, complex numbers, and what is far beyond 64 bits.
std::optional<Integer> toInteger(Number number);

/// The integer that decimal digits stand for, with a sign, a point and an exponent perhaps: "18446744073709551615",
/// "1.5e10". nullopt of anything else, and of 38 digits and more.
std::optional<Integer> readInteger(std::string_view text);

/// The number that `text` stands for, given the double that is nearest to it: integers exactly.
Number withRest(double nearest, std::string_view text);

/// The decimal digits of an integer.
std::string toDigits(Integer integer);

/// The sum, exact of integers, by parts of complex numbers.
Number sumOf(Number a, Number b);

/// The number for people, in so many digits: "1.5", or "1.5-2i" where there is an imaginary part; large integers in
/// full.
std::string toText(Number number, int digits = 6);

/// Element `at` of an array of `type`.
Number loadNumber(const void *array, sema::ValueType type, int64_t at);

/// Stores a number, rounded to nearest even by float types. False, with nothing stored, where the type has no such
/// number: a fraction or an overflow in an integer type, anything but 0 and 1 in a bool, an imaginary part in a real.
/// Infinities are the greatest and the least number of an integer type.
bool storeNumber(void *array, sema::ValueType type, int64_t at, Number number);

/// Why storeNumber() does not store a number: "does not fit the type i8".
std::string whyNotStored(sema::ValueType type);

/// The same with the number, in as many digits as tell it from those that are stored: "value 300 does not fit the type
/// i8".
std::string valueNotStored(Number number, sema::ValueType type);

} // namespace spc::tensor
