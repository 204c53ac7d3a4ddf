// Sorting of entries by their coordinates. Freestanding.
#pragma once

#include "runtime/integers.h"

namespace spc::runtime {

inline constexpr int64_t kDigitBits = 11;
inline constexpr int64_t kBuckets = int64_t{1} << kDigitBits;

/// The entries' numbers, in the order in which they are sorted so far. Owns nothing.
struct EntryOrder {
  int64_t count = 0;
  Integers now;               ///< `count` entries
  Integers next;              ///< room for as many: where the next sorting step writes
  int64_t *buckets = nullptr; ///< kBuckets numbers
};

inline bool isSortedBy(const EntryOrder &order, Integers key) {
  for (int64_t e = 1; e < order.count; ++e)
    if (key[order.now[e - 1]] > key[order.now[e]])
      return false;
  return true;
}

/// Sorts stably by one coordinate, below `extent`: least significant digit first. Does nothing where they are sorted.
inline void sortBy(EntryOrder &order, Integers key, int64_t extent) {
  if (isSortedBy(order, key))
    return;
  const uint64_t last = static_cast<uint64_t>(extent) - 1;
  int64_t *buckets = order.buckets;
  for (int64_t shift = 0; shift < 64 && (last >> shift) != 0; shift += kDigitBits) {
    const auto bucketOf = [=](int64_t entry) {
      return static_cast<int64_t>((static_cast<uint64_t>(key[entry]) >> shift) & (kBuckets - 1));
    };
    for (int64_t b = 0; b < kBuckets; ++b)
      buckets[b] = 0;
    for (int64_t e = 0; e < order.count; ++e)
      ++buckets[bucketOf(order.now[e])];
    int64_t start = 0;
    for (int64_t b = 0; b < kBuckets; ++b) {
      const int64_t count = buckets[b];
      buckets[b] = start;
      start += count;
    }
    for (int64_t e = 0; e < order.count; ++e)
      order.next.set(buckets[bucketOf(order.now[e])]++, order.now[e]);
    const Integers sorted = order.next;
    order.next = order.now;
    order.now = sorted;
  }
}

} // namespace spc::runtime
