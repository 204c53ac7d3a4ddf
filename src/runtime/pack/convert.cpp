#include "runtime/runtime.h"

#include "runtime/levels/rebased.h"
#include "runtime/memory.h"
#include "runtime/pack/entry_reader.h"
#include "runtime/pack/pack.h"
#include "runtime/pack/rows.h"

#include <stddef.h>

namespace spc::runtime {
namespace {

bool hasCounts(const Tensor &source) {
  return source.stored >= 0 && source.levels[0].count >= 0;
}

Status sortEntries(const Allocator &allocator, const Tensor &given, Tensor &target, bool withValues, bool dropsZeros) {
  clearArrays(target);
  const Rebased whole(allocator, given);
  if (whole.status() != Status::Ok)
    return whole.status();
  const Tensor &source = whole.tensor();
  if (!hasCounts(source))
    return Status::Count;
  EntryReader reader(allocator);
  const Status status = reader.read(source, dropsZeros);
  return status == Status::Ok ? packEntries(allocator, reader.list(), target, withValues) : status;
}

Status convertSorted(const Allocator &allocator, const Workers & /*workers*/, const Tensor &source, Tensor &target,
                     bool withValues) {
  return sortEntries(allocator, source, target, withValues, false);
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
int32_t convertKnownRows(const Allocator &allocator, const Workers &workers, const Tensor &given, Tensor &target,
                         bool withValues) {
  constexpr int64_t most = largest(sizeof(I));
  clearArrays(target);
  const Rebased whole(allocator, given);
  if (whole.status() != Status::Ok)
    return static_cast<int32_t>(whole.status());
  const Tensor &source = whole.tensor();
  if (!hasCounts(source))
    return static_cast<int32_t>(Status::Count);
  if (source.stored > most || (source.stored > 0 && target.levels[1].extent - 1 > most))
    return static_cast<int32_t>(Status::IndexType);
  return static_cast<int32_t>(convertRows<build>(allocator, workers, source, target, withValues));
}

/// The function for a target and its widths; without values, that for any width of values will do.
auto chooseWay(const Tensor &source, const Tensor &target, bool withValues) {
  if (!hasCounts(source) || source.duplicates != Duplicates::Sum || !canBuildRows(source, target, withValues))
    return convertSorted;
  if (target.indexBytes == 8)
    return target.valueBytes == 4 ? convertRows<buildRows<int64_t, uint32_t>>
                                  : convertRows<buildRows<int64_t, uint64_t>>;
  return target.valueBytes == 4 ? convertRows<buildRows<int32_t, uint32_t>> : convertRows<buildRows<int32_t, uint64_t>>;
}

} // namespace

extern "C" int32_t spc_rt_convert(const Allocator *allocator, const Workers *workers, const Tensor *source,
                                  Tensor *target, int64_t withValues) {
  const Rebased whole(*allocator, *source);
  if (whole.status() != Status::Ok) {
    clearArrays(*target);
    return static_cast<int32_t>(whole.status());
  }
  const auto convert = chooseWay(whole.tensor(), *target, withValues != 0);
  return static_cast<int32_t>(convert(*allocator, *workers, whole.tensor(), *target, withValues != 0));
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

extern "C" int32_t spc_rt_convert_entries(const Allocator *allocator, const Workers * /*workers*/, const Tensor *source,
                                          Tensor *target, int64_t withValues) {
  const bool hasValues = withValues != 0;
  return static_cast<int32_t>(sortEntries(*allocator, *source, *target, hasValues, hasValues));
}

} // namespace spc::runtime
