#include "runtime/collector.h"
#include "runtime/convert.h"
#include "runtime/hot.h"
#include "runtime/values.h"
#include "runtime/walk.h"

namespace spc::runtime {
namespace {

struct Range {
  int64_t begin, end;
};

int64_t indexAt(const Tensor &tensor, const Level &level, int64_t position) {
  return load(level.indices, tensor.indexBytes, position * level.stride + level.offset);
}

/// The first position in a sorted range whose coordinate is at least `at`.
int64_t lowerBound(const Tensor &tensor, const Level &level, Range range, int64_t at) {
  while (range.begin < range.end) {
    const int64_t middle = range.begin + (range.end - range.begin) / 2;
    if (indexAt(tensor, level, middle) < at)
      range.begin = middle + 1;
    else
      range.end = middle;
  }
  return range.begin;
}

/// The row's positions in the last level; an empty range where the target does not have the row.
Range findRow(const AssemblyState &state, const int64_t *coordinates) {
  const Tensor &target = *state.assembly->target;
  const RowLayout &layout = state.layout;
  int64_t parent = 0;
  for (int64_t k = 0; k < layout.dense; ++k)
    parent = parent * target.levels[k].extent + coordinates[k];
  Cursor cursor = open(target, layout.dense, parent);
  Range range = {cursor.position, cursor.end};
  for (int64_t k = layout.dense; k < state.rowOrder; ++k) {
    const Level &level = target.levels[k];
    range.begin = lowerBound(target, level, range, coordinates[k]);
    if (k >= layout.list) {
      range.end = lowerBound(target, level, range, coordinates[k] + 1);
    } else {
      if (range.begin == range.end || indexAt(target, level, range.begin) != coordinates[k])
        return {0, 0};
      cursor = open(target, k + 1, range.begin);
      range = {cursor.position, cursor.end};
    }
  }
  return range;
}

/// Puts a value at a position of the target, which holds what other runs have put there.
void placeValue(const Collector &run, int64_t entry, int64_t position) {
  const AssemblyState &state = *run.state;
  const Tensor &target = *state.assembly->target;
  Tensor view = target;
  view.values = run.values;
  if (state.assembly->runs > 1)
    addValue(view, entry, target.values, position);
  else
    copyValue(view, entry, target.values, position);
}

/// Puts the row's values at the places of its keys within `range`. False where a key has none. The widths are 0 where
/// they are known at run time only, `ValueBytes` also where values are added.
template <int64_t KeyBytes, int64_t ValueBytes>
SPC_HOT bool placeKeys(const Collector &run, int64_t count, Range range) {
  const Tensor &target = *run.state->assembly->target;
  const Level &level = target.levels[target.order - 1];
  const int64_t keyBytes = KeyBytes != 0 ? KeyBytes : target.indexBytes, stride = level.stride, offset = level.offset;
  const void *const keys = run.keys, *const indices = level.indices;
  void *const from = run.values, *const to = target.values;
  int64_t position = range.begin;
  for (int64_t e = 0; e < count; ++e, ++position) {
    const int64_t key = load(keys, keyBytes, e);
    while (position < range.end && load(indices, keyBytes, position * stride + offset) < key)
      ++position;
    if (position == range.end || load(indices, keyBytes, position * stride + offset) != key)
      return false;
    if constexpr (ValueBytes == 8)
      static_cast<uint64_t *>(to)[position] = static_cast<const uint64_t *>(from)[e];
    else if constexpr (ValueBytes == 4)
      static_cast<uint32_t *>(to)[position] = static_cast<const uint32_t *>(from)[e];
    else
      placeValue(run, e, position);
  }
  return true;
}

template <int64_t KeyBytes> bool placeInRange(const Collector &run, int64_t count, Range range) {
  const bool adds = run.state->assembly->runs > 1;
  if (run.state->valueBytes == 8 && !adds)
    return placeKeys<KeyBytes, 8>(run, count, range);
  if (run.state->valueBytes == 4 && !adds)
    return placeKeys<KeyBytes, 4>(run, count, range);
  return placeKeys<KeyBytes, 0>(run, count, range);
}

bool placeByWidth(const Collector &run, int64_t count, Range range) {
  switch (run.state->keyBytes) {
  case 4:
    return placeInRange<4>(run, count, range);
  case 8:
    return placeInRange<8>(run, count, range);
  default:
    return placeInRange<0>(run, count, range);
  }
}

/// Looks every entry up by itself.
bool placeOneByOne(const Collector &run, int64_t count, const int64_t *coordinates) {
  const AssemblyState &state = *run.state;
  const Assembly &assembly = *state.assembly;
  int64_t at[kMaxOrder];
  for (int64_t place = 0; place < state.rowOrder; ++place)
    at[assembly.dims[place]] = coordinates[place];
  for (int64_t e = 0; e < count; ++e) {
    spreadKey(state, load(run.keys, state.keyBytes, e), at);
    const int64_t position = positionOf(*assembly.target, at);
    if (position < 0)
      return false;
    placeValue(run, e, position);
  }
  return true;
}

} // namespace

void placeRow(Collector &run, int64_t count, const int64_t *coordinates) {
  const bool isPlaced = run.state->layout.applies ? placeByWidth(run, count, findRow(*run.state, coordinates))
                                                  : placeOneByOne(run, count, coordinates);
  if (!isPlaced)
    fail(run, Status::Pattern);
}

} // namespace spc::runtime
