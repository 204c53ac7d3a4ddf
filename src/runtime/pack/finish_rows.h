// Sorting the rows of a matrix and summing repeats. Freestanding.
#pragma once

#include "runtime/memory.h"
#include "runtime/pack/scatter.h"
#include "runtime/pack/sort_row.h"
#include "runtime/values.h"
#include "runtime/workers.h"

#include <stddef.h>

namespace spc::runtime {

template <size_t bytes> struct NumberOf {
  using Type = double;
};
template <> struct NumberOf<4> {
  using Type = float;
};

/// Neighbouring rows that one task finishes.
struct Piece {
  int64_t firstRow, rows;
  int64_t begin; ///< of their entries
  int64_t count; ///< of the entries that are left when repeats are summed
};

/// The work on one target, a dense and a compressed level, whose arrays hold entries grouped by rows.
template <typename I, typename V> class RowFinisher {
public:
  /// `starts` are those of the rows, and the end. Rows are sorted by column with `sorts`; without, they must be
  /// already.
  RowFinisher(const Allocator &allocator, const Workers &workers, Tensor &target, I *starts, bool sorts)
      : allocator_(allocator), workers_(workers), target_(target), starts_(starts), sorts_(sorts) {}

  bool sorts() const { return sorts_; }

  /// Finishes all rows: in up to `tasks` tasks where they are in order. False where there is no memory to sort long
  /// rows.
  bool finishAll(int64_t tasks);

  /// Sorts the rows of a piece and sums repeats. The rows then lie close together, and a gap follows the piece where
  /// there were repeats. `room` is for the longest row where rows are sorted; rows up to kInsertionLimit need none.
  SPC_HOT void finish(Piece &piece, RowEntries<I, V> room) const;

  /// Closes the gaps between pieces, which follow each other and cover all rows, and sets the target's `stored`. Memory
  /// that repeats took up is given back if it is much, by a copy of the rest, if there is memory for that.
  void join(const Piece *pieces, int64_t count);

private:
  RowEntries<I, V> entries() const {
    return {static_cast<I *>(target_.levels[1].indices), static_cast<V *>(target_.values)};
  }

  /// values[to] += values[from], inline for floats.
  void add(V *values, int64_t from, int64_t to) const {
    using Number = NumberOf<sizeof(V)>::Type;
    if (target_.valueKind == ValueKind::Float)
      values[to] =
          __builtin_bit_cast(V, __builtin_bit_cast(Number, values[to]) + __builtin_bit_cast(Number, values[from]));
    else
      addValue(target_, values, from, values, to);
  }

  void move(const Piece &piece, int64_t to, RowEntries<I, V> into) const {
    const RowEntries<I, V> from = entries().from(piece.begin), at = into.from(to);
    copyEntries(Column<I>{from.columns, 1}, static_cast<const V *>(from.values), piece.count, at.columns, at.values);
    for (int64_t r = piece.firstRow; r < piece.firstRow + piece.rows; ++r)
      starts_[r + 1] = static_cast<I>(starts_[r + 1] + (to - piece.begin));
  }

  const Allocator &allocator_;
  const Workers &workers_;
  Tensor &target_;
  I *const starts_;
  const bool sorts_;
};

template <typename I, typename V> SPC_HOT void RowFinisher<I, V>::finish(Piece &piece, RowEntries<I, V> room) const {
  const RowEntries<I, V> all = entries();
  I *const ends = starts_ + piece.firstRow + 1;
  int64_t next = piece.begin;
  for (int64_t r = 0, begin = piece.begin; r < piece.rows; ++r) {
    const int64_t end = ends[r], first = next;
    if (sorts_)
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
    ends[r] = static_cast<I>(next);
    begin = end;
  }
  piece.count = next - piece.begin;
}

template <typename I, typename V> bool RowFinisher<I, V>::finishAll(int64_t tasks) {
  const int64_t rows = target_.levels[0].extent;
  Block memory(allocator_);
  RowEntries<I, V> room{};
  if (sorts_) {
    tasks = 1;
    int64_t longest = 0;
    for (int64_t r = 0; r < rows; ++r)
      longest = starts_[r + 1] - starts_[r] > longest ? starts_[r + 1] - starts_[r] : longest;
    Layout layout;
    const int64_t columns = layout.add(longest, sizeof(I)), values = layout.add(longest, sizeof(V));
    if (longest > kInsertionLimit && !memory.allocate(layout))
      return false;
    if (longest > kInsertionLimit)
      room = {reinterpret_cast<I *>(memory.at(columns)),
              target_.values ? reinterpret_cast<V *>(memory.at(values)) : nullptr};
  }
  // A piece ends with the row in which the task's share of the entries ends.
  Piece pieces[kMaxTasks];
  for (int64_t task = 0, row = 0; task < tasks; ++task) {
    const int64_t first = row, end = shareBegin(target_.stored, task + 1, tasks);
    while (row < rows && (task + 1 == tasks || starts_[row] < end))
      ++row;
    pieces[task] = {first, row - first, starts_[first], 0};
  }
  forAll(workers_, tasks, [&](int64_t task) { finish(pieces[task], room); });
  join(pieces, tasks);
  return true;
}

template <typename I, typename V> void RowFinisher<I, V>::join(const Piece *pieces, int64_t count) {
  int64_t left = 0;
  for (int64_t p = 0; p < count; ++p)
    left += pieces[p].count;
  const int64_t stored = target_.stored;
  target_.stored = target_.levels[1].count = left;
  if (left == stored)
    return;
  void *columns = nullptr, *values = nullptr;
  const bool copies = (count > 1 || left < stored - stored / 4) &&
                      allocateArray(allocator_, left, sizeof(I), columns) &&
                      (!target_.values || allocateArray(allocator_, left, sizeof(V), values));
  if (!copies)
    releaseArray(allocator_, columns);
  const RowEntries<I, V> into =
      copies ? RowEntries<I, V>{static_cast<I *>(columns), static_cast<V *>(values)} : entries();
  const auto moveShare = [&](int64_t task, int64_t tasks) {
    const int64_t begin = shareBegin(count, task, tasks), end = shareBegin(count, task + 1, tasks);
    int64_t to = 0;
    for (int64_t p = 0; p < end; to += pieces[p++].count)
      if (p >= begin)
        move(pieces[p], to, into);
  };
  if (!copies)
    return moveShare(0, 1);
  const int64_t tasks = tasksFor(workers_, left);
  forAll(workers_, tasks, [&](int64_t task) { moveShare(task, tasks); });
  releaseArray(allocator_, target_.levels[1].indices);
  releaseArray(allocator_, target_.values);
  target_.levels[1].indices = columns;
  target_.values = values;
}

} // namespace spc::runtime
