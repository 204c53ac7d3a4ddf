// Threads that outlive the tasks they run, which many short calls need: thread sanitizer and valgrind take long to
// start one.
#ifndef SPC_TESTS_WORKERS_H
#define SPC_TESTS_WORKERS_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

class Workers {
public:
  typedef void Task(void *closure, int64_t index);

  Workers() {
    for (std::thread &thread : threads_)
      thread = std::thread([this] { takeRounds(); });
  }

  ~Workers() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      isOver_ = true;
      ++round_;
    }
    changed_.notify_all();
    for (std::thread &thread : threads_)
      thread.join();
  }

  /// Runs the tasks on the calling thread and two others, the last one first. One call at a time.
  void run(int64_t tasks, Task *task, void *closure) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      task_ = task;
      closure_ = closure;
      next_ = tasks;
      busy_ = kThreads;
      ++round_;
    }
    changed_.notify_all();
    takeTasks();
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return busy_ == 0; });
  }

private:
  static constexpr int kThreads = 2;

  void takeTasks() {
    for (int64_t index; (index = --next_) >= 0;)
      task_(closure_, index);
  }

  void takeRounds() {
    for (int64_t taken = 0;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return round_ != taken; });
      if (isOver_)
        return;
      taken = round_;
      lock.unlock();
      takeTasks();
      lock.lock();
      if (--busy_ == 0)
        changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Task *task_ = nullptr;
  void *closure_ = nullptr;
  std::atomic<int64_t> next_{0};
  int64_t round_ = 0;
  int busy_ = 0;
  bool isOver_ = false; ///< as of the last round
  std::thread threads_[kThreads];
};

#endif
