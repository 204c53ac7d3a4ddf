#include "host/measure.h"

#include "support/memory.h"

#include <algorithm>
#include <chrono>

namespace spc::host {

namespace {

constexpr double kAllSeconds = 2;
constexpr double kLongCall = 0.1; ///< what comes before it in caches no longer matters

using BenchClock = std::chrono::steady_clock;

/// Calls in rounds.
class Rounds {
public:
  Rounds(Session &session, KernelCall &call, const SavedArguments &state, Pages pages)
      : session_(session), call_(call), state_(state), pages_(pages) {}

  std::optional<Measurement> run(int rounds) {
    Progress::Phase phase(session_.progress(), "measuring", WorkUnit::Calls);
    const double once = secondsOfCall();
    if (failed_)
      return std::nullopt;
    Measurement measured;
    measured.callsARound = std::max(1, static_cast<int>(kRoundSeconds / std::max(once, 1e-9)));
    const bool isShort = once < kLongCall;
    if (rounds == 0)
      rounds = std::clamp(static_cast<int>(kAllSeconds / std::max(once, kRoundSeconds)), 3, 15);
    count_ = phase.count();
    if (count_)
      count_->begin(static_cast<uint64_t>(rounds) * static_cast<uint64_t>(measured.callsARound + (isShort ? 1 : 0)));
    measured.memory = memoryOf(call_, pages_);
    Places places(call_, placesFor(measured.memory, rounds));
    measured.places = static_cast<size_t>(places.count());
    for (int round = 0; round < rounds && !failed_; ++round) {
      places.use(round % places.count()); // in turns, so that what slows the machine slows all of them
      if (isShort)
        secondsOfCall();
      double total = 0;
      for (int n = 0; n < measured.callsARound && !failed_; ++n)
        total += secondsOfCall();
      measured.seconds.push_back(total / measured.callsARound);
    }
    return failed_ ? std::nullopt : std::optional(std::move(measured));
  }

private:
  /// In how many places of memory the arrays are to lie.
  static int placesFor(const CallMemory &memory, int rounds) {
    constexpr int kPlaces = 3, kRoundsInEach = 3;
    constexpr double kShare = 0.25; // of the memory that is free
    const int places = std::clamp(rounds / kRoundsInEach, 1, kPlaces);
    return (places - 1) * memory.bytes < kShare * freeMemory() ? places : 1;
  }

  double secondsOfCall() {
    if (failed_ || !state_.restore(session_, call_)) {
      failed_ = true;
      return 0;
    }
    std::vector<void *> pointers = pointersOf(call_);
    const BenchClock::time_point start = BenchClock::now();
    const int32_t status = call_.code.invoke()(call_.context, pointers.data());
    const double seconds = std::chrono::duration<double>(BenchClock::now() - start).count();
    failed_ = !finishCall(session_, call_, status);
    if (count_)
      count_->add(1);
    return seconds;
  }

  Session &session_;
  KernelCall &call_;
  const SavedArguments &state_;
  Pages pages_;
  WorkCount *count_ = nullptr; ///< lives while run() runs
  bool failed_ = false;
};

} // namespace

std::optional<Measurement> measureCalls(Session &session, KernelCall &call, const SavedArguments &state, Pages pages,
                                        int rounds) {
  if (pages == Pages::Huge)
    keepFreedMemory();
  return Rounds(session, call, state, pages).run(rounds);
}

} // namespace spc::host
