#include "spc/pool.h" // ahead of all headers that include spc/spc.h

#include "host/thread_pool.h"

namespace spc::host {

int mostThreads() {
  return SPC_POOL_MOST_THREADS;
}

int usualThreads() {
  return spc_pool_count();
}

const void *threadContext(int threads) {
  __atomic_store_n(&spc_pool_shared_2.threads, threads, __ATOMIC_RELAXED);
  static const spc_context context = spc_pool_context();
  return &context;
}

/// `context` is `given` with a hook for loops that counts and calls that of `given`.
struct CountingContext::Hooks {
  const spc_context &given;
  WorkCount &count;
  spc_context context;

  struct Loop {
    void (*task)(void *closure, int64_t index);
    void *closure;
    WorkCount &count;
  };

  static void runTask(void *loop, int64_t index) {
    auto &one = *static_cast<Loop *>(loop);
    one.task(one.closure, index);
    one.count.add(1);
  }

  static void parallelFor(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                          void *closure) noexcept {
    auto &hooks = *static_cast<Hooks *>(user);
    hooks.count.begin(static_cast<uint64_t>(tasks));
    Loop loop{task, closure, hooks.count};
    hooks.given.parallel_for(hooks.given.user, tasks, runTask, &loop);
  }
};

CountingContext::CountingContext(const void *context, WorkCount *count) : given_(context) {
  const auto &given = *static_cast<const spc_context *>(context);
  if (!count || !given.parallel_for)
    return;
  hooks_ = std::make_unique<Hooks>(Hooks{given, *count, given});
  hooks_->context.user = hooks_.get();
  hooks_->context.parallel_for = Hooks::parallelFor;
}

CountingContext::~CountingContext() = default;

const void *CountingContext::context() const {
  return hooks_ ? &hooks_->context : given_;
}

} // namespace spc::host
