#include "hand_collect.h"

namespace assembly::hand {
namespace {

/// One row of a product: values by column, a bitmap of the columns that occur, and one of the bitmap's nonzero words.
template <class T> class Accumulator {
public:
  explicit Accumulator(int64_t columns)
      : values_(allocateZeros<T>(columns)), touched_(allocateZeros<uint64_t>(columns / 64 + 1)),
        words_(allocateZeros<uint64_t>(columns / 4096 + 1)), first_(columns) {}

  /// Adds `factor` times entries [begin, end), whose columns ascend.
  template <Noting noting> void add(T factor, const View<T> &b, int64_t begin, int64_t end) {
    if constexpr (noting == Noting::Each)
      addEach(factor, b, begin, end);
    else
      addWords<noting == Noting::Runs>(factor, b, begin, end);
    widen(b, begin, end);
  }

  /// Writes the row in ascending order and empties the accumulator; returns how many entries it has.
  int32_t flush(int32_t *__restrict indices, T *__restrict values) {
    int32_t place = 0;
    for (int64_t top = first_ >> 12; top <= last_ >> 12; ++top)
      for (uint64_t words = std::exchange(words_[top], 0); words; words &= words - 1) {
        const int64_t word = top * 64 + __builtin_ctzll(words);
        for (uint64_t bits = std::exchange(touched_[word], 0); bits; bits &= bits - 1) {
          const int64_t column = word * 64 + __builtin_ctzll(bits);
          indices[place] = int32_t(column);
          values[place++] = std::exchange(values_[column], T(0));
        }
      }
    first_ = INT64_MAX;
    last_ = -1;
    return place;
  }

private:
  void addEach(T factor, const View<T> &b, int64_t begin, int64_t end) {
    T *__restrict values = values_.get();
    uint64_t *__restrict touched = touched_.get(), *__restrict words = words_.get();
    for (int64_t q = begin; q < end; ++q) {
      const int32_t column = b.indices[q];
      touched[column >> 6] |= uint64_t(1) << (column & 63);
      words[column >> 12] |= uint64_t(1) << ((column >> 6) & 63);
      values[column] += factor * b.values[q];
    }
  }

  /// A word's bits gather in a register, as each store would have to wait for the one before.
  template <bool hasRuns> void addWords(T factor, const View<T> &b, int64_t begin, int64_t end) {
    typedef T Four __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias));
    T *__restrict values = values_.get();
    for (int64_t q = begin; q < end;) {
      const int32_t word = b.indices[q] >> 6;
      uint64_t bits = 0;
      for (int32_t column; q < end && (column = b.indices[q]) >> 6 == word;) {
        if (hasRuns && q + 4 <= end && b.indices[q + 3] == column + 3 && (column & 63) <= 60) {
          bits |= uint64_t(15) << (column & 63);
          *reinterpret_cast<Four *>(values + column) += factor * *reinterpret_cast<const Four *>(b.values + q);
          q += 4;
        } else {
          bits |= uint64_t(1) << (column & 63);
          values[column] += factor * b.values[q++];
        }
      }
      touched_[word] |= bits;
      words_[word >> 6] |= uint64_t(1) << (word & 63);
    }
  }

  /// Takes the columns of entries [begin, end) into the range that flush() walks.
  void widen(const View<T> &b, int64_t begin, int64_t end) {
    if (begin == end)
      return;
    first_ = std::min<int64_t>(first_, b.indices[begin]);
    last_ = std::max<int64_t>(last_, b.indices[end - 1]);
  }

  Array<T> values_;
  Array<uint64_t> touched_, words_;
  int64_t first_, last_ = -1;
};

/// The number of products in all rows before each.
template <class T> Array<int64_t> productsBefore(const View<T> &a, const View<T> &b, int threads) {
  Array<int64_t> before = allocate<int64_t>(a.rows + 1);
  before[0] = 0;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t i = 0; i < a.rows; ++i) {
    int64_t products = 0;
    for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p)
      products += b.pointers[a.indices[p] + 1] - b.pointers[a.indices[p]];
    before[i + 1] = products;
  }
  for (int64_t i = 0; i < a.rows; ++i)
    before[i + 1] += before[i];
  return before;
}

/// Appends rows [begin, end) of the sum from place `count` on and returns the place after them.
template <class T>
int64_t mergeRows(const View<T> &a, const View<T> &b, int64_t begin, int64_t end, int64_t count, Matrix<T> &result) {
  int32_t *__restrict indices = result.indices.get();
  T *__restrict values = result.values.get();
  for (int64_t i = begin; i < end; ++i) {
    int32_t p = a.pointers[i], q = b.pointers[i];
    const int32_t pEnd = a.pointers[i + 1], qEnd = b.pointers[i + 1];
    for (; p < pEnd && q < qEnd; ++count) {
      const int32_t left = a.indices[p], right = b.indices[q];
      if (left == right) {
        indices[count] = left;
        values[count] = a.values[p++] + b.values[q++];
      } else if (left < right) {
        indices[count] = left;
        values[count] = a.values[p++];
      } else {
        indices[count] = right;
        values[count] = b.values[q++];
      }
    }
    for (; p < pEnd; ++count) {
      indices[count] = a.indices[p];
      values[count] = a.values[p++];
    }
    for (; q < qEnd; ++count) {
      indices[count] = b.indices[q];
      values[count] = b.values[q++];
    }
    result.pointers[i + 1] = int32_t(count);
  }
  return count;
}

/// How many entries rows [begin, end) of the sum have.
template <class T> int64_t countUnion(const View<T> &a, const View<T> &b, int64_t begin, int64_t end) {
  int64_t count = int64_t(a.pointers[end]) - a.pointers[begin] + b.pointers[end] - b.pointers[begin];
  for (int64_t i = begin; i < end; ++i)
    for (int32_t p = a.pointers[i], q = b.pointers[i]; p < a.pointers[i + 1] && q < b.pointers[i + 1];) {
      const int32_t left = a.indices[p], right = b.indices[q];
      count -= left == right;
      p += left <= right;
      q += right <= left;
    }
  return count;
}

template <Noting noting, class T>
Matrix<T> multiplyNoting(const View<T> &a, const View<T> &b, Pages pages, int threads) {
  const Array<int64_t> before = productsBefore(a, b, threads);
  Matrix<T> result{a.rows, b.columns, allocate<int32_t>(a.rows + 1), {}, {}};
  std::vector<Chunk<T>> chunks(chunksFor(threads));
  std::vector<Array<int32_t>> indices(chunks.size());
  std::vector<Array<T>> values(chunks.size());
  auto work = [&](int64_t row) { return before[row] + row; };
#pragma omp parallel num_threads(threads)
  {
    Accumulator<T> accumulator(b.columns);
#pragma omp for schedule(dynamic, 1)
    for (size_t c = 0; c < chunks.size(); ++c) {
      Chunk<T> &chunk = chunks[c];
      chunk.begin = chunkBegin(a.rows, c, chunks.size(), work);
      chunk.end = chunkBegin(a.rows, c + 1, chunks.size(), work);
      int64_t most = 0;
      for (int64_t i = chunk.begin; i < chunk.end; ++i)
        most += std::min(before[i + 1] - before[i], b.columns);
      chunk.indices = (indices[c] = allocate<int32_t>(most, pages)).get();
      chunk.values = (values[c] = allocate<T>(most, pages)).get();
      for (int64_t i = chunk.begin; i < chunk.end; ++i) {
        for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p)
          accumulator.template add<noting>(a.values[p], b, b.pointers[a.indices[p]], b.pointers[a.indices[p] + 1]);
        const int32_t length = accumulator.flush(indices[c].get() + chunk.count, values[c].get() + chunk.count);
        result.pointers[i + 1] = length;
        chunk.count += length;
      }
    }
  }
  if (chunks.size() == 1) {
    result.indices = std::move(indices[0]);
    result.values = std::move(values[0]);
  }
  finish(result, chunks, pages, threads);
  return result;
}

} // namespace

template <class T> Matrix<T> multiply(const View<T> &a, const View<T> &b, Noting noting, Pages pages, int threads) {
  switch (noting) {
  case Noting::Each:
    return multiplyNoting<Noting::Each>(a, b, pages, threads);
  case Noting::Words:
    return multiplyNoting<Noting::Words>(a, b, pages, threads);
  case Noting::Runs:
    return multiplyNoting<Noting::Runs>(a, b, pages, threads);
  }
  return {};
}

template <class T> Matrix<T> add(const View<T> &a, const View<T> &b, Pages pages, int threads) {
  const int64_t most = int64_t(a.pointers[a.rows]) + b.pointers[b.rows];
  Matrix<T> result{a.rows, a.columns, allocate<int32_t>(a.rows + 1), {}, {}};
  result.pointers[0] = 0;
  auto reserve = [&](int64_t count) {
    result.indices = allocate<int32_t>(count, pages);
    result.values = allocate<T>(count, pages);
  };
  if (threads == 1) {
    reserve(most);
    mergeRows(a, b, 0, a.rows, 0, result);
    return result;
  }
  const int64_t chunks = chunksFor(threads);
  std::vector<int64_t> begins, bases(chunks + 1, 0);
  for (int64_t c = 0; c <= chunks; ++c)
    begins.push_back(
        chunkBegin(a.rows, c, chunks, [&](int64_t row) { return row + a.pointers[row] + b.pointers[row]; }));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (int64_t c = 0; c < chunks; ++c)
    bases[c + 1] = countUnion(a, b, begins[c], begins[c + 1]);
  for (int64_t c = 0; c < chunks; ++c)
    bases[c + 1] += bases[c];
  reserve(bases[chunks]);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (int64_t c = 0; c < chunks; ++c)
    mergeRows(a, b, begins[c], begins[c + 1], bases[c], result);
  return result;
}

template Matrix<double> multiply(const View<double> &, const View<double> &, Noting, Pages, int);
template Matrix<float> multiply(const View<float> &, const View<float> &, Noting, Pages, int);
template Matrix<double> add(const View<double> &, const View<double> &, Pages, int);
template Matrix<float> add(const View<float> &, const View<float> &, Pages, int);

} // namespace assembly::hand
