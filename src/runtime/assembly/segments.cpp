#include "runtime/assembly/assembly_state.h"

namespace spc::runtime {
namespace {

/// What is never touched costs nothing, and a slab this large is of huge pages, where there are any.
constexpr int64_t kSlabBytes = int64_t{1} << 23;
constexpr int64_t kAligned = 64; ///< bytes: a cache line

/// A block with an object and arrays of keys and values behind it; null where memory ran out.
template <typename T> T *allocateTogether(const AssemblyState &state, int64_t capacity, void *&keys, void *&values) {
  static_assert(sizeof(T) <= kAligned);
  Layout layout;
  layout.add(2, kAligned);
  layout.add(capacity, state.keyBytes);
  if (state.valueBytes > 0)
    layout.add(capacity, state.valueBytes);
  Block block(state.allocator);
  if (!block.allocate(layout))
    return nullptr;
  keys = block.at(kAligned);
  const int64_t behind = kAligned + capacity * state.keyBytes;
  values = state.valueBytes > 0 ? block.at((behind + kAligned - 1) / kAligned * kAligned) : nullptr;
  auto *object = reinterpret_cast<T *>(block.at(0));
  block.keep();
  return object;
}

EntryBuffer *newBufferApart(const AssemblyState &state, int64_t capacity) {
  void *memory, *keys, *values = nullptr;
  if (!allocateArray(state.allocator, 1, sizeof(EntryBuffer), memory))
    return nullptr;
  if (allocateArray(state.allocator, capacity, state.keyBytes, keys)) {
    if (state.valueBytes == 0 || allocateArray(state.allocator, capacity, state.valueBytes, values)) {
      auto *buffer = static_cast<EntryBuffer *>(memory);
      *buffer = {keys, values, capacity, 0, nullptr, Storage::Apart};
      return buffer;
    }
    releaseArray(state.allocator, keys);
  }
  releaseArray(state.allocator, memory);
  return nullptr;
}

Slab *newSlab(AssemblyState &state, int64_t capacity) {
  void *keys, *values;
  auto *slab = allocateTogether<Slab>(state, capacity, keys, values);
  if (!slab)
    return nullptr;
  *slab = {keys, values, capacity, 0, 0, nullptr};
  slab->other = __atomic_load_n(&state.slabs, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&state.slabs, &slab->other, slab, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
  return slab;
}

/// Lets others use a slab. One for which there is no place stays unused.
void giveBack(AssemblyState &state, Slab *slab) {
  for (Slab *&place : state.freeSlabs) {
    Slab *expected = nullptr;
    if (__atomic_compare_exchange_n(&place, &expected, slab, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      return;
  }
}

/// A slab that no other run writes to, with room for so many entries; null where memory ran out.
Slab *findSlab(AssemblyState &state, int64_t capacity) {
  for (Slab *&place : state.freeSlabs) {
    Slab *slab = __atomic_load_n(&place, __ATOMIC_RELAXED);
    if (!slab || !(slab = __atomic_exchange_n(&place, nullptr, __ATOMIC_ACQUIRE)))
      continue;
    if (__atomic_load_n(&slab->holders, __ATOMIC_ACQUIRE) == 0)
      slab->used = 0;
    if (slab->capacity - slab->used >= capacity)
      return slab;
    giveBack(state, slab);
  }
  int64_t most = kSlabBytes / (state.keyBytes + state.valueBytes);
  most = state.expected < most ? state.expected : most;
  Slab *slab = most > capacity ? newSlab(state, most) : nullptr;
  return slab ? slab : newSlab(state, capacity);
}

} // namespace

EntryBuffer *newBuffer(const AssemblyState &state, int64_t capacity) {
  if (state.assembly->chunks == 1)
    return newBufferApart(state, capacity);
  void *keys, *values;
  auto *buffer = allocateTogether<EntryBuffer>(state, capacity, keys, values);
  if (buffer)
    *buffer = {keys, values, capacity, 0, nullptr, Storage::Together};
  return buffer;
}

void releaseBuffer(const AssemblyState &state, EntryBuffer *buffer) {
  if (buffer->storage == Storage::Borrowed)
    return;
  if (buffer->storage == Storage::Apart) {
    releaseArray(state.allocator, buffer->keys);
    releaseArray(state.allocator, buffer->values);
  }
  state.allocator.release(state.allocator.user, buffer);
}

EntryBuffer *borrowBuffer(RunState &run, int64_t capacity) {
  const AssemblyState &state = *run.state;
  run.slab = findSlab(*run.state, capacity);
  if (!run.slab)
    return nullptr;
  const Slab &slab = *run.slab;
  run.own = {elementAt(slab.keys, slab.used, state.keyBytes),
             slab.values ? elementAt(slab.values, slab.used, state.valueBytes) : nullptr,
             slab.capacity - slab.used,
             0,
             nullptr,
             Storage::Borrowed};
  return &run.own;
}

void endBorrowed(RunState &run) {
  Slab *slab = run.slab;
  if (!slab)
    return;
  const int64_t count = run.first == &run.own ? run.own.count : 0;
  slab->used += count;
  if (count > 0)
    __atomic_fetch_add(&slab->holders, 1, __ATOMIC_RELAXED);
  else
    run.slab = nullptr;
  giveBack(*run.state, slab);
}

void releaseBuffers(RunState &run) {
  for (EntryBuffer *buffer = run.first; buffer;) {
    EntryBuffer *next = buffer->next;
    releaseBuffer(*run.state, buffer);
    buffer = next;
  }
  run.first = run.last = nullptr;
  if (run.slab)
    __atomic_fetch_sub(&run.slab->holders, 1, __ATOMIC_RELEASE);
  run.slab = nullptr;
}

void releaseSlabs(AssemblyState &state) {
  for (Slab *slab = state.slabs; slab;) {
    Slab *other = slab->other;
    state.allocator.release(state.allocator.user, slab);
    slab = other;
  }
}

} // namespace spc::runtime
