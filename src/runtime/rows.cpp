#include "runtime/rows.h"

#include "runtime/memory.h"
#include "runtime/pack.h"
#include "runtime/scatter.h"
#include "runtime/sort_row.h"
#include "runtime/values.h"

#include <stddef.h>

namespace spc::runtime {
namespace {

/// What a core's cache holds for certain.
constexpr int64_t kCachedBytes = int64_t{1} << 20;
/// Blocks of rows, unless rows in a block would not fit 16 bits.
constexpr int64_t kUsualBlocks = 128;
constexpr int64_t kMaxBlockShift = 16;

bool isWhole(const Level &level, LevelStorage storage) {
  return level.storage == storage && level.part == LevelPart::Whole;
}

bool isRows(const Tensor &tensor) {
  return tensor.order == 2 && isWhole(tensor.levels[0], LevelStorage::Dense) &&
         isWhole(tensor.levels[1], LevelStorage::Compressed) && tensor.levels[1].stride == 1;
}

bool isCoordinateList(const Tensor &tensor) {
  return tensor.order == 2 && isWhole(tensor.levels[0], LevelStorage::Compressed) &&
         isWhole(tensor.levels[1], LevelStorage::Singleton);
}

template <size_t bytes> struct NumberOf {
  using Type = double;
};
template <> struct NumberOf<4> {
  using Type = float;
};

/// The work on one matrix of coordinates `I` and values `V`.
template <typename I, typename V> class RowBuilder {
public:
  RowBuilder(const Allocator &allocator, const Tensor &source, Tensor &target, bool withValues)
      : allocator_(allocator), source_(source), target_(target), rows_(target.levels[0].extent),
        withValues_(withValues), counters_(allocator), blocks_(allocator), room_(allocator) {}

  Status run() {
    if (!allocate())
      return Status::Memory;
    Status status = isRows(source_) ? transpose() : sortList();
    if (status == Status::Ok && needsFinish_)
      status = finish();
    if (status == Status::Ok && starts_ != target_.levels[1].pointers)
      for (int64_t r = 0; r <= rows_; ++r)
        store(target_.levels[1].pointers, target_.pointerBytes, r, starts_[r]);
    return status;
  }

private:
  bool allocate();
  Status transpose();
  Status sortList();
  template <typename Into> Status scatter(const Into &into) const;
  Status scatterRows(Column<I> rows);
  bool allocateBlocks(Blocks<I, V> &blocks, I *&columns, V *&values);
  Status finish();
  bool hasRepeats() const;
  int64_t finishRows(RowEntries<I, V> room);
  void add(V *values, int64_t from, int64_t to);
  void shrink(void *&array, int64_t bytes);

  Column<I> coordinatesOf(int64_t dimension) const {
    const Level &level = source_.levels[source_.levels[0].dimension == dimension ? 0 : 1];
    return {static_cast<const I *>(level.indices) + level.offset, level.stride};
  }
  Places<I, V> places() const {
    return {starts_ + 1, static_cast<I *>(target_.levels[1].indices), static_cast<V *>(target_.values)};
  }

  const Allocator &allocator_;
  const Tensor &source_;
  Tensor &target_;
  int64_t rows_;
  bool withValues_;
  Block counters_;
  Block blocks_;
  Block room_;
  I *starts_ = nullptr; ///< rows + 1: the target's pointers, where they have this type; element r + 1 counts row r
  bool needsFinish_ = false;
};

template <typename I, typename V> bool RowBuilder<I, V>::allocate() {
  Level &level = target_.levels[1];
  const int64_t stored = source_.stored;
  if (!allocateArray(allocator_, rows_ + 1, target_.pointerBytes, level.pointers) ||
      !allocateArray(allocator_, stored, sizeof(I), level.indices) ||
      (withValues_ && !allocateArray(allocator_, stored, sizeof(V), target_.values)))
    return false;
  starts_ = static_cast<I *>(level.pointers);
  if (target_.pointerBytes != sizeof(I)) {
    Layout layout;
    layout.add(rows_ + 1, sizeof(I));
    if (!counters_.allocate(layout))
      return false;
    starts_ = reinterpret_cast<I *>(counters_.at(0));
  }
  fillWithZeros(starts_, (rows_ + 1) * static_cast<int64_t>(sizeof(I)));
  target_.stored = stored;
  return true;
}

/// Columns come out sorted, as rows are read in order.
template <typename I, typename V> Status RowBuilder<I, V>::transpose() {
  const Level &level = source_.levels[1];
  if (!countRows(static_cast<const I *>(level.indices), source_.stored, rows_, starts_ + 1))
    return Status::IndexRange;
  sumCounts(starts_ + 1, rows_, false);
  if (const Status status = scatterRows({static_cast<const I *>(level.indices), 1}); status != Status::Ok)
    return status;
  needsFinish_ = hasRepeats();
  return Status::Ok;
}

template <typename I, typename V> Status RowBuilder<I, V>::sortList() {
  if (source_.rootCount != source_.stored)
    return Status::Count;
  const Column<I> rows = coordinatesOf(target_.levels[0].dimension);
  const Column<I> columns = coordinatesOf(target_.levels[1].dimension);
  const int64_t count = source_.stored;
  const ListOrder order = inspectList(rows, columns, count, rows_, target_.levels[1].extent, starts_ + 1);
  if (!order.isInRange)
    return Status::IndexRange;
  sumCounts(starts_ + 1, rows_, order.isSorted);
  needsFinish_ = !order.isSorted || order.hasRepeats;
  if (!order.isSorted)
    return scatterRows(rows);
  copyList(columns, static_cast<const V *>(source_.values), count, places());
  return Status::Ok;
}

template <typename I, typename V> template <typename Into> Status RowBuilder<I, V>::scatter(const Into &into) const {
  if (isRows(source_))
    return scatterColumns<I, V>(source_, into);
  scatterList(coordinatesOf(target_.levels[0].dimension), coordinatesOf(target_.levels[1].dimension),
              static_cast<const V *>(source_.values), source_.stored, into);
  return Status::Ok;
}

/// Where neighbours go to places far apart, entries are first sorted by blocks of rows, whose places fit into the
/// cache: two passes over the entries cost less than a cache miss for each.
template <typename I, typename V> Status RowBuilder<I, V>::scatterRows(Column<I> rows) {
  const int64_t perRow = source_.stored / (rows_ + 1) + 1;
  const int64_t step = averageStep(rows, source_.stored);
  Blocks<I, V> blocks{};
  I *columns = nullptr;
  V *values = nullptr;
  if (step < kCachedBytes / static_cast<int64_t>(perRow * (sizeof(I) + sizeof(V))) ||
      !allocateBlocks(blocks, columns, values))
    return scatter(places());
  if (const Status status = scatter(blocks); status != Status::Ok)
    return status;
  int64_t begin = 0;
  for (int64_t b = 0; b << blocks.shift < rows_; begin = blocks.next[b++])
    scatterBlock(blocks, b, begin, blocks.next[b], places(), columns, values);
  return Status::Ok;
}

/// Room for blocks, which start where their first rows do, and for the largest block. Where there is no memory for it,
/// entries are scattered without blocks.
template <typename I, typename V> bool RowBuilder<I, V>::allocateBlocks(Blocks<I, V> &blocks, I *&columns, V *&values) {
  while (blocks.shift < kMaxBlockShift && rows_ >> blocks.shift > kUsualBlocks)
    ++blocks.shift;
  const int64_t height = int64_t{1} << blocks.shift, count = (rows_ + height - 1) / height;
  const auto startOf = [&](int64_t block) { return block < count ? starts_[1 + block * height] : source_.stored; };
  int64_t largestBlock = 0;
  for (int64_t b = 0; b < count; ++b)
    largestBlock = startOf(b + 1) - startOf(b) > largestBlock ? startOf(b + 1) - startOf(b) : largestBlock;
  Layout layout;
  const int64_t nextOffset = layout.add(count, sizeof(I));
  const int64_t rowsOffset = layout.add(source_.stored, sizeof(uint16_t));
  const int64_t columnsOffset = layout.add(largestBlock, sizeof(I));
  const int64_t valuesOffset = layout.add(withValues_ ? largestBlock : 0, sizeof(V));
  if (!blocks_.allocate(layout))
    return false;
  blocks.next = reinterpret_cast<I *>(blocks_.at(nextOffset));
  blocks.rows = reinterpret_cast<uint16_t *>(blocks_.at(rowsOffset));
  blocks.columns = places().columns;
  blocks.values = places().values;
  columns = reinterpret_cast<I *>(blocks_.at(columnsOffset));
  values = withValues_ ? reinterpret_cast<V *>(blocks_.at(valuesOffset)) : nullptr;
  for (int64_t b = 0; b < count; ++b)
    blocks.next[b] = static_cast<I>(startOf(b));
  return true;
}

/// Whether neighbours of a sorted row are at one column. Counts equal neighbours first, of whatever rows.
template <typename I, typename V> SPC_HOT bool RowBuilder<I, V>::hasRepeats() const {
  const auto *columns = static_cast<const I *>(target_.levels[1].indices);
  I equal = 0;
  for (int64_t e = 1; e < target_.stored; ++e)
    equal += columns[e] == columns[e - 1];
  for (int64_t r = 1; equal > 0 && r < rows_; ++r) {
    const I start = starts_[r];
    equal -= start > 0 && start < starts_[r + 1] && columns[start] == columns[start - 1];
  }
  return equal > 0;
}

/// Sorts each row and sums its repeats.
template <typename I, typename V> Status RowBuilder<I, V>::finish() {
  int64_t longest = 0;
  for (int64_t r = 0; r < rows_; ++r)
    longest = starts_[r + 1] - starts_[r] > longest ? starts_[r + 1] - starts_[r] : longest;
  RowEntries<I, V> room{};
  if (longest > kInsertionLimit) {
    Layout layout;
    const int64_t columns = layout.add(longest, sizeof(I));
    const int64_t values = layout.add(longest, sizeof(V));
    if (!room_.allocate(layout))
      return Status::Memory;
    room = {reinterpret_cast<I *>(room_.at(columns)), withValues_ ? reinterpret_cast<V *>(room_.at(values)) : nullptr};
  }
  target_.stored = finishRows(room);
  if (target_.stored < source_.stored - source_.stored / 4) {
    shrink(target_.levels[1].indices, sizeof(I));
    shrink(target_.values, sizeof(V));
  }
  return Status::Ok;
}

/// values[to] += values[from], without a call where that is usual.
template <typename I, typename V> inline void RowBuilder<I, V>::add(V *values, int64_t from, int64_t to) {
  using Number = NumberOf<sizeof(V)>::Type;
  if (target_.valueKind == ValueKind::Float)
    values[to] =
        __builtin_bit_cast(V, __builtin_bit_cast(Number, values[to]) + __builtin_bit_cast(Number, values[from]));
  else
    addValue(target_, target_.values, from, values, to);
}

template <typename I, typename V> SPC_HOT int64_t RowBuilder<I, V>::finishRows(RowEntries<I, V> room) {
  const RowEntries<I, V> all{static_cast<I *>(target_.levels[1].indices), static_cast<V *>(target_.values)};
  I *const starts = starts_;
  int64_t next = 0;
  for (int64_t r = 0, begin = 0; r < rows_; ++r) {
    const int64_t end = starts[r + 1], first = next;
    sortRow(all.from(begin), end - begin, room);
    for (int64_t e = begin; e < end; ++e) {
      if (next > first && all.columns[next - 1] == all.columns[e]) {
        if (all.values)
          add(all.values, e, next - 1);
        continue;
      }
      if (next != e)
        all.copy(next, all, e);
      ++next;
    }
    starts[r + 1] = static_cast<I>(next);
    begin = end;
  }
  return next;
}

/// Gives back what repeats took up. The array stays as it is where there is no memory to copy it.
template <typename I, typename V> SPC_HOT void RowBuilder<I, V>::shrink(void *&array, int64_t bytes) {
  void *exact = nullptr;
  if (!array || !allocateArray(allocator_, target_.stored, bytes, exact))
    return;
  const int64_t words = target_.stored * bytes / 4;
  auto *const __restrict to = static_cast<uint32_t *>(exact);
  const auto *const from = static_cast<const uint32_t *>(array);
  for (int64_t w = 0; w < words; ++w)
    to[w] = from[w];
  releaseArray(allocator_, array);
  array = exact;
}

} // namespace

bool canBuildRows(const Tensor &source, const Tensor &target, bool withValues) {
  const int64_t bytes = target.indexBytes;
  if (!isRows(target) || source.indexBytes != bytes || bytes < 4 ||
      (withValues && target.valueBytes != 4 && target.valueBytes != 8))
    return false;
  if (!isCoordinateList(source) && !(isRows(source) && source.levels[0].dimension == target.levels[1].dimension))
    return false;
  return source.stored <= largest(bytes) && source.stored <= largest(target.pointerBytes) &&
         target.levels[0].extent < largest(bytes) && target.levels[1].extent <= largest(bytes);
}

template <typename I, typename V>
Status buildRows(const Allocator &allocator, const Tensor &source, Tensor &target, bool withValues) {
  return RowBuilder<I, V>(allocator, source, target, withValues).run();
}

template Status buildRows<int32_t, uint32_t>(const Allocator &, const Tensor &, Tensor &, bool);
template Status buildRows<int32_t, uint64_t>(const Allocator &, const Tensor &, Tensor &, bool);
template Status buildRows<int64_t, uint32_t>(const Allocator &, const Tensor &, Tensor &, bool);
template Status buildRows<int64_t, uint64_t>(const Allocator &, const Tensor &, Tensor &, bool);

} // namespace spc::runtime
