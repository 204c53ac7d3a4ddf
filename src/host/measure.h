// Measuring calls: in rounds, with arrays in several places of memory.
#pragma once

#include "host/call_memory.h"
#include "host/kernel_call.h"

#include <optional>
#include <vector>

namespace spc::host {

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

} // namespace spc::host
