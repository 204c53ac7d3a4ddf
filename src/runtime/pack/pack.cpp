#include "runtime/pack/pack.h"

#include "runtime/levels/walk.h"
#include "runtime/memory.h"
#include "runtime/pack/pack_level.h"
#include "runtime/pack/packed_keys.h"
#include "runtime/pack/sorting.h"
#include "runtime/values.h"

#include <stddef.h>

namespace spc::runtime {
namespace {

/// Packs one tensor, level by level as in Chou et al. 2018: `positions_` is the number of slots of the level packed
/// last, and `at_` says which of them each entry is in. Entries are sorted by all levels down to the last listed one;
/// in dense levels below, their order does not matter.
class Packing {
public:
  Packing(const Allocator &allocator, const EntryList &entries, Tensor &target)
      : allocator_(allocator), entries_(entries), target_(target), parts_(allocator), sorting_(allocator),
        packed_(allocator), work_(allocator) {
    for (int64_t k = 0; k < target.order; ++k)
      if (isListed(target.levels[k]))
        sortedLevels_ = k + 1;
    if (entries.duplicates != Duplicates::Sum) // those of one place are to be neighbours
      sortedLevels_ = target.order;
    for (int64_t k = 0; k < target.order; ++k)
      if (target.levels[k].extent > INT32_MAX || coordinateCount(target.levels[k]) > INT32_MAX)
        width_ = 8;
    if (entries.count > INT32_MAX)
      width_ = 8;
  }

  Status find(uint8_t *fits);

  Status run(bool withValues) {
    if (const Status status = prepare(); status != Status::Ok)
      return status;
    for (int64_t k = 0; k < target_.order; ++k)
      if (const Status status = packLevel(k); status != Status::Ok)
        return status;
    target_.stored = positions_;
    if (entries_.duplicates == Duplicates::Error && hasRepeats())
      return Status::Duplicate;
    return !withValues || packValues() ? Status::Ok : Status::Memory;
  }

private:
  Status prepare();
  bool computeParts();
  bool sort();
  bool isSorted() const;
  Status packLevel(int64_t k);
  Status dense(int64_t k);
  Status compressed(int64_t k);
  bool singleton(int64_t k);
  void readColumn(int64_t k);
  bool hasRepeats() const;
  bool packValues();

  int64_t count() const { return entries_.count; }
  int64_t coordinate(int64_t k, int64_t sorted) const {
    return packed_.areSorted() ? packed_.coordinate(sorted, k) : keys_[k][numberOf(sorted)];
  }
  bool haveSameParent(int64_t k, int64_t sorted, int64_t other) const;
  void findInList(int64_t k, uint8_t *fits) const;
  void findInRun(int64_t k, uint8_t *fits) const;
  int64_t numberOf(int64_t sorted) const { return order_.now.isNull() ? sorted : order_.now[sorted]; }
  bool isSamePlace(int64_t sorted) const;
  LevelEntries levelEntries() const { return {count(), at_, column_}; }
  bool multiply(int64_t parts) { return !__builtin_mul_overflow(positions_, parts, &positions_); }

  const Allocator &allocator_;
  const EntryList &entries_;
  Tensor &target_;
  Block parts_, sorting_;
  PackedKeys packed_;
  Block work_;
  int64_t width_ = 4;         ///< bytes that hold every coordinate and every entry's number
  int64_t sortedLevels_ = 0;  ///< levels down to the last listed one
  Integers keys_[kMaxLevels]; ///< each entry's coordinate in the order of the list, by level
  EntryOrder order_;          ///< the sorted entries; `now` is null where the list is sorted
  int64_t *at_ = nullptr;     ///< the slot of each sorted entry
  Integers gathered_;         ///< room for a coordinate of each sorted entry, where the list is not sorted
  Integers column_;           ///< each sorted entry's coordinate in the level that is being packed
  int64_t positions_ = 1;
};

Status Packing::prepare() {
  for (int64_t k = 0; k < target_.order; ++k)
    if (count() > 0 && !fitsIndices(target_, k))
      return Status::IndexType;
  if (!computeParts() || (!isSorted() && !sort()))
    return Status::Memory;
  const bool gathers = !order_.now.isNull();
  Layout layout;
  const int64_t atOffset = layout.add(count(), sizeof(int64_t));
  const int64_t columnOffset = gathers ? layout.add(count(), width_) : 0;
  if (!work_.allocate(layout))
    return Status::Memory;
  at_ = reinterpret_cast<int64_t *>(work_.at(atOffset));
  if (gathers)
    gathered_ = {work_.at(columnOffset), width_};
  for (int64_t e = 0; e < count(); ++e)
    at_[e] = 0;
  return Status::Ok;
}

/// Computes coordinates by level, from the level's first one on: those of the list, or parts of them where there are
/// blocks or diagonals.
bool Packing::computeParts() {
  int64_t offsets[kMaxLevels];
  Layout layout;
  for (int64_t k = 0; k < target_.order; ++k)
    offsets[k] = target_.levels[k].part == Part::Whole ? 0 : layout.add(count(), width_);
  if (layout.total() > 0 && !parts_.allocate(layout))
    return false;
  for (int64_t k = 0; k < target_.order; ++k) {
    const Level &level = target_.levels[k];
    const Integers whole = entries_.at[level.dimension];
    if (level.part == Part::Whole) {
      keys_[k] = whole;
      continue;
    }
    keys_[k] = {parts_.at(offsets[k]), width_};
    for (int64_t e = 0; e < count(); ++e)
      keys_[k].set(e, level.part == Part::Quotient ? whole[e] / level.block
                      : level.part == Part::Remainder
                          ? whole[e] % level.block
                          : whole[e] - entries_.at[level.minus][e] - firstCoordinate(level));
  }
  return !layout.overflows();
}

SPC_HOT bool Packing::isSorted() const {
  for (int64_t e = 1; e < count(); ++e)
    for (int64_t k = 0; k < sortedLevels_; ++k) {
      const int64_t before = keys_[k][e - 1], here = keys_[k][e];
      if (before > here)
        return false;
      if (before < here)
        break;
    }
  return true;
}

bool Packing::sort() {
  Layout layout;
  const int64_t orderOffset = layout.add(count(), width_);
  const int64_t nextOffset = layout.add(count(), width_);
  const int64_t bucketOffset = layout.add(kBuckets, sizeof(int64_t));
  if (!sorting_.allocate(layout))
    return false;
  order_.count = count();
  order_.now = {sorting_.at(orderOffset), width_};
  order_.next = {sorting_.at(nextOffset), width_};
  order_.buckets = reinterpret_cast<int64_t *>(sorting_.at(bucketOffset));
  for (int64_t e = 0; e < count(); ++e)
    order_.now.set(e, e);
  if (packed_.fit(target_))
    return packed_.sort(keys_, target_.order, sortedLevels_, order_, width_ == 4);
  for (int64_t k = sortedLevels_ - 1; k >= 0; --k)
    sortBy(order_, keys_[k], coordinateCount(target_.levels[k]));
  return true;
}

Status Packing::packLevel(int64_t k) {
  const Level &level = target_.levels[k];
  readColumn(k);
  switch (level.kind) {
  case LevelKind::Compressed:
    return compressed(k);
  case LevelKind::FixedWidth:
  case LevelKind::ClosedCompressed:
    return packSlots(allocator_, target_, k, levelEntries(), positions_);
  case LevelKind::Singleton:
    return singleton(k) ? Status::Ok : Status::Memory;
  case LevelKind::Dense:
    return dense(k);
  case LevelKind::RaggedDense:
  case LevelKind::ClosedDense:
    return packRuns(allocator_, target_, k, levelEntries(), positions_);
  }
  return Status::Shape;
}

Status Packing::dense(int64_t k) {
  const int64_t extent = denseCount(target_.levels[k]);
  for (int64_t e = 0; e < count(); ++e)
    at_[e] = at_[e] * extent + column_[e];
  return multiply(extent) ? Status::Ok : Status::Memory;
}

/// Sets `column_` to the coordinates of level `k`.
SPC_HOT void Packing::readColumn(int64_t k) {
  column_ = keys_[k];
  if (order_.now.isNull())
    return;
  for (int64_t e = 0; e < count(); ++e)
    gathered_.set(e, packed_.areSorted() ? packed_.coordinate(e, k) : keys_[k][order_.now[e]]);
  column_ = gathered_;
}

/// Whether sorted entry `sorted` is at the same place as the one before it.
bool Packing::isSamePlace(int64_t sorted) const {
  if (packed_.areSorted())
    return packed_[sorted] == packed_[sorted - 1];
  const int64_t entry = numberOf(sorted), before = numberOf(sorted - 1);
  for (int64_t k = 0; k < target_.order; ++k)
    if (keys_[k][entry] != keys_[k][before])
      return false;
  return true;
}

/// Packs a compressed level. Above singletons it repeats its coordinate for each place.
SPC_HOT Status Packing::compressed(int64_t k) {
  Level &level = target_.levels[k];
  const bool repeats = k + 1 < target_.order && target_.levels[k + 1].kind == LevelKind::Singleton;
  const auto isRepeat = [&](int64_t e, int64_t parentBefore) {
    return e > 0 && at_[e] == parentBefore && column_[e] == column_[e - 1] && (!repeats || isSamePlace(e));
  };
  int64_t listed = 0;
  for (int64_t e = 0, parent = 0; e < count(); parent = at_[e++])
    listed += !isRepeat(e, parent);
  if (k > 0) {
    if (listed > largest(target_.pointerBytes))
      return Status::IndexType;
    if (positions_ == INT64_MAX || !allocateArray(allocator_, positions_ + 1, target_.pointerBytes, level.pointers))
      return Status::Memory;
  }
  level.count = listed;
  if (!allocateIndices(allocator_, target_, k, listed))
    return Status::Memory;
  int64_t next = 0, closed = 0; // positions, and the parents whose pointer is written
  for (int64_t e = 0, parent = 0; e < count(); ++e) {
    const int64_t parentBefore = parent;
    parent = at_[e];
    if (!isRepeat(e, parentBefore)) {
      for (; k > 0 && closed <= parent; ++closed)
        store(level.pointers, target_.pointerBytes, closed, next);
      setIndex(target_, k, next++, column_[e]);
    }
    at_[e] = next - 1;
  }
  for (; k > 0 && closed <= positions_; ++closed)
    store(level.pointers, target_.pointerBytes, closed, next);
  positions_ = listed;
  return Status::Ok;
}

/// Packs a level of singletons. Entries of one place have one position, and write the same there.
SPC_HOT bool Packing::singleton(int64_t k) {
  if (!allocateIndices(allocator_, target_, k, positions_))
    return false;
  for (int64_t e = 0; e < count(); ++e)
    setIndex(target_, k, at_[e], column_[e]);
  return true;
}

bool Packing::hasRepeats() const {
  for (int64_t e = 1; e < count(); ++e)
    if (at_[e] == at_[e - 1])
      return true;
  return false;
}

SPC_HOT bool Packing::packValues() {
  if (positions_ > 0 && target_.valueBytes > INT64_MAX / positions_)
    return false;
  if (!allocateArray(allocator_, positions_, target_.valueBytes, target_.values))
    return false;
  // Unless every place ends in a list, some positions have no entry, and entries of one position are no neighbours.
  const LevelKind last = target_.levels[target_.order - 1].kind;
  const bool isSorted = sortedLevels_ == target_.order;
  const bool isList = isSorted && isListed(target_.levels[target_.order - 1]) && last != LevelKind::FixedWidth &&
                      last != LevelKind::ClosedCompressed;
  const bool isSum = entries_.duplicates == Duplicates::Sum;
  if (!isList)
    fillWithZeros(target_.values, positions_ * target_.valueBytes);
  for (int64_t e = 0; e < count(); ++e) {
    const int64_t entry = numberOf(e), from = entries_.from.isNull() ? entry : entries_.from[entry];
    const bool isFirst = (isList || !isSum) && (e == 0 || at_[e] != at_[e - 1]);
    if (isFirst)
      copyValue(target_, entries_.values, from, target_.values, at_[e]);
    else
      combineValue(target_, entries_.duplicates, entries_.values, from, target_.values, at_[e]);
  }
  return true;
}

bool Packing::haveSameParent(int64_t k, int64_t sorted, int64_t other) const {
  for (int64_t above = 0; above < k; ++above)
    if (coordinate(above, sorted) != coordinate(above, other))
      return false;
  return true;
}

/// Takes the entries beyond the first coordinates of each parent from those that fit.
void Packing::findInList(int64_t k, uint8_t *fits) const {
  const Level &level = target_.levels[k];
  int64_t used = 0, before = -1;
  for (int64_t e = 0; e < count(); ++e) {
    if (fits[numberOf(e)] == 0)
      continue;
    const bool isSame = before >= 0 && haveSameParent(k, e, before);
    used = !isSame ? 1 : used + (coordinate(k, e) != coordinate(k, before));
    before = e;
    const bool isClosed = level.kind == LevelKind::ClosedCompressed;
    const int64_t room = isClosed ? valueOf(level.length, coordinate(k - 1, e), level.extent) : level.width;
    fits[numberOf(e)] = used <= room;
  }
}

/// Takes those outside of a closed form's run.
void Packing::findInRun(int64_t k, uint8_t *fits) const {
  const Level &level = target_.levels[k];
  for (int64_t e = 0; e < count(); ++e) {
    const int64_t parent = coordinate(k - 1, e);
    const int64_t place = coordinate(k, e) - valueOf(level.start, parent, level.extent);
    if (place < 0 || place >= valueOf(level.length, parent, level.extent))
      fits[numberOf(e)] = 0;
  }
}

Status Packing::find(uint8_t *fits) {
  if (const Status status = prepare(); status != Status::Ok)
    return status;
  for (int64_t e = 0; e < count(); ++e)
    fits[e] = 1;
  for (int64_t k = 0; k < target_.order; ++k) {
    const Level &level = target_.levels[k];
    if (level.kind == LevelKind::ClosedDense)
      findInRun(k, fits);
    else if (level.kind == LevelKind::ClosedCompressed || (level.kind == LevelKind::FixedWidth && level.width >= 0))
      findInList(k, fits);
  }
  return Status::Ok;
}

} // namespace

void clearArrays(Tensor &target) {
  target.stored = 0;
  target.values = nullptr;
  for (int64_t k = 0; k < target.order; ++k)
    target.levels[k].count = 0, target.levels[k].pointers = target.levels[k].indices = nullptr;
}

void releaseArrays(const Allocator &allocator, Tensor &target) {
  for (int64_t k = 0; k < target.order; ++k) {
    releaseArray(allocator, target.levels[k].pointers);
    if (target.levels[k].offset == 0) // else the array is another level's
      releaseArray(allocator, target.levels[k].indices);
  }
  releaseArray(allocator, target.values);
  clearArrays(target);
}

Status findFitting(const Allocator &allocator, const EntryList &entries, Tensor &target, uint8_t *fits) {
  return Packing(allocator, entries, target).find(fits);
}

Status packEntries(const Allocator &allocator, const EntryList &entries, Tensor &target, bool withValues) {
  int64_t widths[kMaxLevels];
  for (int64_t k = 0; k < target.order; ++k)
    widths[k] = target.levels[k].width;
  clearArrays(target);
  const Status status = Packing(allocator, entries, target).run(withValues);
  if (status == Status::Ok)
    return status;
  releaseArrays(allocator, target);
  for (int64_t k = 0; k < target.order; ++k)
    target.levels[k].width = widths[k];
  return status;
}

} // namespace spc::runtime
