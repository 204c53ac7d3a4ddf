#include "runtime/assembly/assembly_state.h"
#include "runtime/hot.h"
#include "runtime/levels/walk.h"

namespace spc::runtime {
namespace {

constexpr int64_t kFirstTable = 256;
constexpr int64_t kLeastTable = 16; ///< of a call that has but a few products
constexpr int64_t kRadixBits = 8;
constexpr int64_t kFewKeys = 64; // below, insertion sort wins

/// The slot of `key`, or the empty slot where it belongs.
inline int64_t probe(const Workspace &table, int64_t key) {
  const auto hash = static_cast<uint64_t>(key) * 0x9e3779b97f4a7c15u;
  auto slot = static_cast<int64_t>(hash >> table.shift);
  while (table.keys[slot] != 0 && table.keys[slot] != key + 1)
    slot = (slot + 1) & (table.capacity - 1);
  return slot;
}

/// Allocates an empty table in a block of its own.
bool allocateTable(const AssemblyState &state, int64_t capacity, Workspace &table) {
  Layout layout;
  const int64_t keys = layout.add(capacity, sizeof(int64_t));
  const int64_t slots = layout.add(state.valueBytes > 0 ? capacity : 0, state.valueBytes > 0 ? state.valueBytes : 1);
  const int64_t zeros = layout.total();
  const int64_t touched = layout.add(capacity / 2, sizeof(Touched));
  const int64_t scratch = layout.add(capacity / 2, sizeof(Touched));
  if (layout.overflows() || !allocateArray(state.allocator, layout.total(), 1, table.block))
    return false;
  auto *block = static_cast<char *>(table.block);
  fillWithZeros(block, zeros);
  table.keys = reinterpret_cast<int64_t *>(block + keys);
  table.slots = state.valueBytes > 0 ? block + slots : nullptr;
  table.touched = reinterpret_cast<Touched *>(block + touched);
  table.scratch = reinterpret_cast<Touched *>(block + scratch);
  table.capacity = capacity;
  table.shift = __builtin_clzll(static_cast<uint64_t>(capacity)) + 1;
  table.count = 0;
  return true;
}

/// The slots of a run's first table: enough for all keys, where there are few.
int64_t firstCapacity(const AssemblyState &state) {
  int64_t capacity = kLeastTable;
  while (capacity < kFirstTable && capacity / 2 < state.products)
    capacity *= 2;
  return capacity;
}

void insertionSort(Touched *list, int64_t count) {
  for (int64_t e = 1; e < count; ++e) {
    const Touched entry = list[e];
    int64_t to = e;
    for (; to > 0 && list[to - 1].key > entry.key; --to)
      list[to] = list[to - 1];
    list[to] = entry;
  }
}

/// Sorts by the keys' distances from the least key, least significant digit first. Returns the sorted list, which is
/// `list` or `scratch`.
SPC_HOT Touched *radixSort(Touched *list, Touched *scratch, int64_t count) {
  int64_t least = list[0].key, most = list[0].key;
  for (int64_t e = 1; e < count; ++e) {
    least = list[e].key < least ? list[e].key : least;
    most = list[e].key > most ? list[e].key : most;
  }
  const auto span = static_cast<uint64_t>(most - least);
  constexpr int64_t buckets = int64_t{1} << kRadixBits;
  for (int64_t shift = 0; shift < 64 && span >> shift != 0; shift += kRadixBits) {
    const auto digit = [=](const Touched &entry) {
      return static_cast<uint64_t>(entry.key - least) >> shift & (buckets - 1);
    };
    int64_t starts[buckets] = {};
    for (int64_t e = 0; e < count; ++e)
      ++starts[digit(list[e])];
    int64_t start = 0;
    for (int64_t &bucket : starts) {
      const int64_t size = bucket;
      bucket = start;
      start += size;
    }
    for (int64_t e = 0; e < count; ++e)
      scratch[starts[digit(list[e])]++] = list[e];
    Touched *sorted = scratch;
    scratch = list;
    list = sorted;
  }
  return list;
}

/// Flushes a row (spc_rt_hash_flush). The widths are kAny where they are known at run time only.
template <int64_t KeyBytes, int64_t ValueBytes>
SPC_HOT int64_t flushTable(RunState &run, int64_t count, const int64_t *coordinates) {
  const AssemblyState &state = *run.state;
  Workspace &table = *run.workspace;
  const int64_t more = table.count;
  if (more > run.capacity - count) {
    count = makeRoom(run, count, more);
    if (run.status != Status::Ok)
      return count;
  }
  const Touched *const sorted = sortByKey(table.touched, table.scratch, table.count);
  const int64_t keyBytes = KeyBytes != kAny ? KeyBytes : state.keyBytes;
  const int64_t valueBytes = ValueBytes != kAny ? ValueBytes : state.valueBytes;
  void *const keys = run.keys, *const values = run.values, *const slots = table.slots;
  int64_t *const tableKeys = table.keys;
  for (int64_t e = 0; e < more; ++e, ++count) {
    const auto [key, slot] = sorted[e];
    store(keys, keyBytes, count, key);
    tableKeys[slot] = 0;
    takeValue(values, count, slots, slot, valueBytes);
  }
  table.count = 0;
  return endRow(run, count, coordinates);
}

} // namespace

Touched *sortByKey(Touched *list, Touched *scratch, int64_t count) {
  if (count > kFewKeys)
    return radixSort(list, scratch, count);
  insertionSort(list, count);
  return list;
}

bool growTable(const AssemblyState &state, Workspace &table) {
  Workspace grown = {};
  if (!allocateTable(state, table.capacity > 0 ? 2 * table.capacity : firstCapacity(state), grown))
    return false;
  for (int64_t e = 0; e < table.count; ++e) {
    const Touched entry = table.touched[e];
    const int64_t slot = probe(grown, entry.key);
    grown.keys[slot] = entry.key + 1;
    grown.touched[grown.count++] = {entry.key, slot};
    if (state.valueBytes > 0)
      copyElement(elementAt(grown.slots, slot, state.valueBytes), elementAt(table.slots, entry.slot, state.valueBytes),
                  state.valueBytes);
  }
  releaseArray(state.allocator, table.block);
  table = grown;
  return true;
}

extern "C" SPC_HOT int64_t spc_rt_locate(Run *of, int64_t key) {
  auto &run = *static_cast<RunState *>(of);
  Workspace &table = *run.workspace;
  int64_t slot = probe(table, key);
  if (table.keys[slot] != 0)
    return slot;
  if (table.count == table.capacity / 2) {
    if (!growTable(*run.state, table)) {
      fail(run, Status::Memory);
      return 0;
    }
    run.slots = table.slots;
    slot = probe(table, key);
  }
  table.keys[slot] = key + 1;
  table.touched[table.count++] = {key, slot};
  return slot;
}

/// Leaves each key of a row once, in order, and notes the number of each that there was in `places`, unless that is
/// null.
static SPC_HOT int64_t recordKeys(RunState &run, int64_t count, uint16_t *places) {
  Workspace &table = *run.workspace;
  const int64_t keyBytes = run.state->keyBytes, start = run.rowStart;
  const Touched *const sorted = sortByKey(table.touched, table.scratch, table.count);
  // The list that was sorted from is of no more use.
  auto *const ranks = reinterpret_cast<uint16_t *>(sorted == table.touched ? table.scratch : table.touched);
  for (int64_t e = 0; places && e < table.count; ++e)
    ranks[sorted[e].slot] = static_cast<uint16_t>(e);
  for (int64_t e = start; places && e < count; ++e)
    places[e - start] = ranks[probe(table, load(run.keys, keyBytes, e))];
  for (int64_t e = 0; e < table.count; ++e) {
    store(run.keys, keyBytes, start + e, sorted[e].key);
    table.keys[sorted[e].slot] = 0;
  }
  const int64_t end = start + table.count;
  table.count = 0;
  return end;
}

extern "C" int64_t spc_rt_row_record(Run *of, int64_t count, const int64_t *coordinates) {
  auto &run = *static_cast<RunState *>(of);
  AssemblyState &state = *run.state;
  const int64_t met = count - run.rowStart;
  for (int64_t e = run.rowStart; e < count && run.status == Status::Ok; ++e)
    spc_rt_locate(&run, load(run.keys, state.keyBytes, e));
  const int64_t found = run.workspace->count, entries = run.before + run.rowStart + found;
  run.isUnrecorded =
      run.isUnrecorded || found > UINT16_MAX + 1 || run.recordedCount + met > (entries + 1024) * kMostKeys;
  uint16_t *const places = run.isUnrecorded ? nullptr : reserveRecorded(run, met);
  if (run.status != Status::Ok || (!places && !run.isUnrecorded)) {
    fail(run, Status::Memory);
    return 0;
  }
  if (places) {
    state.recordedKeys[state.rowOrder > 0 ? coordinates[0] : 0] = met;
    run.recordedCount += met;
  }
  return endRow(run, recordKeys(run, count, places), coordinates);
}

extern "C" int64_t spc_rt_find(const Run *run, int64_t key) {
  const Workspace &table = *static_cast<const RunState *>(run)->workspace;
  const int64_t slot = probe(table, key);
  return table.keys[slot] != 0 ? slot : -1;
}

extern "C" int64_t spc_rt_hash_flush(Run *run, int64_t count, const int64_t *coordinates) {
  return flushTable<kAny, kAny>(*static_cast<RunState *>(run), count, coordinates);
}

#define SPC_HASH_FLUSH(KEY, VALUE)                                                                                     \
  extern "C" int64_t spc_rt_hash_flush_##KEY##_##VALUE(Run *run, int64_t count, const int64_t *coordinates) {          \
    return flushTable<KEY, VALUE>(*static_cast<RunState *>(run), count, coordinates);                                  \
  }
SPC_FOR_WIDTHS(SPC_HASH_FLUSH)

} // namespace spc::runtime
