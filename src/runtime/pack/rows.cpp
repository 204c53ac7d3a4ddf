#include "runtime/pack/rows.h"

#include "runtime/levels/walk.h"
#include "runtime/pack/group_rows.h"

namespace spc::runtime {
namespace {

/// Rows of a list are sorted one by one up to this average length.
constexpr int64_t kLongRow = 16;

bool isWhole(const Level &level, LevelKind kind) {
  return level.kind == kind && level.part == Part::Whole;
}

bool isRows(const Tensor &tensor) {
  return tensor.order == 2 && isWhole(tensor.levels[0], LevelKind::Dense) &&
         isWhole(tensor.levels[1], LevelKind::Compressed) && tensor.levels[1].stride == 1;
}

bool isCooMatrix(const Tensor &tensor) {
  return tensor.order == 2 && isWhole(tensor.levels[0], LevelKind::Compressed) &&
         isWhole(tensor.levels[1], LevelKind::Singleton);
}

template <typename I> bool isAscending(const Column<I> &column, int64_t count) {
  for (int64_t e = 1; e < count; ++e)
    if (column[e] < column[e - 1])
      return false;
  return true;
}

/// Builds one matrix with coordinates `I` and values `V`.
template <typename I, typename V> class RowBuilder {
public:
  RowBuilder(const Allocator &allocator, const Workers &workers, const Tensor &source, Tensor &target, bool withValues)
      : allocator_(allocator), workers_(workers), source_(source), target_(target), rows_(target.levels[0].extent),
        withValues_(withValues), starts_(allocator) {}

  /// With `isUniqueMatrix` the source must be a matrix without repeats.
  template <bool isUniqueMatrix> Status run() {
    if (!allocate())
      return Status::Memory;
    Status status;
    if constexpr (isUniqueMatrix)
      status = RowGrouping<I, V, false>(allocator_, workers_, matrix(), grouped_, nullptr).run();
    else
      status = isRows(source_) ? transpose() : buildFromList();
    if (status == Status::Ok && grouped_.starts != target_.levels[1].pointers)
      for (int64_t r = 0; r <= rows_; ++r)
        store(target_.levels[1].pointers, target_.pointerBytes, r, grouped_.starts[r]);
    return status;
  }

private:
  bool allocate();
  Entries<I, V> matrix() const;
  Status transpose();
  Status buildFromList();
  bool groupByColumns(const Entries<I, V> &entries, Block &block, Entries<I, V> &columns, Status &status);
  ListOrder copyList(const Entries<I, V> &list);

  Status group(const Entries<I, V> &entries, const GroupedRows<I, V> &target, RowFinisher<I, V> *finisher) {
    return RowGrouping<I, V, true>(allocator_, workers_, entries, target, finisher).run();
  }
  RowFinisher<I, V> finisher(bool sorts) { return {allocator_, workers_, target_, grouped_.starts, sorts}; }
  Column<I> coordinatesOf(int64_t dimension) const {
    const Level &level = source_.levels[source_.levels[0].dimension == dimension ? 0 : 1];
    return {static_cast<const I *>(level.indices) + level.offset, level.stride};
  }

  const Allocator &allocator_;
  const Workers &workers_;
  const Tensor &source_;
  Tensor &target_;
  int64_t rows_;
  bool withValues_;
  Block starts_;
  GroupedRows<I, V> grouped_{}; ///< the target's arrays; `starts` are its pointers where they have this type
};

template <typename I, typename V> bool RowBuilder<I, V>::allocate() {
  Level &level = target_.levels[1];
  const int64_t stored = source_.stored;
  if (!allocateArray(allocator_, rows_ + 1, target_.pointerBytes, level.pointers) ||
      !allocateArray(allocator_, stored, sizeof(I), level.indices) ||
      (withValues_ && !allocateArray(allocator_, stored, sizeof(V), target_.values)))
    return false;
  grouped_ = {rows_, static_cast<I *>(level.pointers), static_cast<I *>(level.indices),
              static_cast<V *>(target_.values)};
  if (target_.pointerBytes != sizeof(I)) {
    Layout layout;
    layout.add(rows_ + 1, sizeof(I));
    if (!starts_.allocate(layout))
      return false;
    grouped_.starts = reinterpret_cast<I *>(starts_.at(0));
  }
  target_.stored = level.count = stored;
  return true;
}

template <typename I, typename V> Entries<I, V> RowBuilder<I, V>::matrix() const {
  const Level &level = source_.levels[1];
  return {{static_cast<const I *>(level.indices), 1},
          static_cast<const V *>(source_.values),
          source_.stored,
          source_.levels[0].extent,
          {level.pointers, source_.pointerBytes},
          {}};
}

/// Builds the target from a matrix. Columns come out sorted because the source's rows are read in order.
template <typename I, typename V> Status RowBuilder<I, V>::transpose() {
  RowFinisher<I, V> sums = finisher(false);
  return group(matrix(), grouped_, source_.levels[1].isUnique != 0 ? nullptr : &sums);
}

template <typename I, typename V> Status RowBuilder<I, V>::buildFromList() {
  if (source_.levels[0].count != source_.stored)
    return Status::Count;
  const Column<I> rows = coordinatesOf(target_.levels[0].dimension);
  const Column<I> columns = coordinatesOf(target_.levels[1].dimension);
  const auto *values = static_cast<const V *>(source_.values);
  const int64_t count = source_.stored, extent = target_.levels[1].extent;
  const Entries<I, V> list{rows, values, count, extent, {}, columns};
  const ListOrder order = copyList(list);
  if (!order.isInRange)
    return Status::IndexRange;
  if (order.isSorted)
    return Status::Ok;
  if (isAscending(columns, count)) {
    RowFinisher<I, V> sums = finisher(false);
    return group(list, grouped_, &sums);
  }
  if (count / kLongRow > rows_ && extent <= count) {
    Block block(allocator_);
    Entries<I, V> byColumns{};
    Status status = Status::Ok;
    if (groupByColumns({columns, values, count, rows_, {}, rows}, block, byColumns, status)) {
      RowFinisher<I, V> sums = finisher(false);
      return status == Status::Ok ? group(byColumns, grouped_, &sums) : status;
    }
  }
  RowFinisher<I, V> sorts = finisher(true);
  return group(list, grouped_, &sorts);
}

/// Groups the entries of a list by columns, into a matrix in `block`: when that is grouped by rows, each row is in
/// order. False where there is no memory for it.
template <typename I, typename V>
bool RowBuilder<I, V>::groupByColumns(const Entries<I, V> &entries, Block &block, Entries<I, V> &columns,
                                      Status &status) {
  const int64_t extent = target_.levels[1].extent;
  Layout layout;
  const int64_t starts = layout.add(extent + 1, sizeof(I));
  const int64_t keys = layout.add(entries.count, sizeof(I));
  const int64_t values = layout.add(withValues_ ? entries.count : 0, sizeof(V));
  if (!block.allocate(layout))
    return false;
  const GroupedRows<I, V> into{extent, reinterpret_cast<I *>(block.at(starts)), reinterpret_cast<I *>(block.at(keys)),
                               withValues_ ? reinterpret_cast<V *>(block.at(values)) : nullptr};
  status = group(entries, into, nullptr);
  columns = {{into.columns, 1}, into.values, entries.count, extent, {into.starts, sizeof(I)}, {}};
  return true;
}

/// Copies the entries of a list as they are and sums its repeats. Where it turns out not to be sorted or in range, part
/// of the target is written, and is to be written anew. Shares that end in order have rows of their own.
template <typename I, typename V> ListOrder RowBuilder<I, V>::copyList(const Entries<I, V> &list) {
  ListOrder orders[kMaxTasks], all;
  const int64_t tasks = tasksFor(workers_, list.count);
  const auto begin = [&](int64_t task) { return shareBegin(list.count, task, tasks); };
  for (int64_t task = 1; task < tasks; ++task)
    all.isSorted &= list.keys[begin(task) - 1] <= list.keys[begin(task + 1) - 1];
  if (!all.isSorted)
    return all;
  forAll(workers_, tasks, [&](int64_t task) {
    orders[task] =
        copySorted(list, begin(task), begin(task + 1), rows_, grouped_.starts, grouped_.columns, grouped_.values);
  });
  for (int64_t task = 0; task < tasks; ++task) {
    all.isInRange &= orders[task].isInRange;
    all.isSorted &= orders[task].isSorted;
    all.hasRepeats |= orders[task].hasRepeats;
  }
  if (!all.isInRange || !all.isSorted)
    return all;
  for (int64_t r = list.count > 0 ? list.keys[list.count - 1] + int64_t{1} : 0; r <= rows_; ++r)
    grouped_.starts[r] = static_cast<I>(list.count);
  if (all.hasRepeats)
    finisher(false).finishAll(tasks);
  return all;
}

} // namespace

bool canBuildRows(const Tensor &source, const Tensor &target, bool withValues) {
  const int64_t bytes = target.indexBytes;
  if (!isRows(target) || source.indexBytes != bytes || bytes < 4 ||
      (withValues && target.valueBytes != 4 && target.valueBytes != 8))
    return false;
  const bool isMatrix =
      isRows(source) && source.pointerBytes >= 4 && source.levels[0].dimension == target.levels[1].dimension;
  if (!isMatrix && !isCooMatrix(source))
    return false;
  return source.stored <= largest(bytes) && source.stored <= largest(target.pointerBytes) &&
         target.levels[0].extent < largest(bytes) && target.levels[1].extent <= largest(bytes);
}

template <typename I, typename V>
Status buildRows(const Allocator &allocator, const Workers &workers, const Tensor &source, Tensor &target,
                 bool withValues) {
  return RowBuilder<I, V>(allocator, workers, source, target, withValues).template run<false>();
}

template <typename I, typename V>
Status transposeRows(const Allocator &allocator, const Workers &workers, const Tensor &source, Tensor &target,
                     bool withValues) {
  return RowBuilder<I, V>(allocator, workers, source, target, withValues).template run<true>();
}

#define SPC_INSTANTIATE(I, V)                                                                                          \
  template Status buildRows<I, V>(const Allocator &, const Workers &, const Tensor &, Tensor &, bool);                 \
  template Status transposeRows<I, V>(const Allocator &, const Workers &, const Tensor &, Tensor &, bool);
SPC_INSTANTIATE(int32_t, uint32_t)
SPC_INSTANTIATE(int32_t, uint64_t)
SPC_INSTANTIATE(int64_t, uint32_t)
SPC_INSTANTIATE(int64_t, uint64_t)
#undef SPC_INSTANTIATE

} // namespace spc::runtime
