#include "runtime/pack/pack_level.h"

namespace spc::runtime {
namespace {

/// Where an entry is in its parent's run; negative in front of it.
int64_t offsetInRun(const Level &level, int64_t parent, int64_t at) {
  return at - valueOf(level.start, coordinateOf(parent, level.parentExtent), level.extent);
}

/// Notes each parent's length in the pointers array, and adds these up.
Status measureRuns(const Allocator &allocator, Tensor &target, Level &level, const LevelEntries &entries,
                   int64_t &positions) {
  const int64_t parents = positions, bytes = target.pointerBytes, most = largest(bytes);
  if (parents == INT64_MAX || !allocateArray(allocator, parents + 1, bytes, level.pointers))
    return Status::Memory;
  fillWithZeros(level.pointers, (parents + 1) * bytes);
  for (int64_t e = 0; e < entries.count; ++e) {
    const int64_t offset = offsetInRun(level, entries.at[e], entries.column[e]);
    if (offset < 0)
      return Status::IndexRange;
    if (offset >= most)
      return Status::IndexType;
    if (offset >= load(level.pointers, bytes, entries.at[e]))
      store(level.pointers, bytes, entries.at[e], offset + 1);
  }
  positions = 0;
  for (int64_t parent = 0; parent < parents; ++parent) {
    const int64_t length = load(level.pointers, bytes, parent);
    store(level.pointers, bytes, parent, positions);
    if (length > most - positions)
      return Status::IndexType;
    positions += length;
  }
  store(level.pointers, bytes, parents, positions);
  level.count = positions;
  for (int64_t e = 0; e < entries.count; ++e)
    entries.at[e] = load(level.pointers, bytes, entries.at[e]) + offsetInRun(level, entries.at[e], entries.column[e]);
  return Status::Ok;
}

} // namespace

Status packRuns(const Allocator &allocator, Tensor &target, int64_t k, const LevelEntries &entries,
                int64_t &positions) {
  Level &level = target.levels[k];
  if (level.kind == LevelKind::RaggedDense)
    return measureRuns(allocator, target, level, entries, positions);
  for (int64_t e = 0; e < entries.count; ++e) {
    const int64_t parent = entries.at[e], offset = offsetInRun(level, parent, entries.column[e]);
    if (offset < 0 || offset >= valueOf(level.length, coordinateOf(parent, level.parentExtent), level.extent))
      return Status::IndexRange;
    entries.at[e] = sumBefore(level, parent) + offset;
  }
  positions = sumBefore(level, positions);
  return Status::Ok;
}

} // namespace spc::runtime
