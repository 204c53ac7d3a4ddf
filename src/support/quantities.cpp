#include "support/quantities.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

namespace spc {

namespace {

constexpr double kMostInDigits = 1e15;

std::string scaled(double number, double step, const char *const *units, size_t count) {
  size_t unit = 0;
  for (; unit + 1 < count && number >= step; ++unit)
    number /= step;
  char text[64];
  std::snprintf(text, sizeof text, unit == 0 && step > 1 && number == std::floor(number) ? "%.0f %s" : "%.3g %s",
                number, units[unit]);
  return text;
}

} // namespace

std::string numberText(double number) {
  char text[64];
  const bool isWhole = std::abs(number) < kMostInDigits && number == std::floor(number);
  std::snprintf(text, sizeof text, isWhole ? "%.0f" : "%.3g", number);
  std::string digits = text;
  const std::ptrdiff_t first = digits.starts_with('-') ? 2 : 1;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; isWhole && at >= first; at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

std::string roughText(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", number);
  return text;
}

std::string byteText(double bytes) {
  static constexpr std::array kUnits = {"bytes", "kB", "MB", "GB", "TB"};
  return scaled(bytes, 1000, kUnits.data(), kUnits.size());
}

std::string timeText(double seconds) {
  static constexpr std::array kUnits = {"ns", "us", "ms", "s"};
  return scaled(seconds * 1e9, 1000, kUnits.data(), kUnits.size());
}

} // namespace spc
