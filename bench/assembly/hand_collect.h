// Results that are collected chunk by chunk, and the counting sort.
#pragma once

#include "hand.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace assembly::hand {

/// Rows [begin, end) of a result and their entries; pointers[i + 1] holds the length of row i until finish().
template <class T> struct Chunk {
  int64_t begin = 0, end = 0, count = 0;
  const int32_t *indices = nullptr;
  const T *values = nullptr;
};

/// Lengths become pointers, and the chunks' entries are copied where there are several; of one they are the matrix's
/// already.
template <class T> void finish(Matrix<T> &result, const std::vector<Chunk<T>> &chunks, Pages pages, int threads) {
  std::vector<int64_t> bases(1, 0);
  for (const Chunk<T> &chunk : chunks)
    bases.push_back(bases.back() + chunk.count);
  if (chunks.size() > 1) {
    result.indices = allocate<int32_t>(bases.back(), pages);
    result.values = allocate<T>(bases.back(), pages);
  }
  int32_t *pointers = result.pointers.get();
  pointers[0] = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (size_t c = 0; c < chunks.size(); ++c) {
    const Chunk<T> &chunk = chunks[c];
    int64_t place = bases[c];
    for (int64_t i = chunk.begin; i < chunk.end; ++i)
      pointers[i + 1] = int32_t(place += pointers[i + 1]);
    if (chunks.size() == 1)
      continue;
    std::memcpy(result.indices.get() + bases[c], chunk.indices, chunk.count * sizeof(int32_t));
    std::memcpy(result.values.get() + bases[c], chunk.values, chunk.count * sizeof(T));
  }
}

/// Where a stable sort by small keys puts each item. Each of `threads` equal ranges of items, the chunks, has a cursor
/// for each key.
class CountingSort {
public:
  CountingSort(const int32_t *keys, int64_t count, int64_t buckets, int threads)
      : count_(count), chunks_(threads), pointers_(allocateZeros<int32_t>(buckets + 2)), buckets_(buckets) {
    if (threads == 1) {
      sortAlone(keys);
      return;
    }
    own_ = allocateZeros<int32_t>(buckets * threads);
    cursors_ = own_.get();
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int64_t chunk = 0; chunk < chunks_; ++chunk) {
      int32_t *counts = cursor(chunk);
      for (int64_t item = begin(chunk); item < begin(chunk + 1); ++item)
        ++counts[keys[item]];
    }
    scan(threads);
  }

  int64_t chunks() const { return chunks_; }
  int64_t begin(int64_t chunk) const { return count_ * chunk / chunks_; }
  /// cursor(chunk)[key]++ is the place of the chunk's next item with that key.
  int32_t *cursor(int64_t chunk) const { return cursors_ + chunk * buckets_; }
  /// Where each bucket begins, and the count at the end, once every item has its place. The sort's until taken; cursors
  /// may point into it.
  Array<int32_t> takePointers() { return std::move(pointers_); }

private:
  /// One chunk needs no cursors of its own: a bucket's cursor is the next one's pointer, where it ends.
  void sortAlone(const int32_t *keys) {
    for (int64_t item = 0; item < count_; ++item)
      ++pointers_[keys[item] + 2];
    for (int64_t bucket = 0; bucket < buckets_; ++bucket)
      pointers_[bucket + 1] += pointers_[bucket];
    cursors_ = pointers_.get() + 1;
  }

  /// Counts become places: bucket by bucket, in each chunk by chunk.
  void scan(int threads) {
    std::vector<int64_t> bases(chunks_ + 1, 0);
    auto bucketBegin = [&](int64_t range) { return buckets_ * range / chunks_; };
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int64_t range = 0; range < chunks_; ++range) {
      int64_t total = 0;
      for (int64_t chunk = 0; chunk < chunks_; ++chunk)
        for (int64_t bucket = bucketBegin(range); bucket < bucketBegin(range + 1); ++bucket)
          total += cursor(chunk)[bucket];
      bases[range + 1] = total;
    }
    for (int64_t range = 0; range < chunks_; ++range)
      bases[range + 1] += bases[range];
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int64_t range = 0; range < chunks_; ++range) {
      auto place = int32_t(bases[range]);
      for (int64_t bucket = bucketBegin(range); bucket < bucketBegin(range + 1); ++bucket) {
        pointers_[bucket] = place;
        for (int64_t chunk = 0; chunk < chunks_; ++chunk)
          place += std::exchange(cursor(chunk)[bucket], place);
      }
    }
    pointers_[buckets_] = int32_t(count_);
  }

  int64_t count_, chunks_;
  Array<int32_t> pointers_, own_;
  int32_t *cursors_ = nullptr;
  int64_t buckets_;
};

} // namespace assembly::hand
