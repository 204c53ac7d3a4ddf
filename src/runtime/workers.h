// The caller's threads. Freestanding.
#pragma once

#include "runtime/runtime.h"

namespace spc::runtime {

/// Calls task(closure, index) for each index: by `parallelFor` of Workers or, without, one after the other.
__attribute__((noinline)) inline void runTasks(const Workers &workers, int64_t tasks,
                                               void (*task)(void *closure, int64_t index), void *closure) {
  if (workers.parallelFor && tasks > 1)
    return workers.parallelFor(workers.user, tasks, task, closure);
  for (int64_t index = 0; index < tasks; ++index)
    task(closure, index);
}

/// Calls work(index) for each index below `tasks`, in any order, possibly at once.
template <typename Work> void forAll(const Workers &workers, int64_t tasks, const Work &work) {
  const auto task = [](void *closure, int64_t index) { (*static_cast<const Work *>(closure))(index); };
  runTasks(workers, tasks, task, const_cast<Work *>(&work));
}

/// Waking threads for fewer items costs more than they save.
inline constexpr int64_t kFewestShared = int64_t{1} << 16;
inline constexpr int64_t kItemsOfTask = int64_t{1} << 14;
inline constexpr int64_t kMaxTasks = 64;

/// The number of tasks for work on `items`: a power of two, so that usual numbers of threads get equal shares.
inline int64_t tasksFor(const Workers &workers, int64_t items) {
  int64_t tasks = 1;
  if (workers.parallelFor && items >= kFewestShared)
    while (tasks < kMaxTasks && items / kItemsOfTask >= 2 * tasks)
      tasks *= 2;
  return tasks;
}

/// Where the share of a task begins, and that of the task before it ends.
inline int64_t shareBegin(int64_t items, int64_t task, int64_t tasks) {
  return items / tasks * task + items % tasks * task / tasks;
}

} // namespace spc::runtime
