#include "runtime/assembly/assembly_state.h"

namespace spc::runtime {
namespace {

/// A thread moves the entries of so many chunks for each one that it collects: more than one, so that none is left
/// waiting, and few, so that the others share the work.
constexpr int64_t kMovedAtOnce = 2;
/// Chunks that are left at the end; waking threads for fewer costs more than they save.
constexpr int64_t kFewestLeft = 8;

/// Allocates arrays for the entries of all chunks. They hold as many as there can be, as memory that is never touched
/// costs nothing, unless the chunks that have ended came to far fewer than was expected of them. False where memory ran
/// out.
bool allocateArrays(AssemblyState &state) {
  const Assembly &assembly = *state.assembly;
  Gathering &gathering = state.gathering;
  double found = 0, foundOf = 0;
  const auto expected = static_cast<double>(state.expected);
  bool isBound = true;
  for (int64_t chunk = gathering.chunks; chunk < assembly.chunks; ++chunk) {
    const RunState &first = runOf(state, chunk, 0);
    if (!__atomic_load_n(&first.hasEnded, __ATOMIC_ACQUIRE))
      break;
    const RunState *run = entriesOf(state, chunk);
    found += run ? static_cast<double>(run->total) : 0;
    foundOf += static_cast<double>(first.expected);
    isBound = isBound && (!run || run->total <= first.expected);
  }
  const double likely = foundOf > 0 ? found * (expected / foundOf) : 0;
  const double capacity = isBound && expected < likely * kMaxRoom ? expected : likely * 2;
  if (capacity < found || capacity > static_cast<double>(INT64_MAX / 64))
    return false;
  gathering.capacity = static_cast<int64_t>(capacity) + 1;
  return allocateArray(state.allocator, gathering.capacity, state.keyBytes, gathering.keys) &&
         (state.valueBytes == 0 ||
          allocateArray(state.allocator, gathering.capacity, state.valueBytes, gathering.values));
}

/// Touches the huge pages that begin in [begin, end): two threads that did so at once would clear each of them twice.
void touchPages(char *begin, const char *end) {
  constexpr uintptr_t page = uintptr_t{1} << 21;
  char *first = begin + (-reinterpret_cast<uintptr_t>(begin) & (page - 1));
  for (; first < end; first += page)
    *static_cast<volatile char *>(first) = 0;
}

/// The place of a run in the result's arrays.
EntryBuffer placeOf(const RunState &run) {
  const AssemblyState &state = *run.state;
  const Gathering &gathering = state.gathering;
  void *const values = gathering.values ? elementAt(gathering.values, run.base, state.valueBytes) : nullptr;
  return {
      elementAt(gathering.keys, run.base, state.keyBytes), values, run.total, run.total, nullptr, Storage::Borrowed};
}

void touchPlace(const RunState &run) {
  const EntryBuffer place = placeOf(run);
  const auto touch = [&](void *array, int64_t bytes) {
    touchPages(static_cast<char *>(array), static_cast<char *>(elementAt(array, run.total, bytes)));
  };
  touch(place.keys, run.state->keyBytes);
  if (place.values)
    touch(place.values, run.state->valueBytes);
}

/// Gives chunks that have ended their places, one after the other.
void givePlaces(AssemblyState &state) {
  Gathering &gathering = state.gathering;
  while (!gathering.isOver && gathering.chunks < state.assembly->chunks &&
         __atomic_load_n(&runOf(state, gathering.chunks, 0).hasEnded, __ATOMIC_ACQUIRE)) {
    if (RunState *run = entriesOf(state, gathering.chunks)) {
      if ((!gathering.keys && !allocateArrays(state)) || run->total > gathering.capacity - gathering.entries) {
        gathering.isOver = true;
        return;
      }
      run->base = gathering.entries;
      gathering.entries += run->total;
      touchPlace(*run);
      run->waiting = gathering.waiting;
      gathering.waiting = run;
    }
    ++gathering.chunks;
  }
}

/// Moves the entries of a run to their place.
void moveEntries(RunState &run) {
  const AssemblyState &state = *run.state;
  const EntryBuffer place = placeOf(run);
  int64_t to = 0;
  for (EntryBuffer *buffer = run.first; buffer; to += buffer->count, buffer = buffer->next) {
    copyElements(elementAt(place.keys, to, state.keyBytes), buffer->keys, buffer->count, state.keyBytes);
    if (place.values)
      copyElements(elementAt(place.values, to, state.valueBytes), buffer->values, buffer->count, state.valueBytes);
  }
  releaseBuffers(run);
  run.own = place;
  run.first = run.last = &run.own;
  run.isPlaced = true;
}

int64_t countWaiting(const Gathering &gathering) {
  int64_t count = 0;
  for (const RunState *run = gathering.waiting; run; run = run->waiting)
    ++count;
  return count;
}

void moveChunk(void *closure, int64_t chunk) {
  RunState *run = entriesOf(*static_cast<AssemblyState *>(closure), chunk);
  if (run && !run->isPlaced)
    moveEntries(*run);
}

/// Whether chunks get places as they end: where there are several, and their rows are the result's.
bool isGathering(const AssemblyState &state) {
  const Assembly &assembly = *state.assembly;
  return assembly.chunks > 1 && assembly.pack && assembly.list >= 0 && state.expected > 0 &&
         assembly.target->levels[assembly.target->order - 1].stride == 1;
}

} // namespace

void endChunk(AssemblyState &state, int64_t chunk) {
  if (!isGathering(state))
    return;
  for (int64_t r = 0; r < state.assembly->runs; ++r)
    if (runOf(state, chunk, r).status != Status::Ok)
      return;
  Gathering &gathering = state.gathering;
  __atomic_store_n(&runOf(state, chunk, 0).hasEnded, true, __ATOMIC_RELEASE);
  if (__atomic_exchange_n(&gathering.isBusy, true, __ATOMIC_ACQUIRE))
    return;
  givePlaces(state);
  RunState *moving[kMovedAtOnce];
  int64_t count = 0;
  for (; count < kMovedAtOnce && gathering.waiting; ++count) {
    moving[count] = gathering.waiting;
    gathering.waiting = gathering.waiting->waiting;
  }
  __atomic_store_n(&gathering.isBusy, false, __ATOMIC_RELEASE);
  for (int64_t m = 0; m < count; ++m)
    moveEntries(*moving[m]);
}

bool gatherEntries(AssemblyState &state, int64_t total) {
  Gathering &gathering = state.gathering;
  givePlaces(state);
  if (!gathering.keys || gathering.chunks < state.assembly->chunks || gathering.capacity / kMaxRoom > total)
    return false;
  const bool hasMany = countWaiting(gathering) >= kFewestLeft;
  runTasks(hasMany ? state.assembly->workers : Workers(), state.assembly->chunks, moveChunk, &state);
  return true;
}

} // namespace spc::runtime
