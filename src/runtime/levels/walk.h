// Reading a tensor of any format entry by entry. Freestanding.
#pragma once

#include "runtime/runtime.h"

namespace spc::runtime {

constexpr int64_t largest(int64_t bytes) {
  return bytes == 1 ? 255 : bytes == 2 ? 65535 : bytes == 4 ? INT32_MAX : INT64_MAX;
}

inline int64_t load(const void *array, int64_t bytes, int64_t position) {
  switch (bytes) {
  case 1:
    return static_cast<const uint8_t *>(array)[position];
  case 2:
    return static_cast<const uint16_t *>(array)[position];
  case 4:
    return static_cast<const int32_t *>(array)[position];
  default:
    return static_cast<const int64_t *>(array)[position];
  }
}

inline void store(void *array, int64_t bytes, int64_t position, int64_t value) {
  switch (bytes) {
  case 1:
    static_cast<uint8_t *>(array)[position] = static_cast<uint8_t>(value);
    break;
  case 2:
    static_cast<uint16_t *>(array)[position] = static_cast<uint16_t>(value);
    break;
  case 4:
    static_cast<int32_t *>(array)[position] = static_cast<int32_t>(value);
    break;
  default:
    static_cast<int64_t *>(array)[position] = value;
  }
}

/// A place in the walk over a source's levels.
struct Cursor {
  int64_t position;
  int64_t end;
  int64_t first; ///< the position of coordinate 0, where the level has no indices array
};

/// The value of a closed form at a parent's coordinate.
inline int64_t valueOf(const ClosedForm &form, int64_t parent, int64_t extent) {
  return form.constant + form.slope * parent + form.size * extent;
}

/// The coordinate of position `parent` in a level that repeats all coordinates below `extent`; 0 where there are none.
inline int64_t coordinateOf(int64_t parent, int64_t extent) {
  return extent > 0 ? parent % extent : 0;
}

/// The sum of a closed form over the parents before `parent`, whose level repeats the coordinates below parentExtent.
inline int64_t sumBefore(const Level &level, int64_t parent) {
  const ClosedForm &form = level.length;
  const auto upTo = [&](int64_t count) {
    return count * (form.constant + form.size * level.extent) + form.slope * (count * (count - 1) / 2);
  };
  if (level.parentExtent <= 0)
    return 0;
  return parent / level.parentExtent * upTo(level.parentExtent) + upTo(parent % level.parentExtent);
}

/// The number of coordinates that a level has, stored or not.
inline int64_t denseCount(const Level &level) {
  if (level.part == Part::Quotient)
    return level.extent / level.block + (level.extent % level.block != 0);
  return level.part == Part::Remainder ? level.block : level.extent;
}

/// The least coordinate that a level may have.
inline int64_t firstCoordinate(const Level &level) {
  return level.part == Part::Difference ? 1 - level.minusExtent : 0;
}

/// How many coordinates a level may have, from the first one on.
inline int64_t coordinateCount(const Level &level) {
  if (level.part != Part::Difference)
    return denseCount(level);
  int64_t count;
  if (level.extent == 0 || level.minusExtent == 0)
    return 0;
  return __builtin_add_overflow(level.extent, level.minusExtent - 1, &count) ? INT64_MAX : count;
}

/// Opens the entries of level `k` under position `parent` of the level above.
inline Cursor open(const Tensor &source, int64_t k, int64_t parent) {
  const Level &level = source.levels[k];
  switch (level.kind) {
  case LevelKind::Dense: {
    const int64_t count = denseCount(level);
    return {parent * count, (parent + 1) * count, parent * count};
  }
  case LevelKind::Singleton:
    return {parent, parent + 1, 0};
  case LevelKind::FixedWidth:
    return {parent * level.width, (parent + 1) * level.width, 0};
  case LevelKind::ClosedDense:
  case LevelKind::ClosedCompressed: {
    const int64_t begin = sumBefore(level, parent), coordinate = coordinateOf(parent, level.parentExtent);
    return {begin, begin + valueOf(level.length, coordinate, level.extent),
            begin - valueOf(level.start, coordinate, level.extent)};
  }
  case LevelKind::Compressed:
  case LevelKind::RaggedDense:
    break;
  }
  if (k == 0)
    return {0, level.count, 0};
  const int64_t begin = load(level.pointers, source.pointerBytes, parent);
  const int64_t end = load(level.pointers, source.pointerBytes, parent + 1);
  if (level.kind == LevelKind::Compressed)
    return {begin, end, 0};
  return {begin, end, begin - valueOf(level.start, coordinateOf(parent, level.parentExtent), level.extent)};
}

/// The coordinate that a level lists at a position.
inline int64_t listedAt(const Tensor &tensor, const Level &level, int64_t position) {
  return load(level.indices, tensor.indexBytes, position * level.stride + level.offset);
}

/// Whether a level has an array of its coordinates.
inline bool isListed(const Level &level) {
  return listsCoordinates(level.kind);
}

inline int64_t coordinate(const Tensor &source, int64_t k, const Cursor &cursor) {
  const Level &level = source.levels[k];
  return isListed(level) ? listedAt(source, level, cursor.position) : cursor.position - cursor.first;
}

/// Whether `at` is a coordinate of the level.
inline bool isInRange(const Level &level, int64_t at) {
  if (level.part == Part::Difference)
    return at > -level.minusExtent && at < level.extent;
  return at >= 0 && at < denseCount(level);
}

} // namespace spc::runtime
