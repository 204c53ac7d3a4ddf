#include "language/constant.h"

#include <charconv>
#include <cmath>

namespace spc::language {
namespace {

/// Holds every integer of 64 bits, and is as exact beyond as ConstantNumber::rest allows.
__extension__ typedef __int128 Wide;

constexpr double kFarBeyond = 0x1p66; ///< an integer up to here, less its nearest double, has 16 bits

std::string digitsOf(Wide integer) {
  std::string digits;
  for (; integer != 0; integer /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(integer % 10)));
  return digits.empty() ? "0" : digits;
}

/// The size of a real number in as few digits as read back as the same.
std::string sizeText(double size, int rest) {
  if (std::isnan(size))
    return "nan";
  if (std::isinf(size))
    return "inf";
  if (rest != 0)
    return digitsOf(static_cast<Wide>(size) + rest);
  char text[40];
  return {text, std::to_chars(text, text + sizeof(text), size).ptr};
}

} // namespace

ConstantNumber ConstantEntries::value(size_t entry) const {
  return {values[entry], imaginary.empty() ? 0 : imaginary[entry], rests.empty() ? int16_t{0} : rests[entry]};
}

void ConstantEntries::append(const ConstantNumber &number) {
  const bool hasImaginary = number.imaginary != 0 || std::signbit(number.imaginary);
  if (hasImaginary)
    imaginary.resize(values.size());
  if (hasImaginary || !imaginary.empty())
    imaginary.push_back(number.imaginary);
  if (number.rest != 0)
    rests.resize(values.size());
  if (number.rest != 0 || !rests.empty())
    rests.push_back(number.rest);
  values.push_back(number.real);
}

std::string bytesOf(const ConstantEntries &entries) {
  std::string bytes;
  const auto add = [&](const auto &numbers) {
    const size_t count = numbers.size();
    bytes.append(reinterpret_cast<const char *>(&count), sizeof(count));
    if (count > 0)
      bytes.append(reinterpret_cast<const char *>(numbers.data()), count * sizeof(numbers.front()));
  };
  add(entries.shape);
  add(entries.coordinates);
  add(entries.values);
  add(entries.imaginary);
  add(entries.rests);
  return bytes;
}

ConstantNumber integerOfDigits(std::string_view digits) {
  constexpr size_t kMostDigits = 20;
  Wide integer = 0;
  for (const char digit : digits)
    integer = digits.size() > kMostDigits ? integer : 10 * integer + (digit - '0');
  double nearest = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), nearest);
  const bool isExact = digits.size() > kMostDigits || nearest > kFarBeyond;
  return {nearest, 0, isExact ? int16_t{0} : static_cast<int16_t>(integer - static_cast<Wide>(nearest))};
}

std::string textOf(const ConstantNumber &number) {
  const bool isNegative = std::signbit(number.real), hasImaginary = number.imaginary != 0;
  const std::string text =
      (isNegative ? "-" : "") + sizeText(std::abs(number.real), isNegative ? -number.rest : number.rest);
  if (!hasImaginary)
    return text;
  return text + (std::signbit(number.imaginary) ? "-" : "+") + sizeText(std::abs(number.imaginary), 0) + "i";
}

} // namespace spc::language
