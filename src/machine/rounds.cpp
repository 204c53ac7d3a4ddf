#include "machine/rounds.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <limits>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace spc::machine {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What the last thread to arrive at a barrier does: each round begins at one and ends at the next.
class Stopwatch {
public:
  explicit Stopwatch(double seconds) : seconds_(seconds) {}

  void press() noexcept {
    runs_ = !runs_;
    if (runs_) {
      start_ = Clock::now();
      begin_ = rounds_ == 0 ? start_ : begin_;
      return;
    }
    if (rounds_++ > 0)
      least_ = std::min(least_, secondsSince(start_));
    ends_ = rounds_ > 1 && secondsSince(begin_) >= seconds_;
  }

  bool ends() const { return ends_; }
  double least() const { return least_; }

private:
  const double seconds_;
  Clock::time_point begin_, start_;
  int rounds_ = 0;
  bool runs_ = false, ends_ = false;
  double least_ = std::numeric_limits<double>::infinity();
};

} // namespace

double leastSeconds(int &threads, Effort effort, const std::function<void(int)> &prepare,
                    const std::function<void(int)> &work) {
  Stopwatch watch(effort.seconds);
  const auto press = [&watch]() noexcept { watch.press(); };
  using Barrier = std::barrier<decltype(press)>;
  std::optional<Barrier> barrier;
  std::atomic<bool> isOpen = false;
  const auto run = [&](int thread) {
    isOpen.wait(false);
    prepare(thread);
    do {
      barrier->arrive_and_wait();
      work(thread);
      barrier->arrive_and_wait();
    } while (!watch.ends());
  };
  std::vector<std::jthread> others;
  try {
    while (static_cast<int>(others.size()) + 1 < threads)
      others.emplace_back(run, static_cast<int>(others.size()) + 1);
  } catch (const std::system_error &) { // a limit on threads
    threads = static_cast<int>(others.size()) + 1;
  }
  barrier.emplace(threads, press);
  isOpen = true;
  isOpen.notify_all();
  run(0);
  others.clear();
  return watch.least();
}

} // namespace spc::machine
