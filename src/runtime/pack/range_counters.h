// Counters of several tasks that group entries by rows at once, each for the rows alone that its entries lie in: of
// matrices whose neighbouring entries lie near each other, all tasks together have little more counters than one.
// Freestanding.
#pragma once

#include "runtime/memory.h"
#include "runtime/pack/scatter.h"
#include "runtime/workers.h"

namespace spc::runtime {

/// Rows from `first` to, but not including, `end`.
struct RowRange {
  int64_t first = INT64_MAX;
  int64_t end = 0;

  int64_t size() const { return end > first ? end - first : 0; }
  void include(RowRange other) {
    first = other.first < first ? other.first : first;
    end = other.end > end ? other.end : end;
  }
  RowRange within(RowRange other) const {
    return {first > other.first ? first : other.first, end < other.end ? end : other.end};
  }
};

/// The rows that keys [begin, end) lie in.
template <typename I> SPC_HOT RowRange rangeOf(Column<I> keys, int64_t begin, int64_t end) {
  if (begin == end)
    return {};
  I least = keys[begin], greatest = least;
  SPC_VECTORIZE
  for (int64_t e = begin; e < end; ++e) {
    least = keys[e] < least ? keys[e] : least;
    greatest = keys[e] > greatest ? keys[e] : greatest;
  }
  return {least, int64_t{greatest} + 1};
}

template <typename I> SPC_HOT I sumOf(const I *counts, int64_t rows) {
  I sum = 0;
  SPC_VECTORIZE
  for (int64_t r = 0; r < rows; ++r)
    sum += counts[r];
  return sum;
}

template <typename I> SPC_HOT void clearCounts(I *counts, int64_t rows) {
  SPC_VECTORIZE
  for (int64_t r = 0; r < rows; ++r)
    counts[r] = 0;
}

/// sums[r] += counts[r]
template <typename I> SPC_HOT void addCounts(I *sums, const I *counts, int64_t rows) {
  SPC_VECTORIZE
  for (int64_t r = 0; r < rows; ++r)
    sums[r] += counts[r];
}

/// Gives a task its places behind those of the tasks before it: what was a count becomes where its first entry goes.
template <typename I> SPC_HOT void takePlaces(I *places, I *counts, int64_t rows) {
  SPC_VECTORIZE
  for (int64_t r = 0; r < rows; ++r) {
    const I count = counts[r];
    counts[r] = places[r];
    places[r] += count;
  }
}

template <typename I> class RangeCounters {
public:
  /// For the entries with these keys, `count` of them.
  RangeCounters(const Allocator &allocator, const Workers &workers, Column<I> keys, int64_t count, int64_t rows)
      : workers_(workers), keys_(keys), count_(count), rows_(rows), memory_(allocator) {}

  /// Finds out which rows the shares of up to `tasks` tasks, a power of two, lie in, and does `beside(task)` for each
  /// of them. False where a key is no row.
  template <typename Beside> bool find(int64_t tasks, const Beside &beside);
  /// How many tasks there are, so that their counters are no more than entries; 1 where that is one task's work.
  int64_t tasks() const { return tasks_; }
  /// False where memory ran out.
  bool allocate();
  /// Counts the keys of each task's share.
  void count();
  /// Turns counts into places: row by row and, within a row, task by task. `ends` then has the ends of the rows.
  void place(I *ends);
  /// A task's counters, by row: where its next entry of that row goes.
  I *of(int64_t task) const { return counters_ + offsets_[task]; }
  int64_t begin(int64_t task) const { return shareBegin(count_, task, tasks_); }

private:
  /// Calls work(row, counters, rows) for what each task has of the rows.
  template <typename Work> void forRanges(RowRange rows, const Work &work) const {
    for (int64_t task = 0; task < tasks_; ++task)
      if (const RowRange both = ranges_[task].within(rows); both.size() > 0)
        work(both.first, of(task) + both.first, both.size());
  }

  const Workers &workers_;
  const Column<I> keys_;
  const int64_t count_, rows_;
  Block memory_;
  int64_t tasks_ = 1;
  RowRange ranges_[kMaxTasks];
  int64_t offsets_[kMaxTasks]; ///< of the counter that row 0 would have
  I *counters_ = nullptr;
};

template <typename I> template <typename Beside> bool RangeCounters<I>::find(int64_t tasks, const Beside &beside) {
  tasks_ = tasks;
  forAll(workers_, tasks_, [&](int64_t task) {
    beside(task);
    ranges_[task] = rangeOf(keys_, begin(task), begin(task + 1));
  });
  RowRange all;
  for (int64_t task = 0; task < tasks_; ++task)
    all.include(ranges_[task]);
  if (all.size() > 0 && (all.first < 0 || all.end > rows_))
    return false;
  for (;; tasks_ /= 2) {
    int64_t needed = 0;
    for (int64_t task = 0; task < tasks_; ++task)
      needed += ranges_[task].size();
    if (tasks_ == 1 || needed <= count_)
      return true;
    for (int64_t task = 0; task < tasks_; task += 2) {
      RowRange both = ranges_[task];
      both.include(ranges_[task + 1]);
      ranges_[task / 2] = both;
    }
  }
}

template <typename I> bool RangeCounters<I>::allocate() {
  int64_t needed = 0;
  for (int64_t task = 0; task < tasks_; ++task) {
    offsets_[task] = ranges_[task].size() > 0 ? needed - ranges_[task].first : 0;
    needed += ranges_[task].size();
  }
  Layout layout;
  layout.add(needed, sizeof(I));
  if (!memory_.allocate(layout))
    return false;
  counters_ = reinterpret_cast<I *>(memory_.at(0));
  return true;
}

template <typename I> void RangeCounters<I>::count() {
  forAll(workers_, tasks_, [this](int64_t task) {
    const RowRange range = ranges_[task];
    clearCounts(of(task) + range.first, range.size());
    countKeys(keys_, begin(task), begin(task + 1), rows_, 0, of(task));
  });
}

template <typename I> void RangeCounters<I>::place(I *ends) {
  const int64_t shares = tasksFor(workers_, rows_);
  const auto share = [&](int64_t number) {
    return RowRange{shareBegin(rows_, number, shares), shareBegin(rows_, number + 1, shares)};
  };
  I places[kMaxTasks];
  forAll(workers_, shares, [&](int64_t number) {
    const RowRange rows = share(number);
    clearCounts(ends + rows.first, rows.size());
    forRanges(rows, [&](int64_t row, const I *counts, int64_t size) { addCounts(ends + row, counts, size); });
    places[number] = sumOf(ends + rows.first, rows.size());
  });
  sumCounts(places, shares, I{0});
  forAll(workers_, shares, [&](int64_t number) {
    const RowRange rows = share(number);
    sumCounts(ends + rows.first, rows.size(), places[number]);
    forRanges(rows, [&](int64_t row, I *counts, int64_t size) { takePlaces(ends + row, counts, size); });
  });
}

} // namespace spc::runtime
