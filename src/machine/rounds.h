// Threads that all do the same for a moment, and how long that took.
#pragma once

#include "machine/roofs.h"

#include <functional>

namespace spc::machine {

/// The seconds of the fastest round, from the first thread's start to the last one's end; in a round each of `threads`
/// threads calls `work` once with its number. Before the first one, each has called `prepare` with its number, and one
/// round that does not count has warmed up. `threads` becomes fewer where the system starts no more.
double leastSeconds(int &threads, Effort effort, const std::function<void(int)> &prepare,
                    const std::function<void(int)> &work);

/// Makes the compiler believe that the value is read and that all memory may have changed.
template <class T> inline void keep(const T &value) {
  asm volatile("" : : "m"(value) : "memory");
}

} // namespace spc::machine
