/// Memory that kernels' calls use again: spc/memory_pool.h for C++. Needs POSIX threads.
/// SPDX-License-Identifier: Apache-2.0
#ifndef SPC_MEMORY_POOL_HPP
#define SPC_MEMORY_POOL_HPP

#include "memory_pool.h"
#include "spc.hpp"

#if __cplusplus >= 202002L // spc.hpp says what is missing

namespace spc {

/// Keeps memory from one call to the next: `spgemm_ctx(pool, …)`. It has to outlive the owners of what is assembled
/// with it. Any number of threads may call kernels with it at once.
class memory_pool {
public:
  /// On the threads of `threads`, whose memory hooks are not used; else on those that plain functions run on in the
  /// file that makes the pool.
  explicit memory_pool(const spc_context &threads = spc_default_context()) noexcept { start(threads); }

  memory_pool(const memory_pool &) = delete; // hooks get its address
  memory_pool &operator=(const memory_pool &) = delete;
  ~memory_pool() { spc_memory_pool_destroy(&pool_); }

  [[nodiscard]] const spc_context &context() const noexcept SPC_LIFETIMEBOUND { return hooks_; }
  operator const spc_context *() const noexcept SPC_LIFETIMEBOUND { return &hooks_; }

  /// How many bytes it has from the system, those in use included.
  [[nodiscard]] int64_t held() noexcept { return spc_memory_pool_held(&pool_); }
  /// Gives memory that is not in use back to the system, and keeps at most so many bytes of it.
  void trim(int64_t kept = 0) noexcept { spc_memory_pool_trim(&pool_, kept); }

private:
  // One function in all files, whether they are compiled with OpenMP or not: it takes nothing from the default context.
  void start(const spc_context &threads) noexcept {
    spc_memory_pool_init(&pool_, &threads);
    hooks_ = spc_memory_pool_context(&pool_);
  }

  static bool owns(void *user, const void *memory) {
    return spc_memory_pool_owns(static_cast<spc_memory_pool *>(user), memory);
  }

  spc_memory_pool pool_;
  spc_context hooks_;
  detail::memory_source source_{&pool_, owns};
};

} // namespace spc

#endif
#endif
