// --time-passes for what the driver itself does.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace spc::driver {

/// Wall times of the phases of a run, in the order in which they ended.
class PhaseTimer {
public:
  /// Ends a phase that began at construction or at the last call.
  void phase(std::string name);

  /// The phases so far as a table on standard error.
  void print() const;

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  std::vector<std::pair<std::string, double>> milliseconds_;
};

} // namespace spc::driver
