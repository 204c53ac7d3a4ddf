// `spc run --bench`: how long calls take, and what share of the machine's roofs that is.
#pragma once

#include "driver/run/cost.h"
#include "host/measure.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// Median, quartiles and the least time, as a line of text.
std::string timeLine(const host::Measurement &measurement, int threads);

/// The medians of the rounds in each place.
std::vector<double> placeMedians(const host::Measurement &measurement);

/// On which pages arrays lay, and what differs by their places, as a line of text.
std::string memoryLine(const host::Measurement &measurement);

/// What calls do in a second, and what this machine can do, each in the type that most is computed in.
struct Rates {
  Work work;
  int threads = 1;
  std::optional<double> operations;     ///< a second; nullopt where the work is unknown
  std::optional<double> mostOperations; ///< multiply-adds, each two operations; of floats alone
  double bytes = 0;                     ///< a second
  std::optional<double> mostBytes;      ///< a second, of arrays as large as the arguments
};

/// Measures the roofs, in less than a second.
Rates ratesOf(const host::Measurement &measurement, const Work &work, int threads);

/// Operations and bytes a second as lines of text, each with its share of the roof.
std::string rateLines(const Rates &rates);

/// All of it as one line of JSON, in seconds, operations and bytes; what is unknown is null.
std::string benchJson(const host::Measurement &measurement, const Rates &rates);

} // namespace spc::driver
