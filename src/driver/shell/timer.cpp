#include "driver/shell/timer.h"

#include <cstdio>

namespace spc::driver {

void PhaseTimer::phase(std::string name) {
  Clock::time_point now = Clock::now();
  milliseconds_.emplace_back(std::move(name), std::chrono::duration<double, std::milli>(now - begin_).count());
  begin_ = now;
}

void PhaseTimer::print() const {
  double total = 0;
  std::fprintf(stderr, "===== spc: wall time by phase =====\n");
  for (const auto &[name, time] : milliseconds_) {
    std::fprintf(stderr, "%10.3f ms  %s\n", time, name.c_str());
    total += time;
  }
  std::fprintf(stderr, "%10.3f ms  total\n", total);
}

} // namespace spc::driver
