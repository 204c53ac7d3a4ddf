#include "corruption/guarded_memory.h"

#include "harness/test_context.h"

#include <sys/mman.h>
#include <unistd.h>

namespace spc::testing {
namespace {

constexpr size_t kMostBytes = size_t{1} << 30;

/// What malloc aligns to, with which kernels have to work: ends of blocks are guarded to that.
constexpr size_t kAlignment = 16;

} // namespace

GuardedMemory::GuardedMemory(Chunks chunks, bool atEnd) : context_(*TestContext(chunks).get()), atEnd_(atEnd) {
  context_.user = this;
  context_.allocate = [](void *user, int64_t bytes, int64_t) noexcept -> void * {
    auto &self = *static_cast<GuardedMemory *>(user);
    if (bytes <= 0)
      self.problem_ = "a request for no bytes";
    return bytes <= 0 ? nullptr : self.allocate(static_cast<size_t>(bytes), kAlignment);
  };
  context_.deallocate = [](void *user, void *memory) noexcept { static_cast<GuardedMemory *>(user)->release(memory); };
}

GuardedMemory::~GuardedMemory() {
  for (const auto &[memory, block] : blocks_)
    munmap(block.pages, block.bytes);
}

void *GuardedMemory::allocate(size_t bytes, size_t alignment) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (bytes > kMostBytes)
    return nullptr;
  const size_t inner = (bytes + page - 1) / page * page, all = inner + 2 * page;
  void *pages = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return nullptr;
  char *first = static_cast<char *>(pages) + page;
  mprotect(first, inner, PROT_READ | PROT_WRITE);
  char *memory = atEnd_ ? first + (inner - bytes) / alignment * alignment : first;
  const std::lock_guard<std::mutex> lock(mutex_);
  blocks_[memory] = {pages, all};
  return memory;
}

void GuardedMemory::release(void *memory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = blocks_.find(memory);
  if (found == blocks_.end()) {
    problem_ = "memory was freed that was not given out";
    return;
  }
  munmap(found->second.pages, found->second.bytes);
  blocks_.erase(found);
}

} // namespace spc::testing
