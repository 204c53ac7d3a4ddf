// The entries of a tensor in any format as a list. Freestanding.
#pragma once

#include "runtime/levels/entries.h"
#include "runtime/memory.h"
#include "runtime/pack/pack.h"
#include "runtime/values.h"

namespace spc::runtime {

/// Reads the entries of a tensor into arrays that it owns.
class EntryReader {
public:
  explicit EntryReader(const Allocator &allocator) : block_(allocator) {}

  /// Leaves out what is stored as 0 where `dropsZeros`, for which values are read.
  /// Ok; Memory; Count; IndexRange. The list lives as long as this object.
  Status read(const Tensor &source, bool dropsZeros) {
    if (!allocate(source, dropsZeros))
      return Status::Memory;
    if (isWholeList(source) && !dropsZeros)
      return readList(source);
    return walkEntries(source, [&](int64_t position, const int64_t *at) {
      if (dropsZeros && isZero(source, position))
        return;
      for (int64_t d = 0; d < list_.order; ++d)
        list_.at[d].set(list_.count, at[d]);
      if (!list_.from.isNull())
        list_.from.set(list_.count, position);
      ++list_.count;
    });
  }
  const EntryList &list() const { return list_; }

private:
  /// Whether every level lists a whole dimension, and the entries one after the other.
  static bool isWholeList(const Tensor &source) {
    bool isList = source.levels[0].kind == LevelKind::Compressed;
    for (int64_t k = 0; k < source.order; ++k)
      isList &= source.levels[k].part == Part::Whole && (k == 0 || source.levels[k].kind == LevelKind::Singleton);
    return isList;
  }

  Status readList(const Tensor &source) {
    if (source.levels[0].count != source.stored)
      return Status::Count;
    for (int64_t k = 0; k < source.order; ++k)
      if (!readColumn(source, k))
        return Status::IndexRange;
    list_.count = source.stored;
    return Status::Ok;
  }

  SPC_HOT bool readColumn(const Tensor &source, int64_t k) {
    const Level &level = source.levels[k];
    const Integers column = list_.at[level.dimension];
    bool isInside = true;
    for (int64_t e = 0; e < source.stored; ++e) {
      const int64_t at = load(level.indices, source.indexBytes, e * level.stride + level.offset);
      isInside &= at >= 0 && at < level.extent;
      column.set(e, at);
    }
    return isInside;
  }

  bool allocate(const Tensor &source, bool dropsZeros) {
    int64_t bytes = source.stored > INT32_MAX ? 8 : 4;
    bool leavesSlotsOut = dropsZeros;
    for (int64_t k = 0; k < source.order; ++k) {
      const Level &level = source.levels[k];
      if (level.extent > INT32_MAX || level.minusExtent > INT32_MAX)
        bytes = 8;
      leavesSlotsOut |= level.part == Part::Quotient || level.part == Part::Difference;
      const int64_t last =
          level.part == Part::Difference && level.minus > level.dimension ? level.minus : level.dimension;
      list_.order = last < list_.order ? list_.order : last + 1;
    }
    int64_t offsets[kMaxOrder + 1];
    Layout layout;
    for (int64_t d = 0; d < list_.order + leavesSlotsOut; ++d)
      offsets[d] = layout.add(source.stored, bytes);
    if (!block_.allocate(layout))
      return false;
    for (int64_t d = 0; d < list_.order; ++d)
      list_.at[d] = {block_.at(offsets[d]), bytes};
    if (leavesSlotsOut)
      list_.from = {block_.at(offsets[list_.order]), bytes};
    list_.values = source.values;
    list_.duplicates = source.duplicates;
    return true;
  }

  Block block_;
  EntryList list_{};
};

} // namespace spc::runtime
