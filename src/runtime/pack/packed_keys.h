// Sorting entries by all their coordinates at once, packed into a word. Freestanding.
#pragma once

#include "runtime/hot.h"
#include "runtime/levels/walk.h"
#include "runtime/memory.h"
#include "runtime/pack/sorting.h"

namespace spc::runtime {

/// Bits of a digit: fewer than where keys are read through the order. Each bucket is a stream of writes, and more
/// streams than the processor can track pages of cost more than another step.
inline constexpr int64_t kPackedDigitBits = 8;
inline constexpr int64_t kPackedBuckets = int64_t{1} << kPackedDigitBits;

/// One word an entry: its coordinates in the levels of a format, the outermost level's in the highest bits.
class PackedKeys {
public:
  explicit PackedKeys(const Allocator &allocator) : block_(allocator) {}

  /// Whether all coordinates of `target` fit into a word.
  bool fit(const Tensor &target) {
    int64_t bits = 0;
    for (int64_t k = target.order - 1; k >= 0; --k) {
      bits_[k] = 0;
      while (bits_[k] < 63 && (coordinateCount(target.levels[k]) - 1) >> bits_[k] > 0)
        ++bits_[k];
      shifts_[k] = bits;
      bits += bits_[k];
      if (bits > 63)
        return false;
    }
    return true;
  }

  /// Packs `keys` of all `levels` and sorts the entries of `order` by the first `sortedLevels`, stably. False where
  /// memory ran out.
  bool sort(const Integers *keys, int64_t levels, int64_t sortedLevels, EntryOrder &order, bool isNarrow) {
    Layout layout;
    const int64_t nowOffset = layout.add(order.count, sizeof(uint64_t));
    const int64_t nextOffset = layout.add(order.count, sizeof(uint64_t));
    if (!block_.allocate(layout))
      return false;
    now_ = reinterpret_cast<uint64_t *>(block_.at(nowOffset));
    next_ = reinterpret_cast<uint64_t *>(block_.at(nextOffset));
    fillWithZeros(now_, order.count * static_cast<int64_t>(sizeof(uint64_t)));
    for (int64_t k = 0; k < levels; ++k)
      insert(keys[k], shifts_[k], order.count);
    for (int64_t shift = shifts_[sortedLevels - 1]; shift < shifts_[0] + bits_[0]; shift += kPackedDigitBits) {
      if (isNarrow)
        sortByDigit<int32_t>(order, shift);
      else
        sortByDigit<int64_t>(order, shift);
    }
    return true;
  }

  bool areSorted() const { return now_ != nullptr; }
  uint64_t operator[](int64_t sorted) const { return now_[sorted]; }
  int64_t coordinate(int64_t sorted, int64_t level) const {
    return static_cast<int64_t>(now_[sorted] >> shifts_[level] & ((uint64_t{1} << bits_[level]) - 1));
  }

private:
  SPC_HOT void insert(Integers key, int64_t shift, int64_t count) {
    for (int64_t e = 0; e < count; ++e)
      now_[e] |= static_cast<uint64_t>(key[e]) << shift;
  }

  /// One step of a sort by least significant digit first, which moves words and the entries' numbers.
  template <typename N> SPC_HOT void sortByDigit(EntryOrder &order, int64_t shift) {
    const uint64_t *const now = now_;
    uint64_t *const next = next_;
    const N *const numbers = order.now.as<N>();
    N *const nextNumbers = order.next.as<N>();
    int64_t *const buckets = order.buckets;
    for (int64_t b = 0; b < kPackedBuckets; ++b)
      buckets[b] = 0;
    for (int64_t e = 0; e < order.count; ++e)
      ++buckets[now[e] >> shift & (kPackedBuckets - 1)];
    int64_t start = 0;
    for (int64_t b = 0; b < kPackedBuckets; ++b) {
      const int64_t count = buckets[b];
      buckets[b] = start;
      start += count;
    }
    for (int64_t e = 0; e < order.count; ++e) {
      const int64_t place = buckets[now[e] >> shift & (kPackedBuckets - 1)]++;
      next[place] = now[e];
      nextNumbers[place] = numbers[e];
    }
    next_ = now_;
    now_ = next;
    const Integers sorted = order.next;
    order.next = order.now;
    order.now = sorted;
  }

  Block block_;
  uint64_t *now_ = nullptr;  ///< by sorted entry
  uint64_t *next_ = nullptr; ///< where the next step writes
  int64_t shifts_[kMaxLevels];
  int64_t bits_[kMaxLevels];
};

} // namespace spc::runtime
