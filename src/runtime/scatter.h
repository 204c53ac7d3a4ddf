// Loops over all entries of a matrix, by the types of its coordinates and values. Freestanding.
#pragma once

#include "runtime/hot.h"
#include "runtime/walk.h"

namespace spc::runtime {

/// Coordinates of entries, `stride` apart.
template <typename I> struct Column {
  const I *first;
  int64_t stride;
  I operator[](int64_t entry) const { return first[entry * stride]; }
};

/// Where entries go: each row's next free place, and the arrays.
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

/// Where entries go that are sorted by blocks of 2^shift rows for now: each block's next free place, and the arrays.
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

/// Counts the entries of each row; false where a row is out of range.
template <typename I> SPC_HOT bool countRows(const I *rows, int64_t count, int64_t extent, I *counts) {
  for (int64_t e = 0; e < count; ++e) {
    const I row = rows[e];
    if (row < 0 || row >= extent)
      return false;
    ++counts[row];
  }
  return true;
}

/// What there is to know of a list of coordinates.
struct ListOrder {
  bool isInRange = true;
  bool isSorted = true;
  bool hasRepeats = false; ///< … of neighbours
};

/// Counts the entries of each row of a list, and looks at their order.
template <typename I>
SPC_HOT ListOrder inspectList(Column<I> rows, Column<I> columns, int64_t count, int64_t rowExtent, int64_t columnExtent,
                              I *counts) {
  ListOrder order;
  I rowBefore = 0, columnBefore = -1;
  for (int64_t e = 0; e < count; ++e) {
    const I row = rows[e], column = columns[e];
    if (row < 0 || row >= rowExtent || column < 0 || column >= columnExtent)
      return {false, false, false};
    order.isSorted &= (row > rowBefore) | ((row == rowBefore) & (column >= columnBefore));
    order.hasRepeats |= (row == rowBefore) & (column == columnBefore);
    ++counts[row];
    rowBefore = row;
    columnBefore = column;
  }
  return order;
}

/// Turns counts into the places where rows start, or, `ends`, end.
template <typename I> SPC_HOT void sumCounts(I *counts, int64_t rows, bool ends) {
  I sum = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const I count = counts[r];
    counts[r] = ends ? sum + count : sum;
    sum += count;
  }
}

/// How many rows lie between neighbours of a list, by a sample.
template <typename I> SPC_HOT int64_t averageStep(Column<I> rows, int64_t count) {
  const int64_t interval = count / 4096 + 1;
  int64_t sum = 0, samples = 1;
  for (int64_t e = 1; e < count; e += interval, ++samples)
    sum += rows[e] < rows[e - 1] ? rows[e - 1] - rows[e] : rows[e] - rows[e - 1];
  return sum / samples;
}

/// Scatters the entries of a matrix by its columns, which become rows, into Places or Blocks. Count where pointers are
/// not in order.
template <typename I, typename V, typename Into>
SPC_HOT Status scatterColumns(const Tensor &source, const Into &places) {
  const Into into = places; // in registers: what is written may not change it
  const auto *columns = static_cast<const I *>(source.levels[1].indices);
  const auto *values = static_cast<const V *>(source.values);
  const int64_t rows = source.levels[0].extent;
  int64_t e = load(source.levels[1].pointers, source.pointerBytes, 0);
  if (e != 0)
    return Status::Count;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t end = load(source.levels[1].pointers, source.pointerBytes, r + 1);
    if (end < e || end > source.stored)
      return Status::Count;
    for (; e < end; ++e)
      into.put(columns[e], r, values, e);
  }
  return e == source.stored ? Status::Ok : Status::Count;
}

/// Scatters the entries of a list by their rows, into Places or Blocks.
template <typename I, typename V, typename Into>
SPC_HOT void scatterList(Column<I> rows, Column<I> columns, const V *values, int64_t count, const Into &places) {
  const Into into = places; // as above
  for (int64_t e = 0; e < count; ++e)
    into.put(rows[e], columns[e], values, e);
}

/// Scatters the entries of one block, at [begin, end) of its arrays, to their rows. `columns` and `values` are room for
/// them.
template <typename I, typename V>
SPC_HOT void scatterBlock(const Blocks<I, V> &blocks, int64_t block, int64_t begin, int64_t end,
                          const Places<I, V> &places, I *columns, V *values) {
  const I *const blockColumns = blocks.columns;
  const V *const blockValues = blocks.values;
  for (int64_t e = begin; e < end; ++e)
    columns[e - begin] = blockColumns[e];
  for (int64_t e = begin; blockValues && e < end; ++e)
    values[e - begin] = blockValues[e];
  const uint16_t *const rows = blocks.rows;
  const Places<I, V> into{places.next + (block << blocks.shift), places.columns, places.values};
  for (int64_t e = begin; e < end; ++e)
    into.put(rows[e], columns[e - begin], values, e - begin);
}

/// Copies the entries of a list that is sorted.
template <typename I, typename V>
SPC_HOT void copyList(Column<I> columns, const V *values, int64_t count, Places<I, V> places) {
  for (int64_t e = 0; e < count; ++e)
    places.columns[e] = columns[e];
  for (int64_t e = 0; places.values && e < count; ++e)
    places.values[e] = values[e];
}

} // namespace spc::runtime
