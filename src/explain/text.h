// An explanation as text for a terminal.
#pragma once

#include "explain/explanation.h"
#include "support/quantities.h"

namespace spc::explain {

/// Paragraphs: the tensors, remarks, a nest of loops for each statement, what a call costs, other formats, provenance.
std::string textOf(const Explanation &explanation);

/// " (12.3 % of all)"; empty where there is none.
std::string shareText(std::optional<double> share);
/// "10.2 ms a call on 2 threads, 12.5 times the best possible", where that is known. Requires a measured time.
std::string measuredText(const Explanation &explanation);

/// Seconds that the traffic and the arithmetic take at best; nullopt without roofs or without data.
std::optional<double> leastTime(const Explanation &explanation);

} // namespace spc::explain
