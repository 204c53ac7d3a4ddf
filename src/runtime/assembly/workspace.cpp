#include "runtime/assembly/assembly_state.h"
#include "runtime/hot.h"
#include "runtime/levels/walk.h"

namespace spc::runtime {
namespace {

int64_t wordsOf(int64_t bits) {
  return bits / 64 + 1;
}

/// Allocates all arrays of a dense workspace in one block of zeros.
bool allocateDense(const AssemblyState &state, Workspace &workspace) {
  const int64_t words = wordsOf(state.keySpace), summaryWords = wordsOf(words);
  const int64_t valueWords = (state.keySpace * state.valueBytes + 7) / 8;
  const int64_t all = words + summaryWords + valueWords;
  if (!allocateArray(state.allocator, all, sizeof(uint64_t), workspace.block))
    return false;
  auto *block = static_cast<uint64_t *>(workspace.block);
  fillWithZeros(block, all * static_cast<int64_t>(sizeof(uint64_t)));
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

/// Counts the touched keys below the words [first, last] of the summary.
int64_t countTouched(const Run &run, int64_t first, int64_t last) {
  int64_t count = 0;
  for (int64_t s = first; s <= last; ++s)
    for (uint64_t busy = run.summary[s]; busy != 0; busy &= busy - 1)
      count += __builtin_popcountll(run.bits[s * 64 + __builtin_ctzll(busy)]);
  return count;
}

/// Makes room for the touched keys of the words [first, last] of the summary. Returns the new count.
int64_t makeRoomForTouched(RunState &run, int64_t count, int64_t first, int64_t last) {
  const int64_t more = countTouched(run, first, last);
  return more > run.capacity - count ? makeRoom(run, count, more) : count;
}

/// Forgets the touched keys below the words [first, last] of the summary: whoever has the workspace next finds none.
void forgetTouched(Run &run, int64_t first, int64_t last) {
  for (int64_t s = first; s <= last; ++s) {
    for (uint64_t busy = run.summary[s]; busy != 0; busy &= busy - 1)
      run.bits[s * 64 + __builtin_ctzll(busy)] = 0;
    run.summary[s] = 0;
  }
}

/// Flushes a row (spc_rt_row_flush). The widths are kAny where they are known at run time only.
template <int64_t KeyBytes, int64_t ValueBytes>
SPC_HOT int64_t flushRow(RunState &run, int64_t count, int64_t first, int64_t last, const int64_t *coordinates) {
  if (first > last)
    return count;
  const int64_t firstWord = first >> 12, lastWord = last >> 12;
  if (last - first >= run.capacity - count) {
    count = makeRoomForTouched(run, count, firstWord, lastWord);
    if (run.status != Status::Ok) {
      forgetTouched(run, firstWord, lastWord);
      return count;
    }
  }
  void *const keys = run.keys, *const values = run.values, *const slots = run.slots;
  uint64_t *const bits = run.bits, *const summary = run.summary;
  const int64_t keyBytes = KeyBytes != kAny ? KeyBytes : run.state->keyBytes;
  const int64_t valueBytes = ValueBytes != kAny ? ValueBytes : run.state->valueBytes;
  for (int64_t s = firstWord; s <= lastWord; ++s) {
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
        takeValue(values, count, slots, key, valueBytes);
        ++count;
      }
    }
  }
  return endRow(run, count, coordinates);
}

} // namespace

Workspace *takeWorkspace(AssemblyState &state) {
  for (Workspace *&place : state.pool) {
    if (!__atomic_load_n(&place, __ATOMIC_RELAXED))
      continue; // many exchanges take longer than a small call
    if (Workspace *workspace = __atomic_exchange_n(&place, nullptr, __ATOMIC_ACQUIRE))
      return workspace;
  }
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
  return flushRow<kAny, kAny>(*static_cast<RunState *>(run), count, first, last, coordinates);
}

#define SPC_ROW_FLUSH(KEY, VALUE)                                                                                      \
  extern "C" int64_t spc_rt_row_flush_##KEY##_##VALUE(Run *run, int64_t count, int64_t first, int64_t last,            \
                                                      const int64_t *coordinates) {                                    \
    return flushRow<KEY, VALUE>(*static_cast<RunState *>(run), count, first, last, coordinates);                       \
  }
SPC_FOR_WIDTHS(SPC_ROW_FLUSH)

} // namespace spc::runtime
