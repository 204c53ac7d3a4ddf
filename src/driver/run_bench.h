// `spc run --bench`: how long calls take, and what share of the machine's roofs that is.
#pragma once

#include "driver/call_memory.h"
#include "driver/kernel_call.h"
#include "driver/run_cost.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

constexpr double kRoundSeconds = 5e-3; ///< that a round of calls takes at least

/// How long calls took.
struct Measurement {
  std::vector<double> seconds; ///< of one call, the mean of each round
  int callsARound = 1;
  CallMemory memory;
  size_t places = 1; ///< of memory in which the arrays lay, in one round after the other
};

/// Calls a kernel that has run once, in `rounds` rounds (0: as many as take some 2 seconds, 3 to 15): where calls are
/// short one that is not timed, then as many as take 5 ms. Arrays lie in three places of memory, in turns, where
/// there are rounds enough and memory is. Before each call, arguments that calls overwrite are made what they were
/// before the first one, by `state`; what calls allocate is freed. nullopt with an error reported.
std::optional<Measurement> measureCalls(Session &session, KernelCall &call, const SavedArguments &state, Pages pages,
                                        int rounds);

/// Median, quartiles and the least time, as a line of text.
std::string timeLine(const Measurement &measurement, int threads);

/// The medians of the rounds in each place.
std::vector<double> placeMedians(const Measurement &measurement);

/// On which pages arrays lay, and what differs by their places, as a line of text.
std::string memoryLine(const Measurement &measurement);

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
Rates ratesOf(const Measurement &measurement, const Work &work, int threads);

/// Operations and bytes a second as lines of text, each with its share of the roof.
std::string rateLines(const Rates &rates);

/// All of it as one line of JSON, in seconds, operations and bytes; what is unknown is null.
std::string benchJson(const Measurement &measurement, const Rates &rates);

} // namespace spc::driver
