#include "assembly_player.h"

#include <cstdlib>

namespace spc::runtime::test {

Allocator ThreadedMemory::hooks() {
  return {this, [](void *user, int64_t bytes) { return static_cast<ThreadedMemory *>(user)->allocate(bytes); },
          [](void *user, void *block) { static_cast<ThreadedMemory *>(user)->release(block); }};
}

void *ThreadedMemory::allocate(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  isMisused_ = isMisused_ || bytes <= 0;
  if (requests_++ == failAt)
    return nullptr;
  void *block = std::malloc(static_cast<size_t>(bytes));
  if (block)
    std::memset(block, 0xa5, static_cast<size_t>(std::min<int64_t>(bytes, 1 << 20)));
  live_[block] = bytes;
  return block;
}

void ThreadedMemory::release(void *block) {
  const std::lock_guard lock(mutex_);
  isMisused_ = live_.erase(block) != 1 || isMisused_;
  std::free(block);
}

} // namespace spc::runtime::test
