#include "runtime/runtime.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace spc::runtime::test {
namespace {

Trial newTrial() {
  Trial trial{};
  trial.choice = -1;
  trial.least[0] = trial.least[1] = INT64_MAX;
  return trial;
}

/// Keeps the clock busy.
void spend(int64_t rounds) {
  static std::atomic<int64_t> sink;
  for (int64_t n = 0; n < rounds; ++n)
    sink.fetch_add(n, std::memory_order_relaxed);
}

/// Begins and ends a piece of 1000 units of work, which takes `rounds` by one loop and by the other.
int64_t runPiece(Trial &trial, const int64_t (&rounds)[2], int64_t usual) {
  const int64_t piece = spc_rt_trial_begin(&trial, usual);
  spend(rounds[piece & 1]);
  spc_rt_trial_end(&trial, piece, 1000);
  return piece & 1;
}

#if defined(__x86_64__) || defined(__aarch64__)

TEST_CASE("a trial takes both loops in turn, then the faster one") {
  for (const int64_t faster : {0, 1}) {
    CAPTURE(faster);
    Trial trial = newTrial();
    const int64_t rounds[2] = {faster == 0 ? 1000 : 100000, faster == 1 ? 1000 : 100000};
    std::vector<int64_t> loops;
    for (int64_t n = 0; n < kTrials; ++n)
      loops.push_back(runPiece(trial, rounds, 0));
    CHECK(loops == std::vector<int64_t>{0, 0, 1, 1, 0, 0, 1, 1, 0});
    for (int64_t n = 0; n < 5; ++n)
      CHECK(runPiece(trial, rounds, 1 - faster) == faster);
  }
}

TEST_CASE("threads share a trial") {
  Trial trial = newTrial();
  const int64_t rounds[2] = {100000, 1000};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int n = 0; n < 20; ++n)
        runPiece(trial, rounds, 0);
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(trial.ended == kTrials - 1);
  CHECK(trial.choice == 1);
}

#endif

TEST_CASE("where nothing is to be found out loops are as usual") {
  Trial trial = newTrial();
  trial.begun = kTrials;
  const int64_t rounds[2] = {1, 1};
  for (const int64_t usual : {1, 0, 1}) {
    CHECK(runPiece(trial, rounds, usual) == usual);
    CHECK(trial.begun == kTrials);
    CHECK(trial.ended == 0);
  }
}

TEST_CASE("pieces that have begun by the time of the choice do as usual") {
  Trial trial = newTrial();
  for (int64_t n = 0; n < kTrials; ++n)
    spc_rt_trial_begin(&trial, 0);
  CHECK(spc_rt_trial_begin(&trial, 1) == 1);
  CHECK(spc_rt_trial_begin(&trial, 0) == 0);
  CHECK(trial.choice == -1);
}

TEST_CASE("a piece without work is no division by zero") {
  Trial trial = newTrial();
  for (int64_t n = 0; n < 2; ++n)
    spc_rt_trial_end(&trial, spc_rt_trial_begin(&trial, 0), 0);
  CHECK(trial.ended == 1);
}

} // namespace
} // namespace spc::runtime::test
