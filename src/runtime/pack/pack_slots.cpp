#include "runtime/pack/pack_level.h"

namespace spc::runtime {
namespace {

/// Packs a level, parent by parent.
class SlotPacking {
public:
  SlotPacking(Tensor &target, int64_t k, const LevelEntries &entries)
      : target_(target), k_(k), level_(target.levels[k]), entries_(entries) {}

  Status run(const Allocator &allocator, int64_t &positions) {
    const int64_t parents = positions;
    if (level_.kind == LevelKind::FixedWidth && level_.width < 0)
      level_.width = greatestCount();
    int64_t slots = 0;
    if (level_.kind != LevelKind::FixedWidth)
      slots = sumBefore(level_, parents);
    else if (__builtin_mul_overflow(parents, level_.width, &slots))
      return Status::Memory;
    if (const Status status = checkRoom(parents); status != Status::Ok)
      return status;
    positions = slots;
    if (!allocateIndices(allocator, target_, k_, slots))
      return Status::Memory;
    for (int64_t parent = 0, entry = 0, first = 0; slots > 0 && parent < parents; ++parent) {
      const int64_t width = widthOf(parent);
      entry = packParent(parent, first, width, entry);
      first += width;
    }
    return Status::Ok;
  }

private:
  int64_t widthOf(int64_t parent) const {
    return level_.kind == LevelKind::FixedWidth
               ? level_.width
               : valueOf(level_.length, coordinateOf(parent, level_.parentExtent), level_.extent);
  }

  bool isSameParent(int64_t entry) const { return entry > 0 && entries_.at[entry] == entries_.at[entry - 1]; }

  /// How many coordinates there are under the parent of `entry` up to it, those up to the entry before being `before`.
  int64_t countUpTo(int64_t entry, int64_t before) const {
    return isSameParent(entry) ? before + (entries_.column[entry] != entries_.column[entry - 1]) : 1;
  }

  int64_t greatestCount() const {
    int64_t most = 0;
    for (int64_t e = 0, used = 0; e < entries_.count; ++e) {
      used = countUpTo(e, used);
      most = used > most ? used : most;
    }
    return most;
  }

  Status checkRoom(int64_t parents) const {
    for (int64_t e = 0, used = 0; e < entries_.count; ++e) {
      used = countUpTo(e, used);
      if (used > widthOf(entries_.at[e]))
        return Status::Count;
    }
    // Widths are linear in the parent's coordinate: the first and the last one are the extremes.
    if (parents == 0)
      return Status::Ok;
    const int64_t first = widthOf(0), last = widthOf(level_.parentExtent - 1), coordinates = coordinateCount(level_);
    const int64_t widest = first > last ? first : last;
    return widest > 0 && (coordinates == 0 || (level_.isUnique != 0 && widest > coordinates)) ? Status::Shape
                                                                                              : Status::Ok;
  }

  /// Packs the entries of a parent, from `begin` on, into its `width` slots at `first`. Returns where the next one's
  /// begin.
  int64_t packParent(int64_t parent, int64_t first, int64_t width, int64_t begin) {
    int64_t used = 0, end = begin;
    for (; end < entries_.count && entries_.at[end] == parent; ++end)
      if (end == begin || entries_.column[end] != entries_.column[end - 1])
        setIndex(target_, k_, first + used++, entries_.column[end]);
    if (level_.isUnique != 0)
      padUnique(first, used, width);
    // Without an entry, coordinate 0, which diagonals count from the first one.
    const int64_t last = used == 0 ? -firstCoordinate(level_) : indexAt(target_, k_, first + used - 1);
    for (int64_t slot = used; level_.isUnique == 0 && slot < width; ++slot)
      setIndex(target_, k_, first + slot, last);
    for (int64_t entry = begin, slot = first; entry < end; ++entry) {
      while (indexAt(target_, k_, slot) != entries_.column[entry])
        ++slot;
      entries_.at[entry] = slot;
    }
    return end;
  }

  /// Merges the least coordinates that are not listed into the `used` ones at `first`.
  void padUnique(int64_t first, int64_t used, int64_t width) {
    int64_t padding = width - used;
    for (int64_t slot = used - 1; slot >= 0; --slot)
      setIndex(target_, k_, first + slot + padding, indexAt(target_, k_, first + slot));
    for (int64_t slot = first, candidate = 0; padding > 0; ++slot, ++candidate) {
      // The next listed coordinate is `padding` slots further on.
      if (used > 0 && indexAt(target_, k_, slot + padding) == candidate)
        --used;
      else
        --padding;
      setIndex(target_, k_, slot, candidate);
    }
  }

  Tensor &target_;
  int64_t k_;
  Level &level_;
  const LevelEntries &entries_;
};

} // namespace

Status packSlots(const Allocator &allocator, Tensor &target, int64_t k, const LevelEntries &entries,
                 int64_t &positions) {
  return SlotPacking(target, k, entries).run(allocator, positions);
}

} // namespace spc::runtime
