#include "runtime/assembly_state.h"
#include "runtime/count_products.h"
#include "runtime/hot.h"
#include "runtime/walk.h"

namespace spc::runtime {
namespace {

constexpr int64_t kFirstEntries = 512;
/// For a result that may be as large, memory is had at once: pages that are never touched cost nothing.
constexpr int64_t kMostReserved = int64_t{1} << 31;

Segment *newSegment(const AssemblyState &state, int64_t capacity) {
  void *memory, *keys, *values;
  if (!allocateArray(state.allocator, 1, sizeof(Segment), memory))
    return nullptr;
  if (allocateArray(state.allocator, capacity, state.keyBytes, keys)) {
    if (state.valueBytes == 0)
      values = nullptr;
    if (state.valueBytes == 0 || allocateArray(state.allocator, capacity, state.valueBytes, values)) {
      auto *segment = static_cast<Segment *>(memory);
      *segment = {keys, values, capacity, 0, nullptr, false};
      return segment;
    }
    releaseArray(state.allocator, keys);
  }
  releaseArray(state.allocator, memory);
  return nullptr;
}

void releaseSegment(const AssemblyState &state, Segment *segment) {
  if (segment->isShared)
    return;
  releaseArray(state.allocator, segment->keys);
  releaseArray(state.allocator, segment->values);
  state.allocator.release(state.allocator.user, segment);
}

/// Makes an empty segment the one to be filled.
void fillInto(RunState &run, Segment *segment) {
  run.last = segment;
  run.keys = segment->keys;
  run.values = segment->values;
  run.capacity = segment->capacity;
}

/// How many of the expected entries come before a chunk.
int64_t expectedBefore(const AssemblyState &state, int64_t chunk) {
  const Assembly &assembly = *state.assembly;
  const int64_t rows = state.extents[assembly.dims[0]];
  if (assembly.shares == 0 || chunk == assembly.chunks)
    return static_cast<int64_t>(static_cast<double>(assembly.expected) * static_cast<double>(chunk) /
                                static_cast<double>(assembly.chunks));
  int64_t before = 0, all = 0;
  for (int64_t n = 0; n < assembly.shares; ++n) {
    const auto &[array, bytes] = assembly.shareOf[n];
    before += load(array, bytes, assembly.borders ? assembly.borders[chunk] : 0);
    all += load(array, bytes, rows);
  }
  return static_cast<int64_t>(static_cast<double>(before) *
                              (static_cast<double>(assembly.expected) / static_cast<double>(all > 0 ? all : 1)));
}

/// How many entries to make room for in a chunk that has no share.
int64_t firstCapacity(const Assembly &assembly) {
  if (assembly.phase == Phase::Numeric || assembly.expected <= kFirstEntries)
    return kFirstEntries;
  const int64_t share = assembly.expected / assembly.chunks;
  return share > kFirstEntries ? share : kFirstEntries;
}

/// Room for all that a product can have, so that its arrays are written once: 0 where that is not known, or too much.
int64_t boundOfProduct(const AssemblyState &state) {
  const Assembly &assembly = *state.assembly;
  if (!assembly.factors.first.array || assembly.chunks > 1 || assembly.runs > 1 || assembly.phase == Phase::Numeric)
    return 0;
  const int64_t most = kMostReserved / (state.keyBytes + state.valueBytes);
  const int64_t bound = countProducts(assembly.factors, state.extents[assembly.dims[0]], state.keySpace, most);
  return bound <= most ? bound : 0;
}

bool growRows(RunState &run, int64_t record) {
  const AssemblyState &state = *run.state;
  const int64_t capacity = run.rowCapacity > 0 ? 2 * run.rowCapacity : 64;
  void *grown, *rows = run.rows;
  if (!allocateArray(state.allocator, capacity, record * static_cast<int64_t>(sizeof(int64_t)), grown))
    return false;
  copyElements(grown, rows, run.rowCount * record, sizeof(int64_t));
  releaseArray(state.allocator, rows);
  run.rows = static_cast<int64_t *>(grown);
  run.rowCapacity = capacity;
  return true;
}

void logRow(RunState &run, int64_t end, const int64_t *coordinates) {
  const int64_t rowOrder = run.state->rowOrder;
  if (run.rowCount == run.rowCapacity && !growRows(run, rowOrder + 1))
    return fail(run, Status::Memory);
  int64_t *row = run.rows + run.rowCount++ * (rowOrder + 1);
  for (int64_t place = 0; place < rowOrder; ++place)
    row[place] = coordinates[place];
  row[rowOrder] = end;
}

} // namespace

SPC_HOT void copyElements(void *to, const void *from, int64_t count, int64_t width) {
  if (width % 8 == 0) {
    auto *const __restrict write = static_cast<uint64_t *>(to);
    const auto *const read = static_cast<const uint64_t *>(from);
    SPC_VECTORIZE
    for (int64_t e = 0; e < count * (width / 8); ++e)
      write[e] = read[e];
  } else if (width == 4) {
    auto *const __restrict write = static_cast<uint32_t *>(to);
    const auto *const read = static_cast<const uint32_t *>(from);
    SPC_VECTORIZE
    for (int64_t e = 0; e < count; ++e)
      write[e] = read[e];
  } else {
    for (int64_t b = 0; b < count * width; ++b)
      static_cast<char *>(to)[b] = static_cast<const char *>(from)[b];
  }
}

bool allocateRoom(AssemblyState &state) {
  const Assembly &assembly = *state.assembly;
  if (assembly.chunks == 1 || assembly.runs > 1 || assembly.phase == Phase::Numeric || assembly.expected == 0)
    return true;
  // One entry more for each chunk: no capacity may be 0.
  const int64_t room = assembly.expected + assembly.chunks;
  return allocateArray(state.allocator, room, state.keyBytes, state.roomKeys) &&
         (state.valueBytes == 0 || allocateArray(state.allocator, room, state.valueBytes, state.roomValues));
}

bool openRun(RunState &run, int64_t capacity) {
  const AssemblyState &state = *run.state;
  const bool endsPlainly = state.pointerBytes == 4 && !state.assembly->dropZeros && !state.assembly->place;
  run.lengths = endsPlainly ? static_cast<int32_t *>(state.lengths) : nullptr;
  run.first = run.own.isShared ? &run.own : newSegment(state, capacity);
  if (run.first)
    fillInto(run, run.first);
  return run.first != nullptr;
}

bool openChunk(RunState &run, int64_t chunk) {
  const AssemblyState &state = *run.state;
  const Assembly &assembly = *state.assembly;
  if (state.roomKeys) {
    const int64_t begin = expectedBefore(state, chunk), end = expectedBefore(state, chunk + 1);
    void *keys = elementAt(state.roomKeys, begin + chunk, state.keyBytes);
    void *values = state.roomValues ? elementAt(state.roomValues, begin + chunk, state.valueBytes) : nullptr;
    // Where operands' pointers are not in order, the chunk gets a segment like any other.
    if (begin >= 0 && end >= begin && end <= assembly.expected)
      run.own = {keys, values, end - begin + 1, 0, nullptr, true};
  }
  const int64_t capacity = firstCapacity(assembly), bound = boundOfProduct(state);
  return (bound > capacity && openRun(run, bound)) || openRun(run, capacity);
}

int64_t makeRoom(RunState &run, int64_t count, int64_t more) {
  const AssemblyState &state = *run.state;
  const int64_t moving = count - run.rowStart;
  const int64_t doubled = 2 * run.capacity, needed = moving + more;
  Segment *segment = newSegment(state, doubled > needed ? doubled : needed);
  if (!segment) {
    fail(run, Status::Memory);
    run.rowStart = 0;
    return 0;
  }
  Segment *full = run.last;
  copyElements(segment->keys, elementAt(full->keys, run.rowStart, state.keyBytes), moving, state.keyBytes);
  if (segment->values)
    copyElements(segment->values, elementAt(full->values, run.rowStart, state.valueBytes), moving, state.valueBytes);
  full->count = run.rowStart;
  run.before += run.rowStart;
  full->next = segment;
  // A segment without a whole row is of no more use.
  if (run.rowStart == 0) {
    Segment **link = &run.first;
    while (*link != full)
      link = &(*link)->next;
    *link = segment;
    releaseSegment(state, full);
  }
  run.rowStart = 0;
  fillInto(run, segment);
  return moving;
}

int64_t endRow(RunState &run, int64_t count, const int64_t *coordinates) {
  const AssemblyState &state = *run.state;
  const Assembly &assembly = *state.assembly;
  if (assembly.dropZeros)
    count = assembly.dropZeros(&run, count);
  const int64_t length = count - run.rowStart;
  if (length == 0)
    return count;
  if (assembly.place) {
    assembly.place(&run, count, coordinates);
    return 0;
  }
  if (!state.lengths)
    logRow(run, run.before + count, coordinates);
  else if (length > largest(state.pointerBytes))
    fail(run, Status::IndexType);
  else
    store(state.lengths, state.pointerBytes, coordinates[0], length);
  run.rowStart = count;
  return count;
}

void releaseEntries(RunState &run) {
  for (Segment *segment = run.first; segment;) {
    Segment *next = segment->next;
    releaseSegment(*run.state, segment);
    segment = next;
  }
  void *rows = run.rows;
  releaseArray(run.state->allocator, rows);
  run.first = run.last = nullptr;
  run.rows = nullptr;
  run.rowCount = run.rowCapacity = run.before = run.rowStart = run.total = 0;
  run.keys = run.values = nullptr;
  run.capacity = 0;
}

extern "C" int64_t spc_rt_run_grow(Run *run, int64_t count, int64_t more) {
  return makeRoom(*static_cast<RunState *>(run), count, more);
}

/// Too short to be called for each row: linkRuntime() inlines it. Whether lengths fit shows when they have been added
/// up.
extern "C" __attribute__((always_inline)) int64_t spc_rt_row_end(Run *of, int64_t count, const int64_t *coordinates) {
  auto &run = *static_cast<RunState *>(of);
  if (!run.lengths)
    return endRow(run, count, coordinates);
  if (count > run.rowStart)
    run.lengths[coordinates[0]] = static_cast<int32_t>(count - run.rowStart);
  run.rowStart = count;
  return count;
}

} // namespace spc::runtime
