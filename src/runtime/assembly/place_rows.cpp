#include "runtime/assembly/assembly_state.h"
#include "runtime/hot.h"
#include "runtime/levels/walk.h"
#include "runtime/values.h"

namespace spc::runtime {
namespace {

struct Range {
  int64_t begin, end;
};

/// The first position in a sorted range whose coordinate is at least `at`.
int64_t lowerBound(const Tensor &tensor, const Level &level, Range range, int64_t at) {
  while (range.begin < range.end) {
    const int64_t middle = range.begin + (range.end - range.begin) / 2;
    if (listedAt(tensor, level, middle) < at)
      range.begin = middle + 1;
    else
      range.end = middle;
  }
  return range.begin;
}

/// The positions of a compressed level under one parent.
Range segmentOf(const Tensor &target, int64_t k, int64_t parent) {
  if (k == 0)
    return {0, target.levels[0].count};
  const void *pointers = target.levels[k].pointers;
  return {load(pointers, target.pointerBytes, parent), load(pointers, target.pointerBytes, parent + 1)};
}

/// The row's positions in the last level; an empty range where the target does not have the row.
Range findRow(const AssemblyState &state, const int64_t *coordinates) {
  const Tensor &target = *state.assembly->target;
  const int64_t dense = state.assembly->dense, list = state.assembly->list;
  int64_t parent = 0;
  for (int64_t k = 0; k < dense; ++k)
    parent = parent * target.levels[k].extent + coordinates[k];
  Range range = segmentOf(target, dense, parent);
  for (int64_t k = dense; k < state.rowOrder; ++k) {
    const Level &level = target.levels[k];
    range.begin = lowerBound(target, level, range, coordinates[k]);
    if (k >= list) {
      range.end = lowerBound(target, level, range, coordinates[k] + 1);
    } else {
      if (range.begin == range.end || listedAt(target, level, range.begin) != coordinates[k])
        return {0, 0};
      range = segmentOf(target, k + 1, range.begin);
    }
  }
  return range;
}

/// Puts the row's values at the places of its keys. The widths are kAny where they are known at run time only; other
/// runs may have put values there then.
template <int64_t KeyBytes, int64_t ValueBytes>
SPC_HOT void placeKeys(RunState &run, int64_t count, const int64_t *coordinates) {
  const Range range = findRow(*run.state, coordinates);
  const Tensor &target = *run.state->assembly->target;
  const Level &level = target.levels[target.order - 1];
  const int64_t keyBytes = KeyBytes != kAny ? KeyBytes : target.indexBytes;
  const int64_t stride = level.stride, offset = level.offset;
  const void *const keys = run.keys, *const indices = level.indices;
  void *const from = run.values, *const to = target.values;
  int64_t position = range.begin;
  for (int64_t e = 0; e < count; ++e, ++position) {
    const int64_t key = load(keys, keyBytes, e);
    while (position < range.end && load(indices, keyBytes, position * stride + offset) < key)
      ++position;
    if (position == range.end || load(indices, keyBytes, position * stride + offset) != key)
      return fail(run, Status::Pattern);
    if constexpr (ValueBytes == 8) {
      static_cast<uint64_t *>(to)[position] = static_cast<const uint64_t *>(from)[e];
    } else if constexpr (ValueBytes == 4) {
      static_cast<uint32_t *>(to)[position] = static_cast<const uint32_t *>(from)[e];
    } else {
      putValue(target, from, e, to, position, run.state->assembly->runs > 1);
    }
  }
}

} // namespace

extern "C" void spc_rt_place_row_4_4(Run *run, int64_t count, const int64_t *coordinates) {
  placeKeys<4, 4>(*static_cast<RunState *>(run), count, coordinates);
}

extern "C" void spc_rt_place_row_4_8(Run *run, int64_t count, const int64_t *coordinates) {
  placeKeys<4, 8>(*static_cast<RunState *>(run), count, coordinates);
}

extern "C" void spc_rt_place_row_8_4(Run *run, int64_t count, const int64_t *coordinates) {
  placeKeys<8, 4>(*static_cast<RunState *>(run), count, coordinates);
}

extern "C" void spc_rt_place_row_8_8(Run *run, int64_t count, const int64_t *coordinates) {
  placeKeys<8, 8>(*static_cast<RunState *>(run), count, coordinates);
}

extern "C" void spc_rt_place_row(Run *run, int64_t count, const int64_t *coordinates) {
  placeKeys<kAny, kAny>(*static_cast<RunState *>(run), count, coordinates);
}

} // namespace spc::runtime
