// Memory through the caller's hooks. Freestanding.
#pragma once

#include "runtime/hot.h"
#include "runtime/runtime.h"

namespace spc::runtime {

/// Adds up the bytes of arrays, each starting at a multiple of 8.
class Layout {
public:
  /// The offset of an array of `count` elements.
  int64_t add(int64_t count, int64_t bytes) {
    const int64_t offset = total_;
    constexpr int64_t limit = INT64_MAX / 16;
    if (total_ > limit || count > limit / bytes)
      overflows_ = true;
    else
      total_ += (count * bytes + 7) / 8 * 8;
    return offset;
  }
  bool overflows() const { return overflows_; }
  int64_t total() const { return total_; }

private:
  int64_t total_ = 0;
  bool overflows_ = false;
};

/// Memory of the caller's; notes what there is none for. NULL then.
inline void *take(const Allocator &allocator, int64_t bytes) {
  void *memory = allocator.allocate(allocator.user, bytes);
  if (!memory && allocator.refused)
    __atomic_store_n(allocator.refused, bytes, __ATOMIC_RELAXED);
  return memory;
}

/// One block of memory, released with the scope.
class Block {
public:
  explicit Block(const Allocator &allocator) : allocator_(allocator) {}
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;
  ~Block() {
    if (memory_)
      allocator_.release(allocator_.user, memory_);
  }

  bool allocate(const Layout &layout) {
    if (!layout.overflows())
      memory_ = static_cast<char *>(take(allocator_, layout.total() > 0 ? layout.total() : 1));
    return memory_ != nullptr;
  }
  char *at(int64_t offset) const { return memory_ + offset; }
  void keep() { memory_ = nullptr; }

private:
  const Allocator &allocator_;
  char *memory_ = nullptr;
};

/// Allocates an array as a block of its own, NULL where it has no elements. False where memory ran out; `array` is NULL
/// then.
inline bool allocateArray(const Allocator &allocator, int64_t count, int64_t bytes, void *&array) {
  array = nullptr;
  if (count == 0)
    return true;
  if (count > INT64_MAX / bytes)
    return false;
  array = take(allocator, count * bytes);
  return array != nullptr;
}

/// Releases an array and forgets it; nothing happens to NULL.
inline void releaseArray(const Allocator &allocator, void *&array) {
  if (array)
    allocator.release(allocator.user, array);
  array = nullptr;
}

/// `array` starts at a multiple of 8.
SPC_HOT inline void fillWithZeros(void *array, int64_t bytes) {
  auto *words = static_cast<uint64_t *>(array);
  SPC_VECTORIZE
  for (int64_t w = 0; w < bytes / 8; ++w)
    words[w] = 0;
  for (int64_t b = bytes / 8 * 8; b < bytes; ++b)
    static_cast<char *>(array)[b] = 0;
}

} // namespace spc::runtime
