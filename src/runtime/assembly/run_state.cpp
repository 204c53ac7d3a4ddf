#include "runtime/assembly/assembly_state.h"
#include "runtime/assembly/count_products.h"
#include "runtime/hot.h"
#include "runtime/levels/walk.h"

namespace spc::runtime {
namespace {

constexpr int64_t kFirstEntries = 512;
/// For a result that may be as large, memory is had at once: pages that are never touched cost nothing.
constexpr int64_t kMostReserved = int64_t{1} << 31;

/// Makes an empty buffer the one to be filled.
void fillInto(RunState &run, EntryBuffer *buffer) {
  run.last = buffer;
  run.keys = buffer->keys;
  run.values = buffer->values;
  run.capacity = buffer->capacity;
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

/// Room for all that the rows of a chunk can have in a product: -1 where that is not known, or too much.
int64_t boundOfProduct(const AssemblyState &state, int64_t chunk) {
  const Assembly &assembly = *state.assembly;
  if (!assembly.factors.first.array) {
    const int64_t most = kMostReserved / (state.keyBytes + state.valueBytes);
    const int64_t bound = countAllProducts(assembly.factors, most);
    return bound <= most ? bound : -1;
  }
  const int64_t rows = state.extents[assembly.dims[0]];
  const int64_t begin = assembly.borders ? assembly.borders[chunk] : 0;
  const int64_t end = chunk + 1 < assembly.chunks ? assembly.borders[chunk + 1] : rows;
  const int64_t most = kMostReserved / (state.keyBytes + state.valueBytes) / assembly.chunks;
  const int64_t bound = countProducts(assembly.factors, begin, end, state.keySpace, most);
  return bound <= most ? bound : -1;
}

/// Whether the products of chunks can be counted: of rows at their coordinates, or of all rows, unless a table would be
/// asked for each entry once more.
bool isProduct(const Assembly &assembly) {
  const Factors &factors = assembly.factors;
  const bool isWhole = assembly.chunks == 1 && factors.count > 0 && !factors.rows;
  return (factors.first.array || isWhole) && assembly.runs == 1;
}

void expectChunk(void *closure, int64_t chunk) {
  const AssemblyState &state = *static_cast<AssemblyState *>(closure);
  const Assembly &assembly = *state.assembly;
  int64_t expected = isProduct(assembly) ? boundOfProduct(state, chunk) : -1;
  if (expected < 0) {
    const int64_t begin = expectedBefore(state, chunk), end = expectedBefore(state, chunk + 1);
    // Operands' pointers may be in no order.
    expected = begin >= 0 && end >= begin && end <= assembly.expected ? end - begin : 0;
  }
  runOf(state, chunk, 0).expected = expected < state.products ? expected : state.products;
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

void expectEntries(AssemblyState &state) {
  const Assembly &assembly = *state.assembly;
  if (assembly.phase == Phase::Numeric || assembly.expected == 0)
    return;
  const bool isLong = isProduct(assembly) && assembly.expected >= kFewestShared;
  runTasks(isLong ? assembly.workers : Workers(), assembly.chunks, expectChunk, &state);
  for (int64_t chunk = 0; chunk < assembly.chunks; ++chunk)
    state.expected += runOf(state, chunk, 0).expected;
}

bool openRun(RunState &run, EntryBuffer *first) {
  const AssemblyState &state = *run.state;
  const bool endsPlainly = state.pointerBytes == 4 && !state.assembly->dropZeros && !state.assembly->place;
  run.lengths = endsPlainly ? static_cast<int32_t *>(state.lengths) : nullptr;
  run.first = first;
  if (first)
    fillInto(run, first);
  return first != nullptr;
}

bool openChunk(RunState &run, int64_t chunk) {
  const AssemblyState &state = *run.state;
  const auto open = [&](int64_t capacity) {
    return openRun(run, state.assembly->chunks > 1 ? borrowBuffer(run, capacity) : newBuffer(state, capacity));
  };
  const int64_t expected = runOf(state, chunk, 0).expected;
  return (expected > kFirstEntries && open(expected)) || open(kFirstEntries);
}

int64_t makeRoom(RunState &run, int64_t count, int64_t more) {
  const AssemblyState &state = *run.state;
  const int64_t moving = count - run.rowStart;
  const int64_t doubled = 2 * run.capacity, needed = moving + more;
  EntryBuffer *buffer = newBuffer(state, doubled > needed ? doubled : needed);
  if (!buffer) {
    fail(run, Status::Memory);
    run.rowStart = 0;
    return 0;
  }
  EntryBuffer *full = run.last;
  copyElements(buffer->keys, elementAt(full->keys, run.rowStart, state.keyBytes), moving, state.keyBytes);
  if (buffer->values)
    copyElements(buffer->values, elementAt(full->values, run.rowStart, state.valueBytes), moving, state.valueBytes);
  full->count = run.rowStart;
  run.before += run.rowStart;
  full->next = buffer;
  // A buffer without a whole row is of no more use.
  if (run.rowStart == 0) {
    EntryBuffer **link = &run.first;
    while (*link != full)
      link = &(*link)->next;
    *link = buffer;
    releaseBuffer(state, full);
  }
  run.rowStart = 0;
  fillInto(run, buffer);
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
  releaseBuffers(run);
  void *rows = run.rows;
  releaseArray(run.state->allocator, rows);
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

extern "C" int32_t *spc_rt_row_lengths(Run *of) {
  return static_cast<RunState *>(of)->lengths;
}

extern "C" void spc_rt_rows_end(Run *of, int64_t count) {
  static_cast<RunState *>(of)->rowStart = count;
}

extern "C" __attribute__((always_inline)) int64_t spc_rt_row_length(const Run *of, int64_t count) {
  return count - static_cast<const RunState *>(of)->rowStart;
}

/// Most rows are in order as they are.
extern "C" __attribute__((always_inline)) int64_t spc_rt_row_join(Run *of, int64_t count, int64_t before) {
  auto &run = *static_cast<RunState *>(of);
  if (before == 0 || before == count - run.rowStart)
    return count;
  const int64_t bytes = run.state->keyBytes, next = run.rowStart + before;
  return load(run.keys, bytes, next - 1) < load(run.keys, bytes, next) ? count : joinRow(run, count, before);
}

} // namespace spc::runtime
