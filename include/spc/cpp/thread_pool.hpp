/// Threads of the standard library for kernels. Part of spc/spc.hpp.
/// SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_THREAD_POOL_HPP
#define SPC_CPP_THREAD_POOL_HPP

#include "context.hpp"

#include <atomic>
#include <condition_variable>
#include <system_error>
#include <thread>
#include <vector>

namespace spc {

/// A number of threads that wait for work, joined when the pool ends: `spmm_ctx(pool, …)`. Any number of threads may
/// call kernels with it at once; calls from within its tasks are run by the thread that makes them. spc/pool.h has one
/// pool for a whole program.
class thread_pool {
public:
  /// Starts so many threads that `threads` compute at once, the calling one included.
  explicit thread_pool(unsigned threads = std::thread::hardware_concurrency()) : hooks_(serial_context()) {
    for (unsigned n = 1; n < threads && start(); ++n) {
    }
    hooks_.user = this;
    if (!workers_.empty())
      hooks_.parallel_for = parallel_for;
  }

  thread_pool(const thread_pool &) = delete;
  thread_pool &operator=(const thread_pool &) = delete;

  ~thread_pool() {
    {
      const std::lock_guard<std::mutex> held(mutex_);
      ends_ = true;
    }
    work_.notify_all();
    for (std::thread &worker : workers_)
      worker.join();
  }

  [[nodiscard]] unsigned threads() const noexcept { return unsigned(workers_.size()) + 1; }

  /// malloc, free and these threads; the pool has to outlive it.
  [[nodiscard]] const spc_context &context() const noexcept SPC_LIFETIMEBOUND { return hooks_; }
  operator const spc_context *() const noexcept SPC_LIFETIMEBOUND { return &hooks_; }

private:
  /// The tasks of one call; on its stack.
  struct job {
    void (*task)(void *closure, int64_t index);
    void *closure;
    int64_t tasks;
    std::atomic<int64_t> next{0}; ///< the first index that nobody has claimed
    int active = 0;               ///< workers that are at it
    job *following = nullptr;

    void run() {
      for (int64_t index; (index = next.fetch_add(1, std::memory_order_relaxed)) < tasks;)
        task(closure, index);
    }
  };

  /// Whether another thread could be had; without exceptions all can.
  bool start() {
#ifdef __cpp_exceptions
    try {
#endif
      workers_.emplace_back([this] { serve(); });
      return true;
#ifdef __cpp_exceptions
    } catch (const std::system_error &) {
      return false;
    }
#endif
  }

  /// A job that has tasks left. Requires: the mutex is held.
  job *open_job() const {
    job *found = jobs_;
    while (found != nullptr && found->next.load(std::memory_order_relaxed) >= found->tasks)
      found = found->following;
    return found;
  }

  void serve() {
    inside() = true;
    std::unique_lock<std::mutex> held(mutex_);
    for (;;) {
      job *current = nullptr;
      work_.wait(held, [&] { return ends_ || (current = open_job()) != nullptr; });
      if (current == nullptr)
        return;
      ++current->active;
      held.unlock();
      current->run();
      held.lock();
      if (--current->active == 0)
        left_.notify_all();
    }
  }

  static void parallel_for(void *user, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
    thread_pool &self = *static_cast<thread_pool *>(user);
    job own{task, closure, tasks};
    if (tasks < 2 || inside())
      return own.run();
    {
      const std::lock_guard<std::mutex> held(self.mutex_);
      own.following = self.jobs_;
      self.jobs_ = &own;
    }
    self.work_.notify_all();
    inside() = true;
    own.run();
    inside() = false;
    std::unique_lock<std::mutex> held(self.mutex_);
    job **place = &self.jobs_;
    while (*place != &own)
      place = &(*place)->following;
    *place = own.following;
    self.left_.wait(held, [&] { return own.active == 0; });
  }

  /// Whether the thread runs a task.
  static bool &inside() noexcept {
    thread_local bool is = false;
    return is;
  }

  std::mutex mutex_;
  std::condition_variable work_, left_;
  job *jobs_ = nullptr;
  bool ends_ = false;
  spc_context hooks_;
  std::vector<std::thread> workers_;
};

} // namespace spc

#endif
