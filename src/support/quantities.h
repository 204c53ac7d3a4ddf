// Numbers, bytes and times as text for people.
#pragma once

#include <string>

namespace spc {

/// A whole number, or one in three digits with an exponent where it is large: "1,234", "1.23e+16".
std::string numberText(double number);

/// A number with two digits: "2e+11".
std::string roughText(double number);

/// "1.5 MB"
std::string byteText(double bytes);

/// "12.3 us"
std::string timeText(double seconds);

} // namespace spc
