/// The source of kernels' threads and memory. Part of spc/spc.hpp. SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_CONTEXT_HPP
#define SPC_CPP_CONTEXT_HPP

#include "error.hpp"
#include "lifetime.hpp"
#include "sources.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace spc {

/// malloc, free and the calling thread.
[[nodiscard]] inline spc_context serial_context() noexcept {
  return {static_cast<int64_t>(sizeof(spc_context)), nullptr, nullptr, nullptr, nullptr, nullptr, spc_detail_note};
}

#ifdef _OPENMP
/// malloc, free and OpenMP's threads, also from within a parallel region.
[[nodiscard]] inline spc_context openmp_context() noexcept {
  spc_context context = serial_context();
  context.parallel_for = spc_detail_openmp_parallel_for;
  context.parallel_cost = spc_detail_openmp_cost();
  return context;
}
#endif

/// Memory from a std::pmr::memory_resource, threads from another context: converts to a pointer for NAME_ctx. Its parts
/// have to outlive it, and it what kernels assemble with it. Any number of threads may use it at once: calls of the
/// resource are made one after the other.
class context {
public:
  /// The calling thread alone.
  explicit context(std::pmr::memory_resource *memory) noexcept : context(serial_context(), memory) {}

  /// The threads of `threads`, whose memory hooks are not used.
  context(const spc_context &threads, std::pmr::memory_resource *memory) noexcept
      : threads_(threads), memory_(memory), hooks_{static_cast<int64_t>(sizeof(spc_context)),
                                                   this,
                                                   allocate,
                                                   deallocate,
                                                   threads.parallel_for != nullptr ? parallel_for : nullptr,
                                                   threads.parallel_cost,
                                                   spc_detail_note} {}

  context(const context &) = delete; // hooks get its address
  context &operator=(const context &) = delete;

  operator const spc_context *() const noexcept SPC_LIFETIMEBOUND { return &hooks_; }

private:
  /// A block that the resource gave, as it has to be told upon release.
  struct block {
    size_t size, alignment;
  };

  static void *allocate(void *user, int64_t bytes, int64_t alignment) noexcept {
    if (static_cast<int64_t>(static_cast<size_t>(bytes)) != bytes)
      return nullptr;
    context &self = *static_cast<context *>(user);
#ifdef __cpp_exceptions
    try {
#endif
      return self.take({static_cast<size_t>(bytes), static_cast<size_t>(alignment)});
#ifdef __cpp_exceptions
    } catch (...) {
      return nullptr; // the kernel returns SPC_ERROR_MEMORY
    }
#endif
  }

  void *take(block wanted) {
    const std::lock_guard<std::mutex> held(mutex_);
    blocks_.reserve(blocks_.size() + 1);
    std::unordered_map<void *, block> entry; // before the block is there, what may fail
    auto node = entry.extract(entry.emplace(nullptr, wanted).first);
    void *const memory = node.key() = memory_->allocate(wanted.size, wanted.alignment);
    blocks_.insert(std::move(node));
    return memory;
  }

  static void deallocate(void *user, void *memory) noexcept { static_cast<context *>(user)->release(memory); }

  static bool owns(void *user, const void *memory) {
    context &self = *static_cast<context *>(user);
    const std::lock_guard<std::mutex> held(self.mutex_);
    return self.blocks_.contains(const_cast<void *>(memory));
  }

  void release(void *memory) noexcept {
    const std::lock_guard<std::mutex> held(mutex_);
    const auto found = blocks_.find(memory);
    if (found == blocks_.end()) { // of a call with the default context
      std::free(memory);
      return;
    }
    memory_->deallocate(memory, found->second.size, found->second.alignment);
    blocks_.erase(found);
  }

  static void parallel_for(void *user, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
    const spc_context &threads = static_cast<context *>(user)->threads_;
    threads.parallel_for(threads.user, tasks, task, closure);
  }

  spc_context threads_;
  std::pmr::memory_resource *memory_;
  std::mutex mutex_;
  /// The blocks that the resource gave. An array that a plain call assembled into an owner of this context is none of
  /// them.
  std::unordered_map<void *, block> blocks_;
  spc_context hooks_;
  detail::memory_source source_{this, owns};
};

} // namespace spc

#endif
