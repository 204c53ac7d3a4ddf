// Arrays of exactly the bytes that were asked for, between pages that nobody may touch.
#pragma once

#include "../include/spc/spc.h"
#include "harness/kernel_under_test.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace spc::testing {

class GuardedMemory {
public:
  /// Arrays end right before a page that is guarded, up to alignment, or begin right after one.
  GuardedMemory(Chunks chunks, bool atEnd);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  /// `bytes` bytes aligned to `alignment`, a power of two; nullptr above 1 GiB, which stands for the end of memory.
  void *allocate(size_t bytes, size_t alignment);
  void release(void *memory);

  /// A context whose kernels allocate here.
  spc_context *context() { return &context_; }
  /// What the hooks saw that they should not have; empty where nothing was wrong.
  const std::string &problem() const { return problem_; }

private:
  struct Block {
    void *pages;
    size_t bytes;
  };

  spc_context context_;
  bool atEnd_;
  std::mutex mutex_;
  std::map<void *, Block> blocks_;
  std::string problem_;
};

} // namespace spc::testing
