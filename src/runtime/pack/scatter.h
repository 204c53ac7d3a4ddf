// Loops over entries of a matrix, by the types of their coordinates and values. Freestanding.
#pragma once

#include "runtime/hot.h"
#include "runtime/integers.h"
#include "runtime/status.h"
#include "runtime/workers.h"

namespace spc::runtime {

/// Coordinates of entries, `stride` apart.
template <typename I> struct Column {
  const I *first;
  int64_t stride;
  I operator[](int64_t entry) const { return first[entry * stride]; }
  Column from(int64_t entry) const { return {first + entry * stride, stride}; }
};

/// Entries that are to be grouped by their keys. A list has their columns, too; in a matrix the column of an entry is
/// its parent.
template <typename I, typename V> struct Entries {
  Column<I> keys;
  const V *values;
  int64_t count;
  int64_t columnExtent;
  Integers pointers; ///< null in a list
  Column<I> columns; ///< unset in a matrix
};

/// The places that entries go to: each row's next free place, and the arrays.
template <typename I, typename V> struct Places {
  I *next;    ///< by row
  I *columns; ///< of every place
  V *values;  ///< null where no values are wanted

  void put(int64_t row, int64_t column, const V *from, int64_t entry) const {
    const I place = next[row]++;
    columns[place] = static_cast<I>(column);
    if (values)
      values[place] = from[entry];
  }
};

/// The places that entries go to in a first pass, which groups them by blocks of 2^shift rows: each block's next free
/// place, and the arrays.
template <typename I, typename V> struct Blocks {
  I *next;        ///< by block
  uint16_t *rows; ///< of every place: the row in its block
  I *columns;
  V *values; ///< null where no values are wanted
  int64_t shift;

  void put(int64_t row, int64_t column, const V *from, int64_t entry) const {
    const I place = next[row >> shift]++;
    rows[place] = static_cast<uint16_t>(row & ((int64_t{1} << shift) - 1));
    columns[place] = static_cast<I>(column);
    if (values)
      values[place] = from[entry];
  }
};

/// Entries that stay in the nearest cache from one loop over them to the next.
inline constexpr int64_t kEntriesAtOnce = 2048;

/// Whether all of [begin, end) lies below an extent.
template <typename I> SPC_HOT bool areInRange(Column<I> column, int64_t begin, int64_t end, int64_t extent) {
  bool isOutside = false;
  SPC_VECTORIZE
  for (int64_t e = begin; e < end; ++e)
    isOutside |= (column[e] < 0) | (column[e] >= extent);
  return !isOutside;
}

/// Checks a share of what says the entries' columns.
template <typename I, typename V>
SPC_HOT Status checkColumns(const Entries<I, V> &entries, int64_t task, int64_t tasks) {
  const auto share = [&](int64_t items, int64_t t) { return shareBegin(items, t, tasks); };
  if (entries.pointers.isNull())
    return areInRange(entries.columns, share(entries.count, task), share(entries.count, task + 1), entries.columnExtent)
               ? Status::Ok
               : Status::IndexRange;
  const Integers pointers = entries.pointers;
  const int64_t parents = entries.columnExtent;
  bool isWrong = pointers[0] != 0 || pointers[parents] != entries.count;
  for (int64_t p = share(parents, task), end = share(parents, task + 1); p < end; ++p)
    isWrong |= pointers[p] > pointers[p + 1];
  return isWrong ? Status::Count : Status::Ok;
}

/// Counts entries [begin, end) by the blocks of 2^shift keys that their keys lie in; false where a key is out of range.
template <typename I>
SPC_HOT bool countKeys(Column<I> keys, int64_t begin, int64_t end, int64_t extent, int64_t shift, I *counts) {
  for (int64_t first = begin; first < end; first += kEntriesAtOnce) {
    const int64_t last = end - first < kEntriesAtOnce ? end : first + kEntriesAtOnce;
    if (!areInRange(keys, first, last, extent))
      return false;
    SPC_UNROLL
    for (int64_t e = first; e < last; ++e)
      ++counts[keys[e] >> shift];
  }
  return true;
}

/// Turns the counts of rows into the places where they start, the first one at `place`.
template <typename I> SPC_HOT void sumCounts(I *counts, int64_t rows, I place) {
  for (int64_t r = 0; r < rows; ++r) {
    const I count = counts[r];
    counts[r] = place;
    place += count;
  }
}

/// The average distance of neighbours' keys, by a sample.
template <typename I> SPC_HOT uint64_t averageStep(Column<I> keys, int64_t count) {
  const int64_t interval = count / 1024 + 1;
  uint64_t sum = 0, samples = 1;
  for (int64_t e = 1; e < count; e += interval, ++samples) {
    const auto key = static_cast<uint64_t>(keys[e]), before = static_cast<uint64_t>(keys[e - 1]);
    sum += keys[e] < keys[e - 1] ? before - key : key - before;
  }
  return sum / samples;
}

/// Scatters entries [begin, end), whose coordinates have been checked, into Places or Blocks.
template <typename I, typename V, typename Into>
SPC_HOT void scatter(const Entries<I, V> &all, int64_t begin, int64_t end, const Into &places) {
  const Into into = places; // in registers: no write can change a local copy
  const Entries<I, V> entries = all;
  if (entries.pointers.isNull()) {
    SPC_UNROLL
    for (int64_t e = begin; e < end; ++e)
      into.put(entries.keys[e], entries.columns[e], entries.values, e);
    return;
  }
  const I *const keys = entries.keys.first;
  const Integers pointers = entries.pointers;
  // The parent of the first entry is the last one that starts at this entry or before.
  int64_t parent = 0;
  for (int64_t after = entries.columnExtent; after - parent > 1;) {
    const int64_t middle = parent + (after - parent) / 2;
    (pointers[middle] <= begin ? parent : after) = middle;
  }
  for (int64_t e = begin; e < end; ++parent) {
    const int64_t parentEnd = pointers[parent + 1];
    const int64_t last = parentEnd < end ? parentEnd : end;
    SPC_UNROLL
    for (; e < last; ++e)
      into.put(keys[e], parent, entries.values, e);
  }
}

/// Scatters the entries of one block, [begin, end) of its arrays, to its `height` rows, and sets these rows' starts.
template <typename I, typename V>
SPC_HOT void scatterBlock(const Blocks<I, V> &block, int64_t begin, int64_t end, int64_t height,
                          const Places<I, V> &places) {
  const Places<I, V> into = places;
  const uint16_t *const rows = block.rows;
  const I *const columns = block.columns;
  const V *const values = block.values;
  for (int64_t r = 0; r < height; ++r)
    into.next[r] = 0;
  for (int64_t e = begin; e < end; ++e)
    ++into.next[rows[e]];
  sumCounts(into.next, height, static_cast<I>(begin));
  for (int64_t e = begin; e < end; ++e)
    into.put(rows[e], columns[e], values, e);
}

/// The findings about a list of coordinates.
struct ListOrder {
  bool isInRange = true;
  bool isSorted = true;
  bool hasRepeats = false; ///< neighbours are equal
  bool skipsRows = false;  ///< neighbours have rows between them
};

/// Looks at entries [begin, end) of a list, of which there are some, and at the one before them. Differences are exact
/// where coordinates are not negative; where one is, the rest of what is said does not matter.
template <typename I>
SPC_HOT ListOrder inspectList(Column<I> rows, Column<I> columns, int64_t begin, int64_t end, int64_t rowExtent,
                              int64_t columnExtent) {
  using Bits = typename Unsigned<I>::Type;
  const int64_t second = begin > 0 ? begin : 1;
  const auto bits = [](I coordinate) { return static_cast<Bits>(coordinate); };
  // In each of the first three the sign's bit is what counts.
  Bits negative = bits(rows[second - 1]) | bits(columns[begin]), unsorted = 0, unequal = ~Bits{0};
  Bits highest = bits(columns[begin]), longestStep = 0;
  SPC_VECTORIZE
  for (int64_t e = second; e < end; ++e) {
    const Bits row = bits(rows[e]), column = bits(columns[e]);
    const Bits rowStep = row - bits(rows[e - 1]), columnStep = column - bits(columns[e - 1]);
    const Bits isOtherRow = rowStep | (0 - rowStep);
    unsorted |= rowStep | (columnStep & ~isOtherRow);
    unequal &= isOtherRow | columnStep | (0 - columnStep);
    negative |= row;
    highest = highest < column ? column : highest;
    longestStep = longestStep < rowStep ? rowStep : longestStep;
  }
  const auto isSigned = [](Bits value) { return static_cast<I>(value) < 0; };
  const bool isSorted = !isSigned(unsorted);
  const bool isOutside =
      isSigned(negative) || highest >= static_cast<uint64_t>(columnExtent) || (isSorted && rows[end - 1] >= rowExtent);
  return {!isOutside, isSorted, !isSigned(unequal), longestStep > 1};
}

/// Sets the starts of the empty rows between two entries' rows, the second of which is `entry`.
template <typename I> inline void fillStarts(I *starts, int64_t above, int64_t row, int64_t entry) {
  for (int64_t empty = above + 1; empty < row; ++empty)
    starts[empty] = static_cast<I>(entry);
}

/// Sets the starts of the rows whose first entries lie in [begin, end), of which there are some, and of the empty rows
/// before them. From the last entry to the first, so that no entry needs a branch: the first of a row writes last.
template <typename I> SPC_HOT void startRows(Column<I> rows, int64_t begin, int64_t end, bool skipsRows, I *starts) {
  int64_t before = -1;
  if (begin > 0)
    for (before = rows[begin - 1]; begin < end && rows[begin] == before;)
      ++begin;
  const I *at = rows.from(end - 1).first;
  int64_t row = before;
  SPC_UNROLL
  for (int64_t e = end - 1; e >= begin; --e, at -= rows.stride) {
    row = *at;
    starts[row] = static_cast<I>(e);
  }
  if (skipsRows)
    for (int64_t e = end - 1; e > begin; --e)
      fillStarts(starts, rows[e - 1], rows[e], e);
  fillStarts(starts, before, row, begin);
}

/// Copies entries to where they lie or before. Values are null where there are none.
template <typename I, typename V>
SPC_HOT void copyEntries(Column<I> columns, const V *values, int64_t count, I *toColumns, V *toValues) {
  SPC_VECTORIZE
  for (int64_t e = 0; e < count; ++e)
    toColumns[e] = columns[e];
  if (!toValues)
    return;
  SPC_VECTORIZE
  for (int64_t e = 0; e < count; ++e)
    toValues[e] = values[e];
}

/// Makes rows of entries [begin, end) of a list, as far as they are sorted and in range: of what is not, nothing is
/// used. Sets the starts of rows behind that of entry begin - 1 and up to that of entry end - 1 alone: others belong to
/// other shares of the list.
template <typename I, typename V>
SPC_HOT ListOrder copySorted(const Entries<I, V> &list, int64_t begin, int64_t end, int64_t rows, I *starts, I *columns,
                             V *values) {
  ListOrder all;
  for (int64_t first = begin; first < end; first += kEntriesAtOnce) {
    const int64_t last = end - first < kEntriesAtOnce ? end : first + kEntriesAtOnce;
    const ListOrder order = inspectList(list.keys, list.columns, first, last, rows, list.columnExtent);
    const bool isSorted = order.isSorted && list.keys[last - 1] <= list.keys[end - 1];
    all = {order.isInRange, isSorted, all.hasRepeats || order.hasRepeats};
    if (!order.isInRange || !isSorted)
      break;
    startRows(list.keys, first, last, order.skipsRows, starts);
    copyEntries(list.columns.from(first), values ? list.values + first : nullptr, last - first, columns + first,
                values ? values + first : nullptr);
  }
  return all;
}

} // namespace spc::runtime
