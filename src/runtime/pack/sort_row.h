// Sorting the columns of a row, with their values. Freestanding.
#pragma once

#include "runtime/hot.h"

#include <stdint.h>

namespace spc::runtime {

/// Rows up to this length, and pieces of longer ones, are sorted by insertion.
inline constexpr int64_t kInsertionLimit = 24;

/// Entries of a row. Values are null where there are none.
template <typename I, typename V> struct RowEntries {
  I *columns;
  V *values;

  RowEntries from(int64_t entry) const { return {columns + entry, values ? values + entry : nullptr}; }
  void copy(int64_t to, RowEntries other, int64_t entry) const {
    columns[to] = other.columns[entry];
    if (values)
      values[to] = other.values[entry];
  }
};

template <typename I, typename V> inline void sortByInsertion(RowEntries<I, V> row, int64_t count) {
  for (int64_t e = 1; e < count; ++e) {
    const I column = row.columns[e];
    if (row.columns[e - 1] <= column)
      continue;
    const V value = row.values ? row.values[e] : V{};
    int64_t to = e;
    do {
      row.copy(to, row, to - 1);
      --to;
    } while (to > 0 && row.columns[to - 1] > column);
    row.columns[to] = column;
    if (row.values)
      row.values[to] = value;
  }
}

/// Merges from[0, middle) and from[middle, end) into `into`.
template <typename I, typename V>
inline void mergePieces(RowEntries<I, V> from, int64_t middle, int64_t end, RowEntries<I, V> into) {
  int64_t left = 0, right = middle;
  for (int64_t to = 0; to < end; ++to) {
    const bool takesLeft = right >= end || (left < middle && from.columns[left] <= from.columns[right]);
    into.copy(to, from, takesLeft ? left++ : right++);
  }
}

/// A stable sort of a row by column. `room` is for `count` entries, and not used up to kInsertionLimit.
template <typename I, typename V> SPC_HOT void sortRow(RowEntries<I, V> row, int64_t count, RowEntries<I, V> room) {
  if (count <= kInsertionLimit)
    return sortByInsertion(row, count);
  bool isSorted = true;
  for (int64_t e = 1; e < count; ++e)
    isSorted &= row.columns[e - 1] <= row.columns[e];
  if (isSorted)
    return;
  for (int64_t first = 0; first < count; first += kInsertionLimit)
    sortByInsertion(row.from(first), count - first < kInsertionLimit ? count - first : kInsertionLimit);
  RowEntries<I, V> from = row, into = room;
  for (int64_t piece = kInsertionLimit; piece < count; piece *= 2) {
    for (int64_t first = 0; first < count; first += 2 * piece) {
      const int64_t left = count - first < piece ? count - first : piece;
      const int64_t both = count - first < 2 * piece ? count - first : 2 * piece;
      mergePieces(from.from(first), left, both, into.from(first));
    }
    const RowEntries<I, V> sorted = into;
    into = from;
    from = sorted;
  }
  for (int64_t e = 0; from.columns != row.columns && e < count; ++e)
    row.copy(e, from, e);
}

} // namespace spc::runtime
