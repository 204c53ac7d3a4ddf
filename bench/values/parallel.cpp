// The one place that starts threads for contenders, whichever compiler they come from.
#include "task.h"

namespace values {

void runParallel(int threads, int64_t count, Task task, void *closure) {
  if (threads == 1) {
    for (int64_t n = 0; n < count; ++n)
      task(closure, n);
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (int64_t n = 0; n < count; ++n)
    task(closure, n);
}

void runStatic(int threads, int64_t count, Task task, void *closure) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t n = 0; n < count; ++n)
    task(closure, n);
}

} // namespace values
