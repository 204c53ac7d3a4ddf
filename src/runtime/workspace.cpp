#include "runtime/collector.h"
#include "runtime/hot.h"
#include "runtime/walk.h"

namespace spc::runtime {
namespace {

int64_t wordsOf(int64_t bits) {
  return bits / 64 + 1;
}

/// All arrays of a dense workspace in one block of zeros.
bool allocateDense(const AssemblyState &state, Workspace &workspace) {
  const int64_t words = wordsOf(state.keySpace), summaryWords = wordsOf(words);
  const int64_t valueWords = (state.keySpace * state.valueBytes + 7) / 8;
  const int64_t all = words + summaryWords + valueWords;
  if (!allocateArray(state.allocator, all, sizeof(uint64_t), workspace.block))
    return false;
  auto *block = static_cast<uint64_t *>(workspace.block);
  for (int64_t w = 0; w < all; ++w)
    block[w] = 0;
  workspace.bits = block;
  workspace.summary = block + words;
  workspace.slots = state.valueBytes > 0 ? block + words + summaryWords : nullptr;
  return true;
}

Workspace *newWorkspace(const AssemblyState &state) {
  void *memory;
  if (!allocateArray(state.allocator, 1, sizeof(Workspace), memory))
    return nullptr;
  auto *workspace = static_cast<Workspace *>(memory);
  *workspace = {};
  if (state.hasDenseWorkspaces ? allocateDense(state, *workspace) : growTable(state, *workspace))
    return workspace;
  releaseArray(state.allocator, memory);
  return nullptr;
}

/// Takes the value of a slot away into the row's values. `Bytes` 0: of the width that `bytes` says.
template <int64_t Bytes> void takeValue(void *values, int64_t to, void *slots, int64_t from, int64_t bytes) {
  if constexpr (Bytes == 8) {
    static_cast<uint64_t *>(values)[to] = static_cast<uint64_t *>(slots)[from];
    static_cast<uint64_t *>(slots)[from] = 0;
  } else if constexpr (Bytes == 4) {
    static_cast<uint32_t *>(values)[to] = static_cast<uint32_t *>(slots)[from];
    static_cast<uint32_t *>(slots)[from] = 0;
  } else {
    auto *write = static_cast<char *>(values) + to * bytes;
    auto *read = static_cast<char *>(slots) + from * bytes;
    for (int64_t b = 0; b < bytes; ++b) {
      write[b] = read[b];
      read[b] = 0;
    }
  }
}

/// The touched keys whose bits the summary's words from first to last stand for.
int64_t countTouched(const Run &run, int64_t first, int64_t last) {
  int64_t count = 0;
  for (int64_t s = first; s <= last; ++s)
    for (uint64_t busy = run.summary[s]; busy != 0; busy &= busy - 1)
      count += __builtin_popcountll(run.bits[s * 64 + __builtin_ctzll(busy)]);
  return count;
}

/// Appends the touched keys and their values behind `count` entries. `KeyBytes` and `ValueBytes` are 0 where the width
/// is known at run time only.
template <int64_t KeyBytes, int64_t ValueBytes>
SPC_HOT int64_t flushWords(const Collector &run, int64_t count, int64_t first, int64_t last) {
  void *const keys = run.keys, *const values = run.values, *const slots = run.slots;
  uint64_t *const bits = run.bits, *const summary = run.summary;
  const int64_t keyBytes = KeyBytes != 0 ? KeyBytes : run.state->keyBytes, valueBytes = run.state->valueBytes;
  for (int64_t s = first; s <= last; ++s) {
    uint64_t busy = summary[s];
    if (busy == 0)
      continue;
    summary[s] = 0;
    for (; busy != 0; busy &= busy - 1) {
      const int64_t word = s * 64 + __builtin_ctzll(busy);
      uint64_t touched = bits[word];
      bits[word] = 0;
      for (; touched != 0; touched &= touched - 1) {
        const int64_t key = word * 64 + __builtin_ctzll(touched);
        store(keys, keyBytes, count, key);
        takeValue<ValueBytes>(values, count, slots, key, valueBytes);
        ++count;
      }
    }
  }
  return count;
}

template <int64_t KeyBytes> int64_t flushKeys(const Collector &run, int64_t count, int64_t first, int64_t last) {
  switch (run.state->valueBytes) {
  case 4:
    return flushWords<KeyBytes, 4>(run, count, first, last);
  case 8:
    return flushWords<KeyBytes, 8>(run, count, first, last);
  default:
    return flushWords<KeyBytes, 0>(run, count, first, last);
  }
}

} // namespace

Workspace *takeWorkspace(AssemblyState &state) {
  for (Workspace *&place : state.pool)
    if (Workspace *workspace = __atomic_exchange_n(&place, nullptr, __ATOMIC_ACQUIRE))
      return workspace;
  return newWorkspace(state);
}

void giveWorkspace(AssemblyState &state, Workspace *workspace) {
  for (Workspace *&place : state.pool) {
    Workspace *expected = nullptr;
    if (__atomic_compare_exchange_n(&place, &expected, workspace, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      return;
  }
  releaseWorkspace(state, workspace);
}

void releaseWorkspace(AssemblyState &state, Workspace *workspace) {
  releaseArray(state.allocator, workspace->block);
  state.allocator.release(state.allocator.user, workspace);
}

extern "C" int64_t spc_rt_row_flush(Run *run, int64_t count, int64_t first, int64_t last, const int64_t *coordinates) {
  auto &collector = *static_cast<Collector *>(run);
  if (first > last)
    return count;
  const int64_t firstWord = first >> 12, lastWord = last >> 12;
  if (last - first >= run->capacity - count) {
    const int64_t more = countTouched(*run, firstWord, lastWord);
    if (more > run->capacity - count) {
      count = makeRoom(collector, count, more);
      if (collector.status != Status::Ok)
        return count;
    }
  }
  const int64_t keyBytes = collector.state->keyBytes;
  if (keyBytes == 4)
    count = flushKeys<4>(collector, count, firstWord, lastWord);
  else if (keyBytes == 8)
    count = flushKeys<8>(collector, count, firstWord, lastWord);
  else
    count = flushKeys<0>(collector, count, firstWord, lastWord);
  return endRow(collector, count, coordinates);
}

} // namespace spc::runtime
