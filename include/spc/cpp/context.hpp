/// Where kernels have their threads and their memory from. Part of spc/spc.hpp.
/// SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_CONTEXT_HPP
#define SPC_CPP_CONTEXT_HPP

#include "error.hpp"

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <mutex>
#include <new>

namespace spc {

/// malloc, free and the calling thread.
[[nodiscard]] inline spc_context serial_context() noexcept {
  return {static_cast<int64_t>(sizeof(spc_context)), nullptr, nullptr, nullptr, nullptr};
}

#ifdef _OPENMP
/// malloc, free and OpenMP's threads, also from within a parallel region.
[[nodiscard]] inline spc_context openmp_context() noexcept {
  spc_context context = serial_context();
  context.parallel_for = spc_openmp_parallel_for;
  return context;
}
#endif

/// Memory from a std::pmr::memory_resource, threads from another context: converts to a pointer for NAME_ctx. What it
/// is made of has to outlive it, and it what kernels assemble with it. Any number of threads may use it at once: calls
/// of the resource are made one after the other, but for the resources that are known to be synchronised.
class context {
public:
  /// The calling thread alone.
  explicit context(std::pmr::memory_resource *memory) noexcept : context(serial_context(), memory) {}

  /// The threads of `threads`, whose memory hooks are not used.
  context(const spc_context &threads, std::pmr::memory_resource *memory) noexcept
      : threads_(threads), memory_(memory), synchronised_(is_synchronised(memory)),
        hooks_{static_cast<int64_t>(sizeof(spc_context)), this, allocate, deallocate,
               threads.parallel_for != nullptr ? parallel_for : nullptr} {}

  context(const context &) = delete; // hooks get its address
  context &operator=(const context &) = delete;

  operator const spc_context *() const noexcept { return &hooks_; }

private:
  /// In front of each block its size, which a resource has to be told upon release.
  static constexpr size_t kAlignment = alignof(std::max_align_t);
  static constexpr size_t kFront = kAlignment > sizeof(size_t) ? kAlignment : sizeof(size_t);

  static bool is_synchronised(std::pmr::memory_resource *memory) noexcept {
#ifdef __cpp_rtti
    if (dynamic_cast<std::pmr::synchronized_pool_resource *>(memory) != nullptr)
      return true;
#endif
    return memory == std::pmr::new_delete_resource();
  }

  std::unique_lock<std::mutex> lock() {
    return synchronised_ ? std::unique_lock<std::mutex>() : std::unique_lock<std::mutex>(mutex_);
  }

  static void *allocate(void *user, int64_t bytes) noexcept {
    if (bytes < 0 || static_cast<uint64_t>(bytes) > std::numeric_limits<size_t>::max() - kFront)
      return nullptr;
    context &self = *static_cast<context *>(user);
    const size_t size = kFront + static_cast<size_t>(bytes);
    void *block = nullptr;
#ifdef __cpp_exceptions
    try {
#endif
      const auto held = self.lock();
      block = self.memory_->allocate(size, kAlignment);
#ifdef __cpp_exceptions
    } catch (...) {
      return nullptr; // the kernel returns SPC_ERROR_MEMORY
    }
#endif
    ::new (block) size_t(size);
    return static_cast<std::byte *>(block) + kFront;
  }

  static void deallocate(void *user, void *memory) noexcept {
    if (memory == nullptr)
      return;
    context &self = *static_cast<context *>(user);
    void *block = static_cast<std::byte *>(memory) - kFront;
    const size_t size = *static_cast<size_t *>(block);
    const auto held = self.lock();
    self.memory_->deallocate(block, size, kAlignment);
  }

  static void parallel_for(void *user, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
    const spc_context &threads = static_cast<context *>(user)->threads_;
    threads.parallel_for(threads.user, tasks, task, closure);
  }

  spc_context threads_;
  std::pmr::memory_resource *memory_;
  bool synchronised_;
  std::mutex mutex_;
  spc_context hooks_;
};

} // namespace spc

#endif
