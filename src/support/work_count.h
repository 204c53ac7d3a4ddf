// How far work is, for whoever shows it meanwhile.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace spc {

/// Units of work that are done: counted by the threads that do it, read by another one at any time. Work may have parts
/// that follow one another, each counted from 0.
class WorkCount {
public:
  using Clock = std::chrono::steady_clock;

  /// Begins a part of `total` units; 0: nobody knows how many.
  void begin(uint64_t total) {
    done_.store(0, std::memory_order_relaxed);
    total_.store(total, std::memory_order_relaxed);
    begin_.store(Clock::now(), std::memory_order_relaxed);
    part_.fetch_add(1, std::memory_order_release);
  }

  void add(uint64_t units) { done_.fetch_add(units, std::memory_order_relaxed); }

  uint64_t done() const { return done_.load(std::memory_order_relaxed); }
  uint64_t total() const { return total_.load(std::memory_order_relaxed); }
  /// When the part began; of no use before the first one.
  Clock::time_point partBegin() const { return begin_.load(std::memory_order_relaxed); }
  /// Parts that have begun.
  uint64_t part() const { return part_.load(std::memory_order_acquire); }

private:
  std::atomic<uint64_t> done_ = 0, total_ = 0, part_ = 0;
  std::atomic<Clock::time_point> begin_ = Clock::time_point();
};

} // namespace spc
