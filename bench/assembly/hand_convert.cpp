#include "hand_collect.h"

#include <tuple>

namespace assembly::hand {
template <class T> Matrix<T> transpose(const View<T> &a, Pages pages, int threads) {
  const int32_t *__restrict sourcePointers = a.pointers, *__restrict sourceIndices = a.indices;
  const int64_t count = sourcePointers[a.rows];
  CountingSort sort(sourceIndices, count, a.columns, threads);
  Matrix<T> result{a.columns, a.rows, sort.takePointers(), allocate<int32_t>(count, pages), allocate<T>(count, pages)};
  int32_t *__restrict indices = result.indices.get();
  T *__restrict values = result.values.get();
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int64_t chunk = 0; chunk < sort.chunks(); ++chunk) {
    int32_t *__restrict cursor = sort.cursor(chunk);
    int64_t p = sort.begin(chunk);
    const int64_t end = sort.begin(chunk + 1);
    int64_t row = std::upper_bound(sourcePointers, sourcePointers + a.rows + 1, p) - sourcePointers - 1;
    for (; p < end; ++row)
      for (const int64_t rowEnd = std::min<int64_t>(sourcePointers[row + 1], end); p < rowEnd; ++p) {
        const int32_t place = cursor[sourceIndices[p]]++;
        indices[place] = int32_t(row);
        values[place] = a.values[p];
      }
  }
  return result;
}

template <class T> Matrix<T> fromSorted(const Entries<T> &a, Pages pages, int threads) {
  Matrix<T> result{a.rows, a.columns, allocate<int32_t>(a.rows + 1), allocate<int32_t>(a.count, pages),
                   allocate<T>(a.count, pages)};
  int32_t *__restrict pointers = result.pointers.get();
  const int32_t *__restrict rows = a.row;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int64_t chunk = 0; chunk < threads; ++chunk) {
    const int64_t begin = a.count * chunk / threads, end = a.count * (chunk + 1) / threads;
    for (int64_t e = begin; e < end; ++e)
      for (int32_t row = e ? rows[e - 1] + 1 : 0; row <= rows[e]; ++row)
        pointers[row] = int32_t(e);
    std::memcpy(result.indices.get() + begin, a.column + begin, (end - begin) * sizeof(int32_t));
    std::memcpy(result.values.get() + begin, a.values + begin, (end - begin) * sizeof(T));
  }
  for (int64_t row = a.count ? rows[a.count - 1] + 1 : 0; row <= a.rows; ++row)
    pointers[row] = int32_t(a.count);
  return result;
}

namespace {

/// Entries in the order of a stable sort by keys; `starts`: where each key's begin.
template <class T> struct Sorted {
  Array<int32_t> starts, row, column;
  Array<T> values;
};

/// Sorts by `keys`, which are below `buckets`. `wantsRows`: whether the result has rows.
template <class T>
Sorted<T> sortBy(const int32_t *keys, int64_t buckets, const Entries<T> &a, bool wantsRows, Pages pages, int threads) {
  CountingSort sort(keys, a.count, buckets, threads);
  Sorted<T> result{sort.takePointers(), allocate<int32_t>(wantsRows ? a.count : 0, pages),
                   allocate<int32_t>(a.count, pages), allocate<T>(a.count, pages)};
  int32_t *__restrict row = result.row.get(), *__restrict column = result.column.get();
  T *__restrict values = result.values.get();
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int64_t chunk = 0; chunk < sort.chunks(); ++chunk) {
    int32_t *__restrict cursor = sort.cursor(chunk);
    for (int64_t e = sort.begin(chunk); e < sort.begin(chunk + 1); ++e) {
      const int32_t place = cursor[keys[e]]++;
      if (wantsRows)
        row[place] = a.row[e];
      column[place] = a.column[e];
      values[place] = a.values[e];
    }
  }
  return result;
}

/// Sorts the entries of each row by column, one row after the other: `a` is sorted by row.
template <class T> void sortRows(Sorted<T> &a, int64_t rows, int threads) {
  constexpr int64_t few = 32;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t count = a.starts[i + 1] - a.starts[i];
    int32_t *column = a.column.get() + a.starts[i];
    T *values = a.values.get() + a.starts[i];
    if (count > few) {
      std::vector<std::pair<int32_t, T>> row;
      for (int64_t n = 0; n < count; ++n)
        row.emplace_back(column[n], values[n]);
      std::sort(row.begin(), row.end());
      for (int64_t n = 0; n < count; ++n)
        std::tie(column[n], values[n]) = row[n];
      continue;
    }
    for (int64_t next = 1; next < count; ++next) {
      const int32_t key = column[next];
      const T value = values[next];
      int64_t place = next;
      for (; place > 0 && key < column[place - 1]; --place) {
        column[place] = column[place - 1];
        values[place] = values[place - 1];
      }
      column[place] = key;
      values[place] = value;
    }
  }
}

/// The entries by row, in each by column: rows that are short are sorted one by one, else all entries by column first.
template <class T> Sorted<T> sortBoth(const Entries<T> &a, Pages pages, int threads) {
  if (a.count <= 8 * a.rows) {
    Sorted<T> byRow = sortBy(a.row, a.rows, a, false, pages, threads);
    sortRows(byRow, a.rows, threads);
    return byRow;
  }
  const Sorted<T> byColumn = sortBy(a.column, a.columns, a, true, pages, threads);
  const Entries<T> ordered{
      a.rows, a.columns, a.count, byColumn.row.get(), byColumn.column.get(), byColumn.values.get()};
  return sortBy(ordered.row, a.rows, ordered, false, pages, threads);
}

/// Sums neighbours of one column among entries [begin, end), to place `count` of the same arrays and on; returns the
/// place after them.
template <class T> int64_t sumRepeats(Sorted<T> &a, int64_t begin, int64_t end, int64_t count) {
  while (begin < end) {
    const int32_t column = a.column[begin];
    T sum = a.values[begin];
    for (++begin; begin < end && a.column[begin] == column; ++begin)
      sum += a.values[begin];
    a.column[count] = column;
    a.values[count++] = sum;
  }
  return count;
}

} // namespace

template <class T> Matrix<T> fromShuffled(const Entries<T> &a, Pages pages, int threads) {
  Sorted<T> byRow = sortBoth(a, pages, threads);
  Matrix<T> result{a.rows, a.columns, allocate<int32_t>(a.rows + 1), {}, {}};
  std::vector<Chunk<T>> chunks(chunksFor(threads));
  auto work = [&](int64_t row) { return byRow.starts[row] + row; };
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (size_t c = 0; c < chunks.size(); ++c) {
    Chunk<T> &chunk = chunks[c];
    chunk.begin = chunkBegin(a.rows, c, chunks.size(), work);
    chunk.end = chunkBegin(a.rows, c + 1, chunks.size(), work);
    const int64_t begin = byRow.starts[chunk.begin];
    int64_t place = begin;
    for (int64_t i = chunk.begin; i < chunk.end; ++i) {
      const int64_t before = place;
      place = sumRepeats(byRow, byRow.starts[i], byRow.starts[i + 1], place);
      result.pointers[i + 1] = int32_t(place - before);
    }
    chunk.count = place - begin;
    chunk.indices = byRow.column.get() + begin;
    chunk.values = byRow.values.get() + begin;
  }
  if (chunks.size() == 1) {
    result.indices = std::move(byRow.column);
    result.values = std::move(byRow.values);
  }
  finish(result, chunks, pages, threads);
  return result;
}

template Matrix<double> transpose(const View<double> &, Pages, int);
template Matrix<float> transpose(const View<float> &, Pages, int);
template Matrix<double> fromSorted(const Entries<double> &, Pages, int);
template Matrix<float> fromSorted(const Entries<float> &, Pages, int);
template Matrix<double> fromShuffled(const Entries<double> &, Pages, int);
template Matrix<float> fromShuffled(const Entries<float> &, Pages, int);

} // namespace assembly::hand
