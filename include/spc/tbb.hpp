/// Kernels on oneTBB's threads. Needs its headers, and -ltbb.
/// SPDX-License-Identifier: Apache-2.0
#ifndef SPC_TBB_HPP
#define SPC_TBB_HPP

#include "spc.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#if __cplusplus >= 202002L // spc.hpp says what is missing

namespace spc {

/// malloc, free and the threads of the arena that a call is made from (`arena.execute`).
[[nodiscard]] inline spc_context tbb_context() noexcept {
  spc_context context = serial_context();
  context.parallel_for = [](void *, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<int64_t>(0, tasks, 1),
        [=](const oneapi::tbb::blocked_range<int64_t> &chunk) {
          for (int64_t index = chunk.begin(); index != chunk.end(); ++index)
            task(closure, index);
        },
        oneapi::tbb::simple_partitioner());
  };
  return context;
}

} // namespace spc

#endif
#endif
