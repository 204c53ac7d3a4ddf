// The context of one call: memory that is watched, and a choice of ways to run chunks.
#pragma once

#include "../include/spc/message.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace spc::testing {

/// How a kernel's chunks run.
enum class Chunks {
  Serial,    ///< the hook is absent
  Backwards, ///< one after the other, the last one first
  Threads,   ///< on four threads at once
};

/// Memory hooks that count, fill what they give out with garbage (its first MiB), guard its ends and can run out; safe
/// on any thread.
class TestContext {
public:
  explicit TestContext(Chunks chunks = Chunks::Serial);
  ~TestContext();
  TestContext(const TestContext &) = delete;
  TestContext &operator=(const TestContext &) = delete;

  spc_context *get() { return &context_; }

  /// From now on the request number `request`, counted from 0, and all later ones get NULL.
  void failFrom(int64_t request);
  /// From now on requests of more bytes get NULL.
  void failBeyond(int64_t bytes) { mostAtOnce_ = bytes; }
  /// The most bytes that were given out at one time since this was last called, or ever.
  int64_t takePeak();
  /// Requests since the last failFrom(), or ever.
  int64_t requests() const { return requests_; }
  /// Arrays that are given out and not back.
  int64_t live() const { return static_cast<int64_t>(sizes_.size()); }
  /// The size of a given-out array; nullopt where `memory` is none.
  std::optional<int64_t> bytesOf(const void *memory) const;

  /// The hooks, for arrays that a caller makes or frees.
  void *allocate(int64_t bytes);
  void release(void *memory);

  /// What was done wrong so far: freed what was not given out, wrote past the end, asked for no bytes. Looks at the
  /// guards of live arrays too. Empty where nothing was.
  std::string problem() const;

private:
  static void *allocateHook(void *user, int64_t bytes, int64_t alignment) noexcept;
  static void releaseHook(void *user, void *memory) noexcept;
  static void runBackwards(void *user, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept;
  static void runOnThreads(void *user, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept;

  spc_context context_;
  mutable std::mutex mutex_;
  std::map<const void *, int64_t> sizes_;
  int64_t requests_ = 0;
  std::optional<int64_t> limit_, mostAtOnce_;
  int64_t bytes_ = 0, peak_ = 0; ///< given out now, and at most
  std::string problem_;
};

} // namespace spc::testing
