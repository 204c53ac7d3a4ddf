// An explanation as text for a terminal.
#pragma once

#include "explain/explanation.h"

namespace spc::explain {

/// Paragraphs: the tensors, a nest of loops for each statement, what a call costs, other formats, remarks.
std::string textOf(const Explanation &explanation);

/// A whole number, or one in three digits with an exponent where it is large: "1234", "1.23e+10".
std::string numberText(double number);
/// "1.5 MB"
std::string byteText(double bytes);
/// "12.3 us"
std::string timeText(double seconds);

/// Seconds that the traffic and the arithmetic take at best; nullopt without roofs or without data.
std::optional<double> leastTime(const Explanation &explanation);

} // namespace spc::explain
