// What a caller of the runtime hands over: memory hooks and a copy to be filled in.
#pragma once

#include "sparse_model.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <map>

namespace spc::runtime::test {

/// malloc that counts, and runs out at the `failAt`-th request.
struct CountingMemory {
  int failAt = -1;
  int requests = 0;
  std::map<void *, int64_t> live;

  Allocator hooks() {
    return {this,
            [](void *user, int64_t bytes) -> void * {
              auto &memory = *static_cast<CountingMemory *>(user);
              CHECK(bytes > 0);
              if (memory.requests++ == memory.failAt)
                return nullptr;
              void *block = std::malloc(static_cast<size_t>(bytes));
              if (block)
                memory.live[block] = bytes;
              return block;
            },
            [](void *user, void *block) {
              CHECK(static_cast<CountingMemory *>(user)->live.erase(block) == 1);
              std::free(block);
            }};
  }
};

/// The levels of a copy: a dense root and compressed levels, storing `dimensions` in that order.
inline std::vector<ModelLevel> copyLevels(const std::vector<int64_t> &dimensions) {
  std::vector<ModelLevel> levels;
  for (int64_t dimension : dimensions)
    levels.push_back({levels.empty() ? LevelKind::Dense : LevelKind::Compressed, dimension});
  return levels;
}

/// A copy to be filled in: everything that the runtime reads, and rubbish where it writes.
struct Request {
  Request(const std::vector<int64_t> &shape, const std::vector<int64_t> &dimensions, Widths widths) {
    for (const ModelLevel &level : copyLevels(dimensions))
      levels.push_back({level.kind, level.dimension, shape[level.dimension], this, this});
    tensor = {
        static_cast<int64_t>(levels.size()), -7, widths.pointers, widths.indices, widths.values, levels.data(), this};
  }
  std::vector<Level> levels;
  Tensor tensor;
};

} // namespace spc::runtime::test
