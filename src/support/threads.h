// Work on several threads at once.
#pragma once

#include <cstddef>
#include <functional>

namespace spc {

/// Calls `work` on this thread and on up to `threads - 1` others at once: fewer where the system has no more. Returns
/// when all have returned; rethrows what one of them threw. The others have stacks at least as large as a program's.
void onThreads(size_t threads, const std::function<void()> &work);

} // namespace spc
