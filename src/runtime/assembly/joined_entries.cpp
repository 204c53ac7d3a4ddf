#include "runtime/assembly/assembly_state.h"

namespace spc::runtime {
namespace {

/// The buffer that has all entries of the only chunk, if there is one, without too much room besides; null otherwise.
/// Some room is fine: pages that are never touched cost nothing.
EntryBuffer *onlyBuffer(const AssemblyState &state, int64_t total) {
  const RunState *run = entriesOf(state, 0);
  EntryBuffer *const buffer = run ? run->first : nullptr;
  const bool isAll = buffer && buffer->storage == Storage::Apart && buffer->count == total;
  return isAll && buffer->capacity / kMaxRoom <= total ? buffer : nullptr;
}

struct Joining {
  AssemblyState &state;
  void *keys, *values; ///< null where they are not to be joined
};

void joinChunk(void *closure, int64_t chunk) {
  const auto &[state, keys, values] = *static_cast<Joining *>(closure);
  RunState *run = entriesOf(state, chunk);
  if (!run)
    return;
  int64_t to = run->base;
  for (EntryBuffer *buffer = run->first; buffer; to += buffer->count, buffer = buffer->next) {
    if (keys)
      copyElements(elementAt(keys, to, state.keyBytes), buffer->keys, buffer->count, state.keyBytes);
    if (values)
      copyElements(elementAt(values, to, state.valueBytes), buffer->values, buffer->count, state.valueBytes);
  }
  if (keys)
    releaseBuffers(*run);
}

} // namespace

RunState *entriesOf(const AssemblyState &state, int64_t chunk) {
  for (int64_t r = 0; r < state.assembly->runs; ++r)
    if (RunState &run = runOf(state, chunk, r); run.total > 0)
      return &run;
  return nullptr;
}

int64_t sumTotals(AssemblyState &state) {
  int64_t total = 0;
  for (int64_t chunk = 0; chunk < state.assembly->chunks; ++chunk)
    if (RunState *run = entriesOf(state, chunk)) {
      run->base = total;
      total += run->total;
    }
  return total;
}

bool joinEntries(AssemblyState &state, int64_t total, void **keys, void **values) {
  const bool withKeys = keys != nullptr, withValues = values != nullptr && state.valueBytes > 0;
  if (withKeys && gatherEntries(state, total)) {
    *keys = state.gathering.keys;
    if (withValues)
      *values = state.gathering.values;
    state.gathering.keys = state.gathering.values = nullptr;
    return true;
  }
  EntryBuffer *only = onlyBuffer(state, total);
  if (withKeys) {
    *keys = only ? only->keys : nullptr;
    if (only)
      only->keys = nullptr;
    else if (!allocateArray(state.allocator, total, state.keyBytes, *keys))
      return false;
  }
  if (withValues) {
    *values = only ? only->values : nullptr;
    if (only)
      only->values = nullptr;
    else if (!allocateArray(state.allocator, total, state.valueBytes, *values))
      return false;
  }
  if (only)
    return true;
  Joining joining = {state, withKeys ? *keys : nullptr, withValues ? *values : nullptr};
  runTasks(state.assembly->workers, state.assembly->chunks, joinChunk, &joining);
  return true;
}

} // namespace spc::runtime
