// A line at the bottom of a terminal that says how far long work is.
#pragma once

#include "support/work_count.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace spc {

/// The things that a WorkCount counts.
enum class WorkUnit {
  None,    ///< nothing: time alone is shown
  Bytes,   ///< of a file
  Entries, ///< of a tensor
  Tasks,   ///< of a loop that is divided among threads; each part is a loop
  Calls,   ///< of a kernel
};

/// How far work is at one moment.
struct WorkState {
  uint64_t done = 0;
  uint64_t total = 0; ///< 0: unknown
  uint64_t part = 0;
  double seconds = 0;     ///< since the work began
  double partSeconds = 0; ///< since its part began
};

/// "1.2 GB of 3.4 GB, 210 MB/s, 10 s left": what is known of the work, its rate and the time that it takes still, or
/// how long it has taken where that is unknown.
std::string progressText(WorkUnit unit, const WorkState &state);

/// When and how often a line is shown.
struct ProgressTimes {
  std::chrono::milliseconds patience{1000}; ///< work that is done by then is not shown
  std::chrono::milliseconds between{100};   ///< from one line to the next
};

/// The line. Off until it is turned on; while it is off, nothing here does anything. Functions are for one thread.
class Progress {
public:
  /// Writes to the file descriptor `file`.
  explicit Progress(int file, ProgressTimes times = {}) : file_(file), times_(times) {}

  /// To be called for a terminal that takes control sequences.
  void turnOn() { isOn_ = true; }
  bool isOn() const { return isOn_; }

  /// Writes `text` over the line, made printable and as much of it as the terminal has room for; nothing while the
  /// process is in the terminal's background.
  void draw(std::string_view text) const;
  /// Removes the line.
  void clear() const;

  /// Work that goes on for as long as this lives; after some patience the line says how far it is.
  class Phase {
  public:
    /// "WHAT: ..."; `what` as in "reading a.mtx".
    Phase(const Progress &progress, std::string what, WorkUnit unit);
    Phase(const Phase &) = delete;
    Phase &operator=(const Phase &) = delete;
    ~Phase();

    /// To be counted in; null where nobody looks.
    WorkCount *count() { return thread_.joinable() ? &count_ : nullptr; }

  private:
    using Clock = WorkCount::Clock;
    void show();
    WorkState state() const;

    const Progress &progress_;
    std::string what_;
    WorkUnit unit_;
    WorkCount count_;
    Clock::time_point begin_ = Clock::now();
    std::mutex mutex_;
    std::condition_variable ended_;
    bool hasEnded_ = false;
    std::thread thread_;
  };

private:
  int file_;
  ProgressTimes times_;
  bool isOn_ = false;
};

} // namespace spc
