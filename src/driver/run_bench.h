// `spc run --bench`: how long calls take, and what share of the machine's roofs that is.
#pragma once

#include "driver/kernel_call.h"
#include "driver/run_cost.h"

#include <vector>

namespace spc::driver {

/// How long calls took.
struct Measurement {
  std::vector<double> seconds; ///< of one call, the mean of each round
  int callsARound = 1;
};

/// Calls a kernel that has run once, in `rounds` rounds (0: as many as take some 2 seconds, 3 to 15): where calls are
/// short one that is not timed, then as many as take 5 ms. Before each call, arguments that calls overwrite are made
/// what they were before the first one, by `state`; what calls allocate is freed. nullopt with an error reported.
std::optional<Measurement> measureCalls(Session &session, KernelCall &call, const SavedArguments &state, int rounds);

/// Median, quartiles and the least time, as a line of text.
std::string timeLine(const Measurement &measurement, int threads);

/// Operations and bytes a second as lines of text, each with its share of the roof that is measured for it:
/// multiply-adds in the type that most is computed in, and the bandwidth of arrays as large as the arguments.
std::string rateLines(const Measurement &measurement, const Work &work, int threads);

} // namespace spc::driver
