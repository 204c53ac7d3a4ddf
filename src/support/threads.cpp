#include "support/threads.h"

#include <csignal>
#include <exception>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace spc {
namespace {

constexpr size_t kStackBytes = size_t{16} << 20; ///< LLVM follows expressions by recursion
constexpr size_t kSignalStackBytes = size_t{64} << 10;

struct Shared {
  const std::function<void()> &work;
  std::mutex mutex;
  std::exception_ptr thrown;

  void run() {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      thrown = std::current_exception();
    }
  }
};

/// Signals are handled on a stack of their own, as a handler for a stack that ran out has to be.
void *runOther(void *shared) {
  const auto signalStack = std::make_unique<char[]>(kSignalStackBytes);
  stack_t stack{};
  stack.ss_sp = signalStack.get();
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, nullptr);
  static_cast<Shared *>(shared)->run();
  stack = {};
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  return nullptr;
}

} // namespace

void onThreads(size_t threads, const std::function<void()> &work) {
  Shared shared{work, {}, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  std::vector<pthread_t> others;
  for (pthread_t other; others.size() + 1 < threads;) {
    if (pthread_create(&other, &attributes, runOther, &shared) != 0)
      break;
    others.push_back(other);
  }
  pthread_attr_destroy(&attributes);
  shared.run();
  for (const pthread_t other : others)
    pthread_join(other, nullptr);
  if (shared.thrown)
    std::rethrow_exception(shared.thrown);
}

} // namespace spc
