// The runtime's side of an assembly: buffers of entries, logs of rows, workspaces. Freestanding.
#pragma once

#include "runtime/memory.h"
#include "runtime/plan.h"
#include "runtime/runtime.h"
#include "runtime/workers.h"

namespace spc::runtime {

/// The memory of a buffer's arrays.
enum class Storage : int32_t {
  Apart,    ///< each is a block, as the result's arrays are
  Together, ///< they lie in one block, behind the buffer
  Borrowed, ///< they are a slab's, or the result's; the buffer is its run's own
};

/// Entries of whole rows; and the room behind them, where the buffer is the last one of its run.
struct EntryBuffer {
  void *keys;
  void *values; ///< null without values
  int64_t capacity;
  int64_t count; ///< unset while the buffer is being filled
  EntryBuffer *next;
  Storage storage;
};

/// Memory for the entries of several chunks, one after the other. Memory that has been touched is used again.
struct Slab {
  void *keys;
  void *values; ///< null without values
  int64_t capacity;
  int64_t used;    ///< entries of chunks that have ended
  int64_t holders; ///< chunks that have ended and have entries here; read and written atomically
  Slab *other;     ///< of the assembly
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
struct RunState : Run {
  AssemblyState *state;
  EntryBuffer own; ///< with what is borrowed
  EntryBuffer *first, *last;
  Slab *slab;        ///< where entries are, or are being written; null where there are none
  bool isPlaced;     ///< the entries are in the result's arrays
  int64_t expected;  ///< of a chunk's first run: how many entries the chunk may have
  bool hasEnded;     ///< … and whether it has them all
  RunState *waiting; ///< the next one in Gathering::waiting
  int64_t before;    ///< entries in the buffers before the last one
  int64_t rowStart;  ///< in the last buffer: where the row that is being collected starts
  int32_t *lengths;  ///< state's, where they have 4 bytes and nothing else is to be done at a row's end; else null
  int64_t *rows;     ///< for each row rowOrder coordinates and the number of the run's entries up to its end
  int64_t rowCount, rowCapacity;
  Workspace *workspace;
  Touched *sorting; ///< where rows are sorted: two lists, and room for the values
  int64_t sortingCapacity;
  int64_t total;      ///< entries, once the run has ended
  int64_t base;       ///< entries of the chunks before this one, while packing
  uint16_t *recorded; ///< while a plan is made: the places of the run's keys
  int64_t recordedCount, recordedCapacity;
  bool isUnrecorded; ///< there are too many, or a row is too long
  Status status;     ///< the first thing that went wrong
  int64_t apart[8];  ///< keeps the runs of two threads out of one cache line
};

/// The result's arrays while chunks are being collected: one chunk after the other gets its place in them. A thread
/// that has collected a chunk moves what has its place, and uses the slab for its next chunk.
struct Gathering {
  void *keys, *values; ///< null until the first chunks have ended
  int64_t capacity;
  int64_t chunks;    ///< how many have their place
  int64_t entries;   ///< what these have
  RunState *waiting; ///< those of them whose entries are elsewhere
  bool isBusy;       ///< a thread is at it
  bool isOver;       ///< no chunk gets a place any more
};

/// A buffer is not handed over where its capacity is more than this multiple of its entries.
inline constexpr int64_t kMaxRoom = 4;
inline constexpr int64_t kPooled = 64;

struct AssemblyState {
  Assembly *assembly;
  Allocator allocator;
  int64_t rowOrder;
  int64_t keyBytes;
  int64_t valueBytes; ///< 0 in the symbolic phase
  int64_t keySpace;   ///< keys are less
  int64_t products;   ///< entries and products are no more in all, as far as is known
  bool hasDenseWorkspaces;
  bool ownsValues;      ///< the numeric phase's values were allocated here
  ValueKind narrowKind; ///< of the target, where it is collected in wider numbers
  void *narrowValues;   ///< … and its values in the numeric phase
  void *lengths;        ///< by row: its entries, in the target's pointers array; null where runs log their rows
  int64_t pointerBytes;
  int64_t extents[kMaxOrder]; ///< by dimension
  int64_t expected;           ///< entries of all chunks; 0: unknown
  int64_t *recordedKeys;      ///< while a plan is made, by row: how many keys the nest met; else null
  const PlanHead *plan;       ///< that says the places; null: they are looked up
  Gathering gathering;
  Workspace *pool[kPooled]; ///< those that no run uses; taken and given back atomically
  Slab *freeSlabs[kPooled]; ///< the same of slabs that no run writes to
  Slab *slabs;              ///< all of them
  RunState *runStates;      ///< chunk by chunk
};

inline RunState &runOf(const AssemblyState &state, int64_t chunk, int64_t run) {
  return state.runStates[chunk * state.assembly->runs + run];
}

inline void fail(RunState &run, Status status) {
  if (run.status == Status::Ok)
    run.status = status;
}

/// Copies an element of `width` bytes, which may be aligned to its width, at most 8, and no more.
inline void copyElement(void *to, const void *from, int64_t width) {
  if (width % 8 == 0)
    for (int64_t w = 0; w < width / 8; ++w)
      static_cast<uint64_t *>(to)[w] = static_cast<const uint64_t *>(from)[w];
  else if (width == 4)
    *static_cast<uint32_t *>(to) = *static_cast<const uint32_t *>(from);
  else
    for (int64_t b = 0; b < width; ++b)
      static_cast<char *>(to)[b] = static_cast<const char *>(from)[b];
}

/// The width, in templates over widths, that is known at run time only.
inline constexpr int64_t kAny = -1;

/// Moves a value of `width` bytes out of a workspace, leaving 0.
inline void takeValue(void *values, int64_t to, void *slots, int64_t from, int64_t width) {
  if (width == 8) {
    static_cast<uint64_t *>(values)[to] = static_cast<uint64_t *>(slots)[from];
    static_cast<uint64_t *>(slots)[from] = 0;
  } else if (width == 4) {
    static_cast<uint32_t *>(values)[to] = static_cast<uint32_t *>(slots)[from];
    static_cast<uint32_t *>(slots)[from] = 0;
  } else {
    auto *write = static_cast<char *>(values) + to * width;
    auto *read = static_cast<char *>(slots) + from * width;
    for (int64_t b = 0; b < width; ++b) {
      write[b] = read[b];
      read[b] = 0;
    }
  }
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

// run_state.cpp

/// Copies elements aligned as for copyElement to where they are not read from.
void copyElements(void *to, const void *from, int64_t count, int64_t width);

/// Sets how many entries each chunk may have.
void expectEntries(AssemblyState &state);

/// Gives a run its first buffer. False where that is null.
bool openRun(RunState &run, EntryBuffer *first);

/// The same for a run of a chunk, with room for what is expected of that. False where memory ran out.
bool openChunk(RunState &run, int64_t chunk);

/// Room for `more` entries beyond `count`, of which those from rowStart on move along. Returns the new count; 0 where
/// memory ran out, and then the room may be 1 entry.
int64_t makeRoom(RunState &run, int64_t count, int64_t more);

/// Merges the first `before` entries of the row with those behind them up to `count`. Returns the new count.
int64_t joinRow(RunState &run, int64_t count, int64_t before);

/// The entries from rowStart to `count` are the row of these coordinates. Returns the new count.
int64_t endRow(RunState &run, int64_t count, const int64_t *coordinates);

/// Releases what a run has collected; it is empty then.
void releaseEntries(RunState &run);

// segments.cpp

/// A buffer, of which that of the only chunk may become the result's arrays; null where memory ran out.
EntryBuffer *newBuffer(const AssemblyState &state, int64_t capacity);
void releaseBuffer(const AssemblyState &state, EntryBuffer *buffer);

/// The run's own buffer with room for at least so many entries in some slab, which no other run writes to until
/// endBorrowed(); null where memory ran out.
EntryBuffer *borrowBuffer(RunState &run, int64_t capacity);

/// The run has ended.
void endBorrowed(RunState &run);

/// Releases a run's buffers, and leaves the rest as it is.
void releaseBuffers(RunState &run);
void releaseSlabs(AssemblyState &state);

// workspace.cpp, hash_workspace.cpp

/// A workspace of the pool, or a new one; null where memory ran out.
Workspace *takeWorkspace(AssemblyState &state);
void giveWorkspace(AssemblyState &state, Workspace *workspace);
void releaseWorkspace(AssemblyState &state, Workspace *workspace);

/// Replaces the table by one of twice the capacity. False where memory ran out: then it stays.
bool growTable(const AssemblyState &state, Workspace &table);

/// Sorts a list by keys, those of one key in the order that they have. Returns the sorted list, which is `list` or
/// `scratch`, with room for as many.
Touched *sortByKey(Touched *list, Touched *scratch, int64_t count);

// plan_assembly.cpp

/// How many keys a plan may have for each entry: beyond that adding takes the time, and places are too much memory.
inline constexpr int64_t kMostKeys = 32;

/// Room for so many more places of a run; null where memory ran out.
uint16_t *reserveRecorded(RunState &run, int64_t more);

// gathering.cpp

/// A chunk has all of its entries. Moves them to their place in the result, if the chunks before have theirs, or those
/// of other chunks.
void endChunk(AssemblyState &state, int64_t chunk);

/// All chunks have ended. Moves what is left; false where the result's arrays are not to be these.
bool gatherEntries(AssemblyState &state, int64_t total);

// joined_entries.cpp

/// Notes the bases of what the runs hold, one of each chunk at most, and returns the number of entries.
int64_t sumTotals(AssemblyState &state);

/// The run that holds a chunk's entries, or null.
RunState *entriesOf(const AssemblyState &state, int64_t chunk);

/// Makes one array each of all buffers' keys and values, where asked for (not null; without values there are none):
/// those of the only buffer that there is, those that entries were gathered in, or new ones, which are the caller's.
/// The buffers then have none. False where memory ran out.
bool joinEntries(AssemblyState &state, int64_t total, void **keys, void **values);

} // namespace spc::runtime
