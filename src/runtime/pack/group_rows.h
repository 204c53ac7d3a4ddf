// Grouping the entries of a matrix by rows: counted and scattered, stably. Freestanding.
#pragma once

#include "runtime/pack/finish_rows.h"
#include "runtime/pack/range_counters.h"

namespace spc::runtime {

/// The place for grouped entries.
template <typename I, typename V> struct GroupedRows {
  int64_t rows;
  I *starts; ///< of the rows, and the end of the last one
  I *columns;
  V *values; ///< null where no values are wanted
};

/// Groups the entries of one list or matrix. It can take a finisher if it `finishes`.
template <typename I, typename V, bool finishes> class RowGrouping {
public:
  /// `finisher` finishes the rows of its own target, which `target` must be; null: rows stay as they are grouped.
  RowGrouping(const Allocator &allocator, const Workers &workers, const Entries<I, V> &entries,
              const GroupedRows<I, V> &target, RowFinisher<I, V> *finisher)
      : workers_(workers), entries_(entries), target_(target), finisher_(finishes ? finisher : nullptr),
        allocator_(allocator), memory_(allocator), tasks_(tasksFor(workers, entries.count)) {}

  /// Ok; Memory; Count; IndexRange.
  Status run() {
    target_.starts[0] = 0;
    return needsBlocks() && allocateBlocks() ? groupByBlocks() : groupAtOnce();
  }

private:
  /// Places that lie this close together are in some cache for certain.
  static constexpr int64_t kCachedBytes = int64_t{1} << 22;
  /// Blocks of rows, unless a row's number in its block needs more than 16 bits.
  static constexpr int64_t kUsualBlocks = 128;
  static constexpr int64_t kMaxBlockShift = 16;

  /// Whether neighbours go to places far apart. Then entries are first grouped by blocks of rows, whose places fit into
  /// the cache: two passes over the entries cost less than a cache miss for each.
  bool isSpread() const {
    const int64_t perRow = entries_.count / (target_.rows + 1) + 1;
    return averageStep(entries_.keys, entries_.count) >=
           static_cast<uint64_t>(kCachedBytes / static_cast<int64_t>(perRow * (sizeof(I) + sizeof(V))));
  }
  /// Blocks let several threads sort rows, too.
  bool needsBlocks() const { return isSpread() || (tasks_ > 1 && sorts()); }
  bool sorts() const { return hasFinisher() && finisher_->sorts(); }
  bool hasFinisher() const { return finishes && finisher_; }
  bool allocateBlocks();
  Status groupByBlocks();
  void placeBlocks();
  void fillBlock(int64_t b);
  Status groupAtOnce();
  Status groupSerially();
  Status firstFailure(const Status *statuses) const {
    for (int64_t task = 0; task < tasks_; ++task)
      if (statuses[task] != Status::Ok)
        return statuses[task];
    return Status::Ok;
  }
  Status count();
  int64_t begin(int64_t task) const { return shareBegin(entries_.count, task, tasks_); }

  const Workers &workers_;
  const Entries<I, V> &entries_;
  const GroupedRows<I, V> target_;
  RowFinisher<I, V> *const finisher_;
  const Allocator &allocator_;
  Block memory_;
  int64_t tasks_;
  int64_t blockCount_ = 0;
  I *next_ = nullptr;       ///< where a task's next entry of a block goes, by task and block
  Piece *pieces_ = nullptr; ///< by block
  Blocks<I, V> blocks_{};
};

/// Each task has counters for the rows that its entries lie in.
template <typename I, typename V, bool finishes> Status RowGrouping<I, V, finishes>::groupAtOnce() {
  if (tasks_ == 1 || sorts())
    return groupSerially();
  Status statuses[kMaxTasks];
  RangeCounters<I> counters(allocator_, workers_, entries_.keys, entries_.count, target_.rows);
  const bool areRows =
      counters.find(tasks_, [&](int64_t task) { statuses[task] = checkColumns(entries_, task, tasks_); });
  if (const Status status = firstFailure(statuses); status != Status::Ok)
    return status;
  if (!areRows)
    return Status::IndexRange;
  if (counters.tasks() == 1 || !counters.allocate())
    return groupSerially();
  counters.count();
  counters.place(target_.starts + 1);
  forAll(workers_, counters.tasks(), [&](int64_t task) {
    scatter(entries_, counters.begin(task), counters.begin(task + 1),
            Places<I, V>{counters.of(task), target_.columns, target_.values});
  });
  return !hasFinisher() || finisher_->finishAll(tasks_) ? Status::Ok : Status::Memory;
}

/// Counts in the array of the rows' ends.
template <typename I, typename V, bool finishes> Status RowGrouping<I, V, finishes>::groupSerially() {
  tasks_ = 1;
  blocks_.shift = 0;
  blockCount_ = target_.rows;
  next_ = target_.starts + 1;
  if (const Status status = count(); status != Status::Ok)
    return status;
  sumCounts(next_, target_.rows, I{0});
  scatter(entries_, 0, entries_.count, Places<I, V>{next_, target_.columns, target_.values});
  return !hasFinisher() || finisher_->finishAll(1) ? Status::Ok : Status::Memory;
}

/// Makes room for the entries by blocks. False where memory ran out: they are then grouped at once.
template <typename I, typename V, bool finishes> bool RowGrouping<I, V, finishes>::allocateBlocks() {
  while (blocks_.shift < kMaxBlockShift && target_.rows >> blocks_.shift > kUsualBlocks)
    ++blocks_.shift;
  const int64_t height = int64_t{1} << blocks_.shift;
  blockCount_ = (target_.rows + height - 1) / height;
  Layout layout;
  const int64_t nextOffset = layout.add(tasks_ * blockCount_, sizeof(I));
  const int64_t piecesOffset = layout.add(blockCount_, sizeof(Piece));
  const int64_t rowsOffset = layout.add(entries_.count, sizeof(uint16_t));
  const int64_t columnsOffset = layout.add(entries_.count, sizeof(I));
  const int64_t valuesOffset = layout.add(target_.values ? entries_.count : 0, sizeof(V));
  if (!memory_.allocate(layout))
    return false;
  next_ = reinterpret_cast<I *>(memory_.at(nextOffset));
  pieces_ = reinterpret_cast<Piece *>(memory_.at(piecesOffset));
  blocks_.rows = reinterpret_cast<uint16_t *>(memory_.at(rowsOffset));
  blocks_.columns = reinterpret_cast<I *>(memory_.at(columnsOffset));
  blocks_.values = target_.values ? reinterpret_cast<V *>(memory_.at(valuesOffset)) : nullptr;
  return true;
}

template <typename I, typename V, bool finishes> Status RowGrouping<I, V, finishes>::groupByBlocks() {
  if (const Status status = count(); status != Status::Ok)
    return status;
  placeBlocks();
  forAll(workers_, tasks_, [this](int64_t task) {
    Blocks<I, V> into = blocks_;
    into.next = next_ + task * blockCount_;
    scatter(entries_, begin(task), begin(task + 1), into);
  });
  forAll(workers_, blockCount_, [this](int64_t b) { fillBlock(b); });
  if (hasFinisher())
    finisher_->join(pieces_, blockCount_);
  return Status::Ok;
}

template <typename I, typename V, bool finishes> Status RowGrouping<I, V, finishes>::count() {
  Status statuses[kMaxTasks];
  forAll(workers_, tasks_, [&](int64_t task) {
    I *const counts = next_ + task * blockCount_;
    for (int64_t b = 0; b < blockCount_; ++b)
      counts[b] = 0;
    statuses[task] = checkColumns(entries_, task, tasks_);
    if (statuses[task] == Status::Ok &&
        !countKeys(entries_.keys, begin(task), begin(task + 1), target_.rows, blocks_.shift, counts))
      statuses[task] = Status::IndexRange;
  });
  return firstFailure(statuses);
}

/// Turns counts into places: block by block and, within a block, task by task.
template <typename I, typename V, bool finishes> void RowGrouping<I, V, finishes>::placeBlocks() {
  I place = 0;
  for (int64_t b = 0; b < blockCount_; ++b) {
    const int64_t firstRow = b << blocks_.shift, left = target_.rows - firstRow, height = int64_t{1} << blocks_.shift;
    pieces_[b] = {firstRow, left < height ? left : height, place, 0};
    for (int64_t task = 0; task < tasks_; ++task) {
      I &next = next_[task * blockCount_ + b];
      const I count = next;
      next = place;
      place += count;
    }
    pieces_[b].count = place - pieces_[b].begin;
  }
}

template <typename I, typename V, bool finishes> void RowGrouping<I, V, finishes>::fillBlock(int64_t b) {
  Piece &piece = pieces_[b];
  I *const next = target_.starts + 1 + piece.firstRow;
  scatterBlock(blocks_, piece.begin, piece.begin + piece.count, piece.rows,
               Places<I, V>{next, target_.columns, target_.values});
  // The memory of the block's entries is free now: it is the finisher's room.
  if (hasFinisher())
    finisher_->finish(piece, RowEntries<I, V>{blocks_.columns, blocks_.values}.from(piece.begin));
}

} // namespace spc::runtime
