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

/// Whether work that takes one core about `nanoseconds` is worth a call of a parallelFor that takes as long as *cost
/// says beyond its tasks. The cost becomes less if it is not, so that it is measured anew some time.
inline bool pays(int32_t *cost, int64_t nanoseconds) {
  const int64_t known = cost ? __atomic_load_n(cost, __ATOMIC_RELAXED) : kUsualCost;
  if (nanoseconds / kWorthCosts >= known)
    return true;
  if (cost)
    __atomic_store_n(cost, static_cast<int32_t>(known - nanoseconds / kTimeOfCost), __ATOMIC_RELAXED);
  return false;
}

/// An item takes one or two nanoseconds.
inline constexpr int64_t kFewestShared = int64_t{1} << 13;
inline constexpr int64_t kItemsOfTask = int64_t{1} << 12;
inline constexpr int64_t kMaxTasks = 64;

/// The number of tasks for work on `items`: a power of two, so that usual numbers of threads get equal shares.
inline int64_t tasksFor(const Workers &workers, int64_t items) {
  int64_t tasks = 1;
  if (workers.parallelFor && items >= kFewestShared && pays(workers.cost, items))
    while (tasks < kMaxTasks && items / kItemsOfTask >= 2 * tasks)
      tasks *= 2;
  return tasks;
}

/// The item with which the share of a task begins, and that of the task before it ends.
inline int64_t shareBegin(int64_t items, int64_t task, int64_t tasks) {
  return items / tasks * task + items % tasks * task / tasks;
}

} // namespace spc::runtime
