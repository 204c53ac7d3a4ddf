#include "support/threads.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace spc::test {
namespace {

TEST_CASE("work is done on as many threads as are asked for, this one included") {
  for (const size_t threads : {1, 2, 5}) {
    std::atomic<size_t> begun = 0;
    std::mutex mutex;
    std::set<std::thread::id> seen;
    onThreads(threads, [&] {
      ++begun;
      while (begun < threads)
        std::this_thread::yield();
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    CHECK(seen.size() == threads);
    CHECK(seen.contains(std::this_thread::get_id()));
  }
}

TEST_CASE("what a thread throws comes to the caller once all have returned") {
  const std::thread::id own = std::this_thread::get_id();
  for (const bool here : {true, false}) {
    std::atomic<int> begun = 0, returned = 0;
    const auto work = [&] {
      ++begun;
      while (begun < 3)
        std::this_thread::yield();
      ++returned;
      if ((std::this_thread::get_id() == own) == here)
        throw std::runtime_error("no");
    };
    CHECK_THROWS_AS(onThreads(3, work), std::runtime_error);
    CHECK(returned == 3);
  }
}

} // namespace
} // namespace spc::test
