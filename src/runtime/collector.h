// The runtime's side of an assembly: buffers of entries, logs of rows, workspaces. Freestanding.
#pragma once

#include "runtime/assembly.h"
#include "runtime/memory.h"

namespace spc::runtime {

/// Entries of whole rows; and the room behind them, where the segment is the last one of its run.
struct Segment {
  void *keys;
  void *values; ///< null without values
  int64_t capacity;
  int64_t count; ///< unset while the segment is being filled
  Segment *next;
};

/// A key that was touched, and its slot.
struct Touched {
  int64_t key;
  int64_t slot;
};

/// Where a row's entries are added up before it is flushed. Between rows nothing is touched and all slots are 0.
struct Workspace {
  void *block; ///< all arrays lie in it
  void *slots; ///< null without values
  // Dense.
  uint64_t *bits;
  uint64_t *summary;
  // A hash table with linear probing.
  int64_t *keys;    ///< by slot: key + 1, or 0
  int64_t capacity; ///< slots, a power of two
  int64_t shift;    ///< 64 - its logarithm
  int64_t count;    ///< touched keys, at most half of the slots
  Touched *touched;
  Touched *scratch; ///< as many, for sorting
};

/// A run and what is behind it.
struct Collector : Run {
  AssemblyState *state;
  Segment *first, *last;
  int64_t before;   ///< entries in the segments before the last one
  int64_t rowStart; ///< in the last segment: where the row that is being collected starts
  int64_t *rows;    ///< for each row rowOrder coordinates and the number of the run's entries up to its end
  int64_t rowCount, rowCapacity;
  Workspace *workspace;
  int64_t total;    ///< entries, once the run has ended
  int64_t base;     ///< entries of the chunks before this one, while packing
  Status status;    ///< the first thing that went wrong
  int64_t apart[8]; ///< keeps the collectors of two threads out of one cache line
};

/// How the rows lie in the target where its levels follow the collecting order, the key is the last level's coordinate
/// and keys have its indices' width: dense levels, compressed ones, and at the end a compressed level with or without
/// singletons below it, the list.
struct RowLayout {
  bool applies;
  int64_t dense; ///< how many levels are dense
  int64_t list;  ///< the compressed level that has an index for each entry
};

inline constexpr int64_t kPooled = 64;

struct AssemblyState {
  Assembly *assembly;
  Allocator allocator;
  int64_t rowOrder;
  int64_t keyBytes;
  int64_t valueBytes; ///< 0 in the symbolic phase
  int64_t keySpace;   ///< keys are less
  bool isNumeric;
  bool dropsZeros;
  bool hasDenseWorkspaces;
  bool ownsValues; ///< the numeric phase's values were allocated here
  RowLayout layout;
  void *lengths; ///< by row: its entries, in the target's pointers array; null where runs log their rows
  int64_t pointerBytes;
  int64_t extents[kMaxOrder]; ///< by dimension
  Workspace *pool[kPooled];   ///< those that no run uses; taken and given back atomically
  Collector *collectors;      ///< chunk by chunk
};

inline Collector &collectorOf(const AssemblyState &state, int64_t chunk, int64_t run) {
  return state.collectors[chunk * state.assembly->runs + run];
}

inline void fail(Collector &run, Status status) {
  if (run.status == Status::Ok)
    run.status = status;
}

/// Copies elements that may be aligned to their width, at most 8, and no more.
inline void copyElements(void *to, const void *from, int64_t count, int64_t width) {
  if (width % 8 == 0)
    for (int64_t e = 0; e < count * (width / 8); ++e)
      static_cast<uint64_t *>(to)[e] = static_cast<const uint64_t *>(from)[e];
  else if (width == 4)
    for (int64_t e = 0; e < count; ++e)
      static_cast<uint32_t *>(to)[e] = static_cast<const uint32_t *>(from)[e];
  else
    for (int64_t b = 0; b < count * width; ++b)
      static_cast<char *>(to)[b] = static_cast<const char *>(from)[b];
}

/// Zeroes elements of an allocation, from a multiple of 8 bytes on.
inline void zeroElements(void *array, int64_t count, int64_t width) {
  const int64_t bytes = count * width, words = bytes / 8;
  for (int64_t w = 0; w < words; ++w)
    static_cast<uint64_t *>(array)[w] = 0;
  for (int64_t b = 8 * words; b < bytes; ++b)
    static_cast<char *>(array)[b] = 0;
}

/// A pointers array over so many parents.
inline bool allocatePointers(const Allocator &allocator, int64_t parents, int64_t width, void *&array) {
  array = nullptr;
  return parents < INT64_MAX && allocateArray(allocator, parents + 1, width, array);
}

inline void *elementAt(const void *array, int64_t position, int64_t width) {
  return const_cast<char *>(static_cast<const char *>(array)) + position * width;
}

/// Adds the coordinates that a key stands for to those by dimension.
inline void spreadKey(const AssemblyState &state, int64_t key, int64_t *at) {
  const Assembly &assembly = *state.assembly;
  for (int64_t place = assembly.order - 1; place > assembly.rowOrder; --place) {
    const int64_t extent = state.extents[assembly.dims[place]];
    at[assembly.dims[place]] = key % extent;
    key /= extent;
  }
  at[assembly.dims[assembly.rowOrder]] = key;
}

/// task(closure, index) for each index, on the caller's threads where it has any.
inline void forAll(const Assembly &assembly, int64_t tasks, void (*task)(void *closure, int64_t index), void *closure) {
  if (assembly.parallelFor && tasks > 1)
    return assembly.parallelFor(assembly.user, tasks, task, closure);
  for (int64_t index = 0; index < tasks; ++index)
    task(closure, index);
}

// collector.cpp

/// Gives a collector its first segment. False where memory ran out.
bool openCollector(Collector &run, int64_t capacity);

/// Room for `more` entries beyond `count`, of which those from rowStart on move along. Returns the new count; 0 where
/// memory ran out, and then the room may be 1 entry.
int64_t makeRoom(Collector &run, int64_t count, int64_t more);

/// The entries from rowStart to `count` are the row of these coordinates. Returns the new count.
int64_t endRow(Collector &run, int64_t count, const int64_t *coordinates);

/// Releases what a collector has collected; the collector is empty then.
void releaseEntries(Collector &run);

// workspace.cpp, hash_workspace.cpp

/// A workspace of the pool, or a new one; null where memory ran out.
Workspace *takeWorkspace(AssemblyState &state);
void giveWorkspace(AssemblyState &state, Workspace *workspace);
void releaseWorkspace(AssemblyState &state, Workspace *workspace);

/// Replaces the table by one of twice the capacity. False where memory ran out: then it stays.
bool growTable(const AssemblyState &state, Workspace &table);

// merge_runs.cpp

/// Merges the rows of two runs of a chunk into `run`: all keys of both, values added. Empties `other`.
void mergeRuns(Collector &run, Collector &other);

/// Whether a value is 0: each part of it, of either sign.
bool isZero(ValueKind kind, const void *value, int64_t bytes);

// place_rows.cpp

/// The numeric phase: puts the first `count` entries of the last segment, a row, at their places among the target's
/// values.
void placeRow(Collector &run, int64_t count, const int64_t *coordinates);

// pack_rows.cpp

/// What the collectors hold, of each chunk one at most: notes their bases and returns the number of entries.
int64_t sumTotals(AssemblyState &state);

/// The collector that holds a chunk's entries, or null.
Collector *entriesOf(const AssemblyState &state, int64_t chunk);

/// How the rows lie in the target.
RowLayout layoutOf(const Assembly &assembly);

/// Writes the target's arrays where the layout applies. On failure they are unset.
Status packRows(AssemblyState &state);

// pack_list.cpp

/// The same for any target, by sorting.
Status packThroughList(AssemblyState &state);

} // namespace spc::runtime
