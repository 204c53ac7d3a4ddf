#include "harness/test_context.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace spc::testing {
namespace {

constexpr int64_t kGuard = 16;
constexpr int64_t kMaxGarbage = 1 << 20;
constexpr unsigned char kGuardByte = 0xd5, kGarbageByte = 0xa7;

bool isGuarded(const void *memory, int64_t bytes) {
  const auto *guard = static_cast<const unsigned char *>(memory) + bytes;
  for (int64_t at = 0; at < kGuard; ++at)
    if (guard[at] != kGuardByte)
      return false;
  return true;
}

} // namespace

TestContext::TestContext(Chunks chunks) : context_{sizeof(spc_context), this, &allocateHook, &releaseHook, nullptr} {
  if (chunks == Chunks::Backwards)
    context_.parallel_for = &runBackwards;
  if (chunks == Chunks::Threads)
    context_.parallel_for = &runOnThreads;
}

TestContext::~TestContext() {
  for (const auto &[memory, bytes] : sizes_)
    std::free(const_cast<void *>(memory));
}

void TestContext::failFrom(int64_t request) {
  requests_ = 0;
  limit_ = request;
}

std::optional<int64_t> TestContext::bytesOf(const void *memory) const {
  const auto found = sizes_.find(memory);
  return found == sizes_.end() ? std::nullopt : std::optional(found->second);
}

int64_t TestContext::takePeak() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(peak_, bytes_);
}

void *TestContext::allocate(int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (bytes <= 0)
    problem_ = "asked for " + std::to_string(bytes) + " bytes";
  const int64_t request = requests_++;
  if (bytes <= 0 || (limit_ && request >= *limit_) || (mostAtOnce_ && bytes > *mostAtOnce_))
    return nullptr;
  auto *memory = static_cast<unsigned char *>(std::malloc(static_cast<size_t>(bytes + kGuard)));
  if (!memory)
    return nullptr;
  std::memset(memory, kGarbageByte, static_cast<size_t>(std::min(bytes, kMaxGarbage)));
  std::memset(memory + bytes, kGuardByte, kGuard);
  sizes_[memory] = bytes;
  bytes_ += bytes;
  peak_ = std::max(peak_, bytes_);
  return memory;
}

void TestContext::release(void *memory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = sizes_.find(memory);
  if (found == sizes_.end()) {
    if (memory)
      problem_ = "freed what was not given out, or twice";
    return;
  }
  if (!isGuarded(memory, found->second))
    problem_ = "wrote past the end of " + std::to_string(found->second) + " bytes";
  bytes_ -= found->second;
  sizes_.erase(found);
  std::free(memory);
}

std::string TestContext::problem() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto &[memory, bytes] : sizes_)
    if (!isGuarded(memory, bytes))
      return "wrote past the end of " + std::to_string(bytes) + " bytes";
  return problem_;
}

void *TestContext::allocateHook(void *user, int64_t bytes, int64_t /*alignment*/) noexcept {
  return static_cast<TestContext *>(user)->allocate(bytes);
}

void TestContext::releaseHook(void *user, void *memory) noexcept {
  static_cast<TestContext *>(user)->release(memory);
}

void TestContext::runBackwards(void *, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
  while (tasks-- > 0)
    task(closure, tasks);
}

void TestContext::runOnThreads(void *, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
  std::atomic<int64_t> next{tasks};
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n)
    threads.emplace_back([&] {
      for (int64_t index; (index = --next) >= 0;)
        task(closure, index);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace spc::testing
