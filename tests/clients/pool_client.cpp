// spc/pool.h: one pool for C and C++, plain functions that run on it, calls from tasks and from several threads at
// once, stops, forks.
#include <spc/pool.h>

#include "spmv.h"

#include "expect.h"
#include "pool_c.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
constexpr bool kHasThreadSanitizer = true;
#else
constexpr bool kHasThreadSanitizer = false;
#endif

constexpr int kThreads = 3;

/// Counts the tasks of each index, and the threads that run them.
struct Counter {
  std::vector<std::atomic<int>> runs;
  std::mutex mutex;
  std::set<std::thread::id> threads;

  explicit Counter(int64_t tasks) : runs(size_t(tasks)) {}

  static void run(void *closure, int64_t index) {
    Counter &self = *static_cast<Counter *>(closure);
    ++self.runs[size_t(index)];
    const std::lock_guard<std::mutex> lock(self.mutex);
    self.threads.insert(std::this_thread::get_id());
  }

  bool ranAll(int times) const {
    for (const std::atomic<int> &runsOfOne : runs)
      if (runsOfOne != times)
        return false;
    return true;
  }
};

void run(int64_t tasks, void (*task)(void *, int64_t), void *closure) {
  const spc_context context = spc_pool_context();
  context.parallel_for(context.user, tasks, task, closure);
}

void testTasks() {
  for (const int64_t tasks : {0, 1, 2, 3, 128, 1000}) {
    Counter counter(tasks);
    for (int times = 1; times <= 20; ++times) {
      run(tasks, Counter::run, &counter);
      EXPECT(counter.ranAll(times));
    }
    EXPECT(counter.threads.size() <= kThreads);
  }
}

/// Tasks that wait for each other need a thread each.
/// Threads begin with shares of their own, one after the other without gaps, and go on with those of others.
void testShares() {
  for (const int64_t tasks : {1, 2, 7, 128, 1000})
    for (const int64_t threads : {1, 2, 3, 128, 500})
      for (int64_t thread = 0; thread < threads; ++thread) {
        spc_detail_shares shares;
        spc_detail_share_out(&shares, tasks, threads);
        EXPECT(spc_detail_has_tasks(&shares));
        std::vector<int64_t> order;
        const auto note = [](void *closure, int64_t index) {
          static_cast<std::vector<int64_t> *>(closure)->push_back(index);
        };
        EXPECT(spc_detail_run_shares(&shares, thread, note, &order) == tasks);
        EXPECT(!spc_detail_has_tasks(&shares));
        const int64_t first = spc_detail_share_begin(&shares, thread % shares.count);
        for (int64_t place = 0; place < tasks; ++place)
          EXPECT(order[size_t(place)] == (first + place) % tasks);
      }
}

void testThreads() {
  std::atomic<int> arrived{0};
  run(
      kThreads,
      [](void *closure, int64_t) {
        std::atomic<int> &count = *static_cast<std::atomic<int> *>(closure);
        for (++count; count < kThreads;)
          std::this_thread::yield();
      },
      &arrived);
  EXPECT(arrived == kThreads);
}

void testCallsFromTasks() {
  Counter counter(10);
  run(
      8,
      [](void *closure, int64_t) {
        const std::thread::id here = std::this_thread::get_id();
        Counter own(10);
        run(10, Counter::run, &own);
        EXPECT(own.ranAll(1) && own.threads == std::set<std::thread::id>{here});
        run_in_c(10, Counter::run, closure);
      },
      &counter);
  EXPECT(counter.ranAll(8));
}

void testCallers() {
  std::vector<std::thread> callers;
  for (int n = 0; n < 4; ++n)
    callers.emplace_back([n] {
      for (int times = 0; times < 50; ++times) {
        Counter counter(5 + n);
        run(5 + n, Counter::run, &counter);
        EXPECT(counter.ranAll(1));
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

/// A matrix with enough work for several threads, through plain functions of C and C++.
void testKernels() {
  constexpr int64_t kRows = 20000, kEntries = 10 * kRows;
  std::vector<int32_t> pointers, columns;
  std::vector<double> values, x(kRows, 1), inC(kRows), inCxx(kRows), serial(kRows);
  for (int64_t entry = 0; entry < kEntries; ++entry) {
    if (entry % 10 == 0)
      pointers.push_back(int32_t(entry));
    columns.push_back(int32_t(entry % 10 * 1999 + entry / 10 % 1999));
    values.push_back(1.0 / double(entry % 17 + 1));
  }
  pointers.push_back(int32_t(kEntries));
  const spc_csr_f64_i32 A = {kRows, kRows, kEntries, pointers.data(), columns.data(), values.data()};
  const spc_dense1_f64 xs = spc_dense1_f64_make(x.data(), kRows);
  spc_dense1_f64 c = spc_dense1_f64_make(inC.data(), kRows), cxx = spc_dense1_f64_make(inCxx.data(), kRows),
                 one = spc_dense1_f64_make(serial.data(), kRows);
  EXPECT(spc_default_context().parallel_for == spc_pool_parallel_for);
  EXPECT_STATUS(SPC_OK, spmv_ctx(nullptr, &A, &xs, &one));
  const unsigned before = spc_pool_shared_2.changes;
  *spc_pool_cost() = 0;
  EXPECT_STATUS(SPC_OK, spmv_in_c(&A, &xs, &c));
  EXPECT(spc_pool_shared_2.changes == before + 1);
  EXPECT(*spc_pool_cost() > 0);
  *spc_pool_cost() = 0;
  EXPECT_STATUS(SPC_OK, spmv(&A, &xs, &cxx));
  EXPECT(spc_pool_shared_2.changes == before + 2);
  EXPECT(inC == serial && inCxx == serial);
}

void testStop() {
  EXPECT(spc_pool_shared_2.started == kThreads - 1);
  spc_pool_stop();
  EXPECT(spc_pool_shared_2.started == 0);
  spc_pool_stop();
  testThreads();
  EXPECT(spc_pool_shared_2.started == kThreads - 1);
  run(4, [](void *, int64_t) { spc_pool_stop(); }, nullptr);
  EXPECT(spc_pool_shared_2.started == kThreads - 1);
}

/// A child has a pool of its own. Not under thread sanitizer, which has no threads in children.
void testFork() {
  const pid_t child = fork();
  if (child == 0) {
    testThreads();
    testTasks();
    execl(failures == 0 ? "/bin/true" : "/bin/false", "", nullptr); // checkers of memory look at no copy's exit
    _exit(1);
  }
  int status = -1;
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  testThreads();
}

} // namespace

int main() {
  unsetenv("SPC_NUM_THREADS");
  const int all = spc_pool_count();
  for (const char *none : {"-3", "0", "many", ""}) {
    setenv("SPC_NUM_THREADS", none, 1);
    EXPECT(spc_pool_count() == all);
  }
  setenv("SPC_NUM_THREADS", "3", 1);
  EXPECT(spc_pool_threads() == kThreads);
  EXPECT(pool_in_c() == &spc_pool_shared_2);
  testTasks();
  testShares();
  testThreads();
  testCallsFromTasks();
  testCallers();
  testKernels();
  testStop();
  if (!kHasThreadSanitizer)
    testFork();
  return failures != 0;
}
