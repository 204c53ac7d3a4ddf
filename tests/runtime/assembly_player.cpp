#include "assembly_player.h"

#include "runtime/levels/entries.h"
#include "runtime/pack/pack.h"
#include "runtime/values.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace spc::runtime::test {
namespace {

constexpr int kThreads = 4;

void runOnThreads(void *, int64_t tasks, void (*task)(void *closure, int64_t index), void *closure) {
  std::atomic<int64_t> next = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int64_t index = next++; index < tasks; index = next++)
        task(closure, index);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// A function for the widths of keys and values where there is one; `valueBytes` is 0 without values.
auto rowFlushFor(int64_t keyBytes, int64_t valueBytes) {
  auto flush = spc_rt_row_flush;
#define SPC_CHOOSE(KEY, VALUE)                                                                                         \
  if (keyBytes == KEY && valueBytes == VALUE)                                                                          \
    flush = spc_rt_row_flush_##KEY##_##VALUE;
  SPC_FOR_WIDTHS(SPC_CHOOSE)
#undef SPC_CHOOSE
  return flush;
}

auto hashFlushFor(int64_t keyBytes, int64_t valueBytes) {
  auto flush = spc_rt_hash_flush;
#define SPC_CHOOSE(KEY, VALUE)                                                                                         \
  if (keyBytes == KEY && valueBytes == VALUE)                                                                          \
    flush = spc_rt_hash_flush_##KEY##_##VALUE;
  SPC_FOR_WIDTHS(SPC_CHOOSE)
#undef SPC_CHOOSE
  return flush;
}

using Touches = std::vector<std::pair<int64_t, double>>; ///< key, value
using Rows = std::map<Coordinate, Touches>;

/// One run of one chunk as generated code does it.
class Player {
public:
  explicit Player(Assembly &assembly) : assembly_(assembly), target_(*assembly.target) {}

  void play(int64_t chunk, int64_t number, Form form, const Rows &rows) {
    run_ = spc_rt_run_begin(&assembly_, chunk, number, form);
    if (!run_)
      return;
    int64_t count = 0;
    for (const auto &[row, touches] : rows)
      count = form == Form::Append ? append(row, touches, count)
              : run_->bits         ? scatterDense(row, touches, count)
                                   : scatterHash(row, touches, count);
    spc_rt_run_end(run_, count);
  }

private:
  /// Every other row has room made for all of it beforehand, the others entry by entry. Every third one is of two
  /// nests, every fifth one in no order.
  int64_t append(const Coordinate &row, Touches touches, int64_t count) {
    std::sort(touches.begin(), touches.end());
    const bool isJoined = ++appended_ % 3 == 0, isSorted = !isJoined && appended_ % 5 == 0;
    if (isSorted)
      std::reverse(touches.begin(), touches.end());
    if (isJoined)
      std::stable_partition(touches.begin(), touches.end(), [](const auto &touch) { return touch.first % 2 == 1; });
    int64_t before = 0;
    const auto most = static_cast<int64_t>(touches.size());
    reserves_ = !reserves_;
    if (reserves_ && run_->capacity - count < most)
      count = spc_rt_run_grow(run_, count, most);
    if (reserves_ && run_->capacity - count < most)
      return spc_rt_row_end(run_, count, row.data());
    for (const auto &[key, value] : touches) {
      if (!reserves_ && count == run_->capacity)
        count = spc_rt_run_grow(run_, count, 1);
      std::memcpy(static_cast<char *>(run_->keys) + count * assembly_.keyBytes, &key,
                  static_cast<size_t>(assembly_.keyBytes));
      if (run_->values)
        encode(type(), value, run_->values, count);
      ++count;
      if (key % 2 == 1)
        before = spc_rt_row_length(run_, count);
    }
    if (isJoined)
      count = spc_rt_row_join(run_, count, before);
    if (isSorted)
      count = spc_rt_row_sort(run_, count);
    return spc_rt_row_end(run_, count, row.data());
  }

  int64_t scatterDense(const Coordinate &row, const Touches &touches, int64_t count) {
    int64_t first = INT64_MAX, last = -1;
    for (const auto &[key, value] : touches) {
      run_->bits[key / 64] |= uint64_t{1} << (key % 64);
      run_->summary[key / 4096] |= uint64_t{1} << (key / 64 % 64);
      addTo(key, value);
      first = std::min(first, key);
      last = std::max(last, key);
    }
    return rowFlushFor(assembly_.keyBytes, valueBytes())(run_, count, first, last, row.data());
  }

  int64_t scatterHash(const Coordinate &row, const Touches &touches, int64_t count) {
    for (const auto &[key, value] : touches)
      addTo(spc_rt_locate(run_, key), value);
    return hashFlushFor(assembly_.keyBytes, valueBytes())(run_, count, row.data());
  }

  void addTo(int64_t slot, double value) {
    if (!run_->slots)
      return;
    alignas(16) char bytes[16];
    encode(type(), value, bytes, 0);
    addValue(target_, bytes, 0, run_->slots, slot);
  }

  int64_t valueBytes() const { return assembly_.phase == Phase::Symbolic ? 0 : target_.valueBytes; }
  ValueType type() const { return {target_.valueKind, target_.valueBytes}; }

  Assembly &assembly_;
  const Tensor &target_;
  Run *run_ = nullptr;
  bool reserves_ = false;
  int64_t appended_ = 0; ///< rows
};

int64_t extentOf(const Output &output, int64_t dimension) {
  return output.shape[static_cast<size_t>(dimension)];
}

/// The rows of a run whose first coordinate lies in a chunk; of matrices the empty ones too.
Rows rowsOf(const Plan &plan, const RunData &data, const Output &output, int64_t chunk) {
  const int64_t extent = extentOf(output, plan.dims[0]);
  const int64_t begin = extent * chunk / plan.chunks, end = extent * (chunk + 1) / plan.chunks;
  const auto rowOrder = static_cast<size_t>(plan.rowOrder);
  Rows rows;
  if (rowOrder == 1 && extent < 10000)
    for (int64_t row = begin; row < end; ++row)
      rows[{row}] = {};
  for (const auto &[at, value] : data.contributions) {
    const int64_t outermost = at[static_cast<size_t>(plan.dims[0])];
    if (outermost < begin || outermost >= end)
      continue;
    Coordinate row;
    int64_t key = 0;
    for (size_t place = 0; place < plan.dims.size(); ++place) {
      const int64_t coordinate = at[static_cast<size_t>(plan.dims[place])];
      if (place < rowOrder)
        row.push_back(coordinate);
      else
        key = key * extentOf(output, plan.dims[place]) + coordinate;
    }
    rows[row].emplace_back(key, value);
  }
  return rows;
}

int64_t keyBytesOf(const Plan &plan, const Output &output) {
  const Level &last = output.levels.back();
  const bool isIndex = plan.rowOrder + 1 == static_cast<int64_t>(plan.dims.size()) && last.part == Part::Whole;
  return isIndex ? output.tensor.indexBytes : 8;
}

/// Whether the rows lie in the target's order, and then how many levels are dense, and which one is the list.
bool isInOrder(const Plan &plan, const Output &output, int64_t &dense, int64_t &list) {
  const auto count = static_cast<int64_t>(output.levels.size());
  const auto isStored = [&](int64_t k, LevelKind kind) {
    return k < count && output.levels[static_cast<size_t>(k)].kind == kind;
  };
  int64_t k = 0;
  for (; isStored(k, LevelKind::Dense); ++k)
    ;
  dense = k;
  for (; isStored(k, LevelKind::Compressed); ++k)
    ;
  list = k - 1;
  for (; isStored(k, LevelKind::Singleton); ++k)
    ;
  bool isInOrder = k == count && list >= dense && count == static_cast<int64_t>(plan.dims.size()) &&
                   plan.rowOrder + 1 == count && keyBytesOf(plan, output) == output.tensor.indexBytes;
  for (size_t level = 0; isInOrder && level < output.levels.size(); ++level)
    isInOrder = output.levels[level].dimension == plan.dims[level] && output.levels[level].part == Part::Whole;
  return isInOrder;
}

/// One of the functions for coordinates and values of 4 or 8 bytes each, or the one for all others.
template <typename F> F ofWidths(int64_t keyBytes, int64_t valueBytes, const F (&own)[4], F other) {
  const auto isOwn = [](int64_t bytes) { return bytes == 4 || bytes == 8; };
  return isOwn(keyBytes) && isOwn(valueBytes) ? own[(keyBytes == 8) * 2 + (valueBytes == 8)] : other;
}

auto placerFor(const Plan &plan, const Output &output, bool isInOrder, size_t runs) {
  if (!isInOrder)
    return spc_rt_place_entries;
  return ofWidths(runs > 1 ? 0 : keyBytesOf(plan, output), output.tensor.valueBytes,
                  {spc_rt_place_row_4_4, spc_rt_place_row_4_8, spc_rt_place_row_8_4, spc_rt_place_row_8_8},
                  spc_rt_place_row);
}

auto sorterFor(const Output &output) {
  const Tensor &target = output.tensor;
  const auto isWhole = [&](size_t k, LevelKind kind) {
    return output.levels[k].kind == kind && output.levels[k].part == Part::Whole;
  };
  const bool isRows = output.levels.size() == 2 && isWhole(0, LevelKind::Dense) && isWhole(1, LevelKind::Compressed);
  return ofWidths(
      isRows && target.pointerBytes == target.indexBytes ? target.indexBytes : 0, target.valueBytes,
      {spc_rt_pack_list_rows_4_4, spc_rt_pack_list_rows_4_8, spc_rt_pack_list_rows_8_4, spc_rt_pack_list_rows_8_8},
      spc_rt_pack_list);
}

/// The functions that a compiled kernel would name.
void chooseParts(const Plan &plan, const Output &output, size_t runs, Assembly &assembly) {
  const bool inOrder = isInOrder(plan, output, assembly.dense, assembly.list);
  if (!inOrder)
    assembly.dense = 0, assembly.list = -1;
  if (plan.phase == Phase::Numeric) {
    assembly.place = placerFor(plan, output, inOrder, runs);
    return;
  }
  assembly.notesLengths = inOrder && runs == 1 && assembly.dense == 1 && output.levels.size() == 2 ? 1 : 0;
  assembly.pack = !inOrder ? sorterFor(output) : assembly.notesLengths ? spc_rt_pack_matrix : spc_rt_pack_rows;
  assembly.merge = runs > 1 ? spc_rt_merge_runs : nullptr;
  assembly.dropZeros = plan.dropsZeros && plan.phase == Phase::Assemble ? spc_rt_drop_zeros : nullptr;
}

struct Task {
  const Plan &plan;
  const std::vector<RunData> &runs;
  const Output &output;
  Assembly &assembly;
};

void playChunk(void *closure, int64_t chunk) {
  const auto &task = *static_cast<Task *>(closure);
  for (size_t r = 0; r < task.runs.size(); ++r)
    Player(task.assembly)
        .play(chunk, static_cast<int64_t>(r), task.runs[r].form, rowsOf(task.plan, task.runs[r], task.output, chunk));
}

template <typename T> void put(double value, void *values, int64_t position) {
  static_cast<T *>(values)[position] = static_cast<T>(value);
}

template <typename T> double get(const void *values, int64_t position) {
  return static_cast<double>(static_cast<const T *>(values)[position]);
}

} // namespace

Output::Output(std::vector<int64_t> sizes, const std::vector<LevelSpec> &specs, Widths widths, ValueType type,
               bool interleaved)
    : shape(std::move(sizes)) {
  int64_t listed = 0;
  for (const LevelSpec &spec : specs) {
    Level level = {spec.kind, spec.dimension, shape[static_cast<size_t>(spec.dimension)], nullptr, nullptr};
    level.part = spec.part;
    level.block = spec.block;
    level.width = spec.width;
    if (interleaved)
      level.offset = listed++;
    levels.push_back(level);
  }
  for (Level &level : levels)
    level.stride = interleaved ? listed : 1;
  tensor = {static_cast<int64_t>(levels.size()),
            -7,
            widths.pointers,
            widths.indices,
            type.bytes,
            levels.data(),
            nullptr,
            type.kind};
}

void encode(ValueType type, double value, void *values, int64_t position) {
  const auto single = static_cast<float>(value);
  switch (type.kind) {
  case ValueKind::Float:
    return type.bytes == 4 ? put<float>(value, values, position) : put<double>(value, values, position);
  case ValueKind::Half:
    return put<uint16_t>(floatToHalf(single), values, position);
  case ValueKind::Brain:
    return put<uint16_t>(floatToBrain(single), values, position);
  case ValueKind::Bool:
    return put<uint8_t>(value != 0 ? 1 : 0, values, position);
  case ValueKind::Integer:
  case ValueKind::Unsigned:
    return type.bytes == 1   ? put<int8_t>(value, values, position)
           : type.bytes == 2 ? put<int16_t>(value, values, position)
           : type.bytes == 4 ? put<int32_t>(value, values, position)
                             : put<int64_t>(value, values, position);
  case ValueKind::Complex:
    for (int64_t part = 0; part < 2; ++part)
      encode({ValueKind::Float, type.bytes / 2}, part == 0 ? value : -2 * value, values, 2 * position + part);
  }
}

double decode(ValueType type, const void *values, int64_t position) {
  switch (type.kind) {
  case ValueKind::Float:
    return type.bytes == 4 ? get<float>(values, position) : get<double>(values, position);
  case ValueKind::Half:
    return halfToFloat(static_cast<const uint16_t *>(values)[position]);
  case ValueKind::Brain:
    return brainToFloat(static_cast<const uint16_t *>(values)[position]);
  case ValueKind::Bool:
    return get<uint8_t>(values, position);
  case ValueKind::Integer:
  case ValueKind::Unsigned:
    return type.bytes == 1   ? get<int8_t>(values, position)
           : type.bytes == 2 ? get<int16_t>(values, position)
           : type.bytes == 4 ? get<int32_t>(values, position)
                             : get<int64_t>(values, position);
  default:
    break;
  }
  const ValueType part = {ValueKind::Float, type.bytes / 2};
  const double real = decode(part, values, 2 * position), imaginary = decode(part, values, 2 * position + 1);
  return imaginary == -2 * real ? real : -1e9;
}

Status assemble(const Plan &plan, const std::vector<RunData> &runs, Output &output, ThreadedMemory &memory) {
  const Allocator allocator = memory.hooks();
  Assembly assembly = {};
  assembly.allocator = &allocator;
  assembly.target = &output.tensor;
  assembly.phase = plan.phase;
  assembly.order = static_cast<int64_t>(plan.dims.size());
  assembly.rowOrder = plan.rowOrder;
  std::copy(plan.dims.begin(), plan.dims.end(), assembly.dims);
  assembly.keyBytes = keyBytesOf(plan, output);
  assembly.chunks = plan.chunks;
  assembly.runs = static_cast<int64_t>(runs.size());
  assembly.expected = plan.expected;
  assembly.workspaceBytes = plan.workspaceBytes;
  assembly.workers.parallelFor = plan.onThreads ? runOnThreads : nullptr;
  chooseParts(plan, output, runs.size(), assembly);
  if (const int32_t status = spc_rt_assembly_start(&assembly); status != 0)
    return static_cast<Status>(status);
  Task task = {plan, runs, output, assembly};
  if (plan.onThreads)
    runOnThreads(nullptr, plan.chunks, playChunk, &task);
  else
    for (int64_t chunk = 0; chunk < plan.chunks; ++chunk)
      playChunk(&task, plan.isBackwards ? plan.chunks - 1 - chunk : chunk);
  return static_cast<Status>(spc_rt_assembly_finish(&assembly));
}

Entries sumOf(const std::vector<RunData> &runs) {
  Entries sum;
  for (const RunData &run : runs)
    for (const auto &[at, value] : run.contributions)
      sum[at] += value;
  return sum;
}

Entries entriesOf(const Output &output) {
  Entries entries;
  const ValueType type = {output.tensor.valueKind, output.tensor.valueBytes};
  walkEntries(output.tensor, [&](int64_t position, const int64_t *at) {
    entries[Coordinate(at, at + output.shape.size())] +=
        output.tensor.values ? decode(type, output.tensor.values, position) : 1;
  });
  return entries;
}

void release(Output &output, ThreadedMemory &memory) {
  releaseArrays(memory.hooks(), output.tensor);
}

} // namespace spc::runtime::test
