// Rows whose entries were appended in any order.
#include "runtime/assembly/assembly_state.h"
#include "runtime/hot.h"
#include "runtime/levels/walk.h"
#include "runtime/values.h"

namespace spc::runtime {
namespace {

constexpr int64_t kMostRanked = 64; ///< entries of a row that are sorted by comparing all with all

template <typename Key> struct VectorOfKeys;
template <> struct VectorOfKeys<int32_t> {
  using Type = int32_t __attribute__((vector_size(64)));
};
template <> struct VectorOfKeys<int64_t> {
  using Type = int64_t __attribute__((vector_size(64)));
};

template <typename Key> bool areAscending(const Key *keys, int64_t count) {
  for (int64_t e = 1; e < count; ++e)
    if (keys[e - 1] >= keys[e])
      return false;
  return true;
}

/// Writes where each of up to `Most` keys belongs: behind all that are less. False where two are the same. Behind
/// `count` there are greater keys. All are compared with all, without a branch that depends on any of them.
template <int64_t Most, typename Key> SPC_HOT bool rankKeys(const Key *keys, Key *ranks, int64_t count) {
  using Vector = typename VectorOfKeys<Key>::Type;
  constexpr int64_t lanes = sizeof(Vector) / sizeof(Key), blocks = Most / lanes;
  Vector own[blocks], rank[blocks] = {}, sums = {};
  __builtin_memcpy(own, keys, sizeof own);
  for (int64_t e = 0; e < count; ++e) {
    const Vector other = keys[e] - Vector{};
    SPC_UNROLL_ALL
    for (int64_t b = 0; b < blocks; ++b)
      rank[b] -= other < own[b];
  }
  SPC_UNROLL_ALL
  for (int64_t b = 0; b < blocks; ++b)
    sums += rank[b];
  __builtin_memcpy(ranks, rank, sizeof rank);
  Key parts[lanes]; // one store, and loads that wait for nothing else
  __builtin_memcpy(parts, &sums, sizeof parts);
  int64_t sum = 0;
  for (const Key part : parts)
    sum += part;
  return 2 * (sum - (Most - count) * count) == count * (count - 1);
}

/// Moves up to `Most` entries to their ranks, if no two have one key.
template <int64_t Most, typename Key, int64_t ValueBytes> SPC_HOT bool sortFew(Key *keys, void *values, int64_t count) {
  alignas(64) Key copies[Most], ranks[Most];
  for (int64_t e = 0; e < count; ++e)
    copies[e] = keys[e];
  for (int64_t e = count; e < Most; ++e)
    copies[e] = static_cast<Key>(largest(sizeof(Key)));
  if (!rankKeys<Most>(copies, ranks, count))
    return false;
  for (int64_t e = 0; e < count; ++e)
    keys[ranks[e]] = copies[e];
  if constexpr (ValueBytes > 0) {
    uint64_t moved[Most];
    copyElements(moved, values, count, ValueBytes);
    for (int64_t e = 0; e < count; ++e)
      copyElement(elementAt(values, ranks[e], ValueBytes), elementAt(moved, e, ValueBytes), ValueBytes);
  }
  return true;
}

/// The same for any number up to kMostRanked.
template <typename Key, int64_t ValueBytes> bool sortFew(Key *keys, void *values, int64_t count) {
  return count <= kMostRanked / 4   ? sortFew<kMostRanked / 4, Key, ValueBytes>(keys, values, count)
         : count <= kMostRanked / 2 ? sortFew<kMostRanked / 2, Key, ValueBytes>(keys, values, count)
                                    : sortFew<kMostRanked, Key, ValueBytes>(keys, values, count);
}

/// Room for sorting so many entries, which the run keeps. False where memory ran out.
bool reserveSorting(RunState &run, int64_t count) {
  if (run.sortingCapacity >= count)
    return true;
  const AssemblyState &state = *run.state;
  const int64_t capacity = 2 * count, each = 2 * static_cast<int64_t>(sizeof(Touched)) + state.valueBytes;
  void *grown, *old = run.sorting;
  if (!allocateArray(state.allocator, capacity, each, grown))
    return false;
  releaseArray(state.allocator, old);
  run.sorting = static_cast<Touched *>(grown);
  run.sortingCapacity = capacity;
  return true;
}

/// Sorts words by what they have above their lower half, `bits` of it, least significant digit first. Returns the
/// sorted list, which is one of the two.
SPC_HOT uint64_t *sortWords(uint64_t *list, uint64_t *scratch, int64_t count, int64_t bits) {
  constexpr int64_t fewBits = 9, mostBits = 11, many = 1024;
  const int64_t most = count < many ? fewBits : mostBits, passes = (bits + most - 1) / most;
  const int64_t width = passes > 0 ? (bits + passes - 1) / passes : 0, buckets = int64_t{1} << width;
  int32_t starts[1 << mostBits];
  for (int64_t pass = 0; pass < passes; ++pass) {
    const int64_t shift = 32 + pass * width;
    fillWithZeros(starts, buckets * static_cast<int64_t>(sizeof(int32_t)));
    for (int64_t e = 0; e < count; ++e)
      ++starts[list[e] >> shift & (buckets - 1)];
    int32_t start = 0;
    for (int64_t b = 0; b < buckets; ++b) {
      const int32_t size = starts[b];
      starts[b] = start;
      start += size;
    }
    for (int64_t e = 0; e < count; ++e)
      scratch[starts[list[e] >> shift & (buckets - 1)]++] = list[e];
    uint64_t *const sorted = scratch;
    scratch = list;
    list = sorted;
  }
  return list;
}

/// Moves values to where those of `sorted` have come from, by `numberAt`.
template <int64_t ValueBytes, typename NumberAt>
void moveValues(const AssemblyState &state, void *values, void *moved, int64_t count, const NumberAt &numberAt) {
  const int64_t bytes = ValueBytes != kAny ? ValueBytes : state.valueBytes;
  if (bytes == 0)
    return;
  copyElements(moved, values, count, bytes);
  for (int64_t e = 0; e < count; ++e)
    copyElement(elementAt(values, e, bytes), elementAt(moved, numberAt(e), bytes), bytes);
}

/// Leaves the entries of each key one after the other in the order in which they came, keys in order. False where
/// memory ran out.
template <typename Key, int64_t ValueBytes>
SPC_HOT bool sortMany(RunState &run, Key *keys, void *values, int64_t count) {
  if (!reserveSorting(run, count))
    return false;
  Touched *const list = run.sorting, *const scratch = list + run.sortingCapacity;
  void *const moved = scratch + run.sortingCapacity;
  Key least = keys[0], greatest = keys[0];
  for (int64_t e = 1; e < count; ++e) {
    least = keys[e] < least ? keys[e] : least;
    greatest = keys[e] > greatest ? keys[e] : greatest;
  }
  const auto span = static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least);
  if (span <= UINT32_MAX && count <= INT32_MAX) {
    auto *const words = reinterpret_cast<uint64_t *>(list);
    for (int64_t e = 0; e < count; ++e)
      words[e] = (static_cast<uint64_t>(keys[e]) - static_cast<uint64_t>(least)) << 32 | static_cast<uint64_t>(e);
    const int64_t bits = span > 0 ? 64 - __builtin_clzll(span) : 0;
    const uint64_t *const sorted = sortWords(words, words + count, count, bits);
    for (int64_t e = 0; e < count; ++e)
      keys[e] = static_cast<Key>(least + static_cast<Key>(sorted[e] >> 32));
    moveValues<ValueBytes>(*run.state, values, moved, count,
                           [=](int64_t e) { return static_cast<int64_t>(sorted[e] & UINT32_MAX); });
    return true;
  }
  for (int64_t e = 0; e < count; ++e)
    list[e] = {static_cast<int64_t>(keys[e]), e};
  const Touched *const sorted = sortByKey(list, scratch, count);
  for (int64_t e = 0; e < count; ++e)
    keys[e] = static_cast<Key>(sorted[e].key);
  moveValues<ValueBytes>(*run.state, values, moved, count, [=](int64_t e) { return sorted[e].slot; });
  return true;
}

/// Adds up the entries of each key, in order. Returns how many keys there are.
template <typename Key> int64_t addUp(const AssemblyState &state, Key *keys, void *values, int64_t count) {
  int64_t last = 0;
  for (int64_t e = 1; e < count; ++e) {
    const bool isSame = keys[e] == keys[last];
    if (!isSame)
      keys[++last] = keys[e];
    if (state.valueBytes == 0 || (!isSame && last == e))
      continue;
    if (isSame)
      addValue(*state.assembly->target, values, e, values, last);
    else
      copyElement(elementAt(values, last, state.valueBytes), elementAt(values, e, state.valueBytes), state.valueBytes);
  }
  return last + 1;
}

/// Sorts a row (spc_rt_row_sort).
template <typename Key, int64_t ValueBytes> int64_t sortRow(RunState &run, int64_t count) {
  const int64_t length = count - run.rowStart;
  Key *const keys = static_cast<Key *>(run.keys) + run.rowStart;
  if (length < 2 || areAscending(keys, length))
    return count;
  void *const values = run.values ? elementAt(run.values, run.rowStart, run.state->valueBytes) : nullptr;
  if constexpr (ValueBytes != kAny)
    if (length <= kMostRanked && sortFew<Key, ValueBytes>(keys, values, length))
      return count;
  if (!sortMany<Key, ValueBytes>(run, keys, values, length)) {
    fail(run, Status::Memory);
    return count;
  }
  if (areAscending(keys, length))
    return count;
  return run.rowStart + addUp(*run.state, keys, values, length);
}

/// The same for keys of any width.
int64_t sortAnyRow(RunState &run, int64_t count) {
  switch (run.state->keyBytes) {
  case 1:
    return sortRow<uint8_t, kAny>(run, count);
  case 2:
    return sortRow<uint16_t, kAny>(run, count);
  case 4:
    return sortRow<int32_t, kAny>(run, count);
  default:
    return sortRow<int64_t, kAny>(run, count);
  }
}

template <int64_t Bytes> struct KeyOfWidth {
  using Type = int64_t;
};
template <> struct KeyOfWidth<4> {
  using Type = int32_t;
};

} // namespace

extern "C" int64_t spc_rt_row_sort(Run *run, int64_t count) {
  return sortAnyRow(*static_cast<RunState *>(run), count);
}

#define SPC_ROW_SORT(KEY, VALUE)                                                                                       \
  extern "C" int64_t spc_rt_row_sort_##KEY##_##VALUE(Run *run, int64_t count) {                                        \
    return sortRow<KeyOfWidth<KEY>::Type, VALUE>(*static_cast<RunState *>(run), count);                                \
  }
SPC_FOR_WIDTHS(SPC_ROW_SORT)

} // namespace spc::runtime
