// One level of a tensor that is being packed. Freestanding.
#pragma once

#include "runtime/integers.h"
#include "runtime/levels/walk.h"
#include "runtime/memory.h"

namespace spc::runtime {

/// Entries on their way into a level: where it lists coordinates, sorted by the levels above and by it.
struct LevelEntries {
  int64_t count;
  int64_t *at;     ///< each entry's parent; once the level is packed, its position there
  Integers column; ///< each entry's coordinate in the level, counted from the first one that there is
};

/// Packs a level that has a given number of slots for each parent: of a fixed width or a closed form. Sets its indices,
/// and the width where that is -1: to the most coordinates of any parent. `positions` are those of the level above, and
/// become the level's.
/// Ok; Memory; Count (more coordinates under a parent than slots); Shape (none is left for padding).
Status packSlots(const Allocator &allocator, Tensor &target, int64_t k, const LevelEntries &entries,
                 int64_t &positions);

/// The same for a ragged or a closed dense level, a run of coordinates under each parent. A ragged run is as long as
/// its last coordinate says, and gets pointers. Ok; Memory; IndexRange (a coordinate before or after the run);
/// IndexType (the runs together overflow the pointers).
Status packRuns(const Allocator &allocator, Tensor &target, int64_t k, const LevelEntries &entries, int64_t &positions);

/// Whether the type of indices holds all of a level's coordinates, if it lists them.
inline bool fitsIndices(const Tensor &target, int64_t k) {
  const Level &level = target.levels[k];
  const int64_t most = largest(target.indexBytes);
  return !isListed(level) ||
         (coordinateCount(level) - 1 + firstCoordinate(level) <= most && -firstCoordinate(level) <= most);
}

/// Room for `count` indices of a level; where coordinates are interleaved, the array of the level above is there.
inline bool allocateIndices(const Allocator &allocator, Tensor &target, int64_t k, int64_t count) {
  Level &level = target.levels[k];
  if (level.offset > 0) {
    level.indices = target.levels[k - 1].indices;
    return true;
  }
  int64_t numbers = 0;
  return !__builtin_mul_overflow(count, level.stride, &numbers) &&
         allocateArray(allocator, numbers, target.indexBytes, level.indices);
}

/// The coordinate at a position, counted from the first one that there is.
inline int64_t indexAt(const Tensor &target, int64_t k, int64_t position) {
  const Level &level = target.levels[k];
  return load(level.indices, target.indexBytes, position * level.stride + level.offset) - firstCoordinate(level);
}
inline void setIndex(Tensor &target, int64_t k, int64_t position, int64_t at) {
  const Level &level = target.levels[k];
  store(level.indices, target.indexBytes, position * level.stride + level.offset, at + firstCoordinate(level));
}

} // namespace spc::runtime
