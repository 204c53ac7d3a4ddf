#include "runtime/runtime.h"

#include "runtime/entries.h"
#include "runtime/memory.h"
#include "runtime/pack.h"
#include "runtime/rows.h"

#include <stddef.h>

namespace spc::runtime {
namespace {

/// Reads the entries of a tensor into arrays that it owns.
class EntryReader {
public:
  explicit EntryReader(const Allocator &allocator) : block_(allocator) {}

  /// Ok; Memory; Count; IndexRange. The list lives as long as this object.
  Status read(const Tensor &source) {
    if (!allocate(source))
      return Status::Memory;
    if (isWholeList(source))
      return readList(source);
    return walkEntries(source, [this](int64_t position, const int64_t *at) {
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

  bool allocate(const Tensor &source) {
    int64_t bytes = source.stored > INT32_MAX ? 8 : 4;
    bool leavesSlotsOut = false;
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
    return true;
  }

  Block block_;
  EntryList list_{};
};

bool hasCounts(const Tensor &source) {
  return source.stored >= 0 && source.levels[0].count >= 0;
}

Status convertSorted(const Allocator &allocator, const Workers & /*workers*/, const Tensor &source, Tensor &target,
                     bool withValues) {
  clearArrays(target);
  if (!hasCounts(source))
    return Status::Count;
  EntryReader reader(allocator);
  const Status status = reader.read(source);
  return status == Status::Ok ? packEntries(allocator, reader.list(), target, withValues) : status;
}

template <auto build>
Status convertRows(const Allocator &allocator, const Workers &workers, const Tensor &source, Tensor &target,
                   bool withValues) {
  clearArrays(target);
  const Status status = build(allocator, workers, source, target, withValues);
  if (status != Status::Ok)
    releaseArrays(allocator, target);
  return status;
}

/// For tensors that are known to be what `build` takes, except for their sizes. Where a number does not fit the
/// pointers or the coordinates, no other way would help.
template <typename I, auto build>
int32_t convertKnownRows(const Allocator &allocator, const Workers &workers, const Tensor &source, Tensor &target,
                         bool withValues) {
  constexpr int64_t most = largest(sizeof(I));
  clearArrays(target);
  if (!hasCounts(source))
    return static_cast<int32_t>(Status::Count);
  if (source.stored > most || (source.stored > 0 && target.levels[1].extent - 1 > most))
    return static_cast<int32_t>(Status::IndexType);
  return static_cast<int32_t>(convertRows<build>(allocator, workers, source, target, withValues));
}

/// The function for a target and its widths; without values, that for any width of values will do.
auto chooseWay(const Tensor &source, const Tensor &target, bool withValues) {
  if (!hasCounts(source) || !canBuildRows(source, target, withValues))
    return convertSorted;
  if (target.indexBytes == 8)
    return target.valueBytes == 4 ? convertRows<buildRows<int64_t, uint32_t>>
                                  : convertRows<buildRows<int64_t, uint64_t>>;
  return target.valueBytes == 4 ? convertRows<buildRows<int32_t, uint32_t>> : convertRows<buildRows<int32_t, uint64_t>>;
}

} // namespace

extern "C" int32_t spc_rt_convert(const Allocator *allocator, const Workers *workers, const Tensor *source,
                                  Tensor *target, int64_t withValues) {
  const auto convert = chooseWay(*source, *target, withValues != 0);
  return static_cast<int32_t>(convert(*allocator, *workers, *source, *target, withValues != 0));
}

#define SPC_DEFINE_CONVERTERS(INDEX, VALUE, I, V)                                                                      \
  extern "C" int32_t spc_rt_convert_rows_##INDEX##_##VALUE(const Allocator *allocator, const Workers *workers,         \
                                                           const Tensor *source, Tensor *target, int64_t withValues) { \
    return convertKnownRows<I, buildRows<I, V>>(*allocator, *workers, *source, *target, withValues != 0);              \
  }                                                                                                                    \
  extern "C" int32_t spc_rt_convert_unique_rows_##INDEX##_##VALUE(                                                     \
      const Allocator *allocator, const Workers *workers, const Tensor *source, Tensor *target, int64_t withValues) {  \
    return convertKnownRows<I, transposeRows<I, V>>(*allocator, *workers, *source, *target, withValues != 0);          \
  }
SPC_DEFINE_CONVERTERS(4, 4, int32_t, uint32_t)
SPC_DEFINE_CONVERTERS(4, 8, int32_t, uint64_t)
SPC_DEFINE_CONVERTERS(8, 4, int64_t, uint32_t)
SPC_DEFINE_CONVERTERS(8, 8, int64_t, uint64_t)
#undef SPC_DEFINE_CONVERTERS

extern "C" int32_t spc_rt_convert_sorted(const Allocator *allocator, const Workers *workers, const Tensor *source,
                                         Tensor *target, int64_t withValues) {
  return static_cast<int32_t>(convertSorted(*allocator, *workers, *source, *target, withValues != 0));
}

} // namespace spc::runtime
