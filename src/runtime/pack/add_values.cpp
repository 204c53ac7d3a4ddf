// Adding a tensor's values to those of one that has their places. Freestanding.
#include "runtime/levels/entries.h"
#include "runtime/levels/locate.h"
#include "runtime/levels/rebased.h"
#include "runtime/memory.h"
#include "runtime/pack/add_rows.h"
#include "runtime/pack/plan_conversion.h"
#include "runtime/plan.h"
#include "runtime/values.h"

namespace spc::runtime {

/// Adds the entries of a tensor, whose positions start at 0, to the values at their places.
static Status addEntries(const Tensor &source, Tensor &target, bool dropsZeros) {
  bool hasPlaces = true;
  const Status status = visitEntries(source, [&](int64_t from, const int64_t *at) {
    if (dropsZeros && isZero(source, from))
      return;
    const int64_t to = hasPlaces ? positionOf(target, at) : -1;
    hasPlaces = to >= 0;
    if (hasPlaces)
      addValue(source, source.values, from, target.values, to);
  });
  return status == Status::Ok && !hasPlaces ? Status::Pattern : status;
}

/// Ok; Count.
static Status checkCounts(const Tensor &source) {
  return source.stored < 0 || source.levels[0].count < 0 ? Status::Count : Status::Ok;
}

extern "C" int32_t spc_rt_convert_values(const Allocator *allocator, const Workers *workers, const Tensor *given,
                                         Tensor *target, int64_t dropsZeros, const Planning *planning) {
  const Rebased whole(*allocator, *given);
  Status status = whole.status() == Status::Ok ? checkCounts(whole.tensor()) : whole.status();
  if (status == Status::Ok && hasPlan(planning))
    return static_cast<int32_t>(convertPlanned(*workers, whole.tensor(), *target, dropsZeros != 0, *planning));
  if (status == Status::Ok) {
    fillWithZeros(target->values, target->stored * target->valueBytes);
    status = addEntries(whole.tensor(), *target, dropsZeros != 0);
  }
  return static_cast<int32_t>(status);
}

extern "C" int32_t spc_rt_add_values(const Allocator *allocator, const Tensor *given, Tensor *target,
                                     int64_t dropsZeros, int64_t sets) {
  const Rebased whole(*allocator, *given);
  const Tensor &source = whole.tensor();
  const Status status = whole.status() == Status::Ok ? checkCounts(source) : whole.status();
  if (status != Status::Ok)
    return static_cast<int32_t>(status);
  if (sets != 0)
    fillWithZeros(target->values, target->stored * target->valueBytes);
  const bool keepsZeros = dropsZeros == 0;
  if (keepsZeros && RowAdder<int32_t, double>::fits(source, *target))
    return static_cast<int32_t>(RowAdder<int32_t, double>(source, *target).run());
  if (keepsZeros && RowAdder<int32_t, float>::fits(source, *target))
    return static_cast<int32_t>(RowAdder<int32_t, float>(source, *target).run());
  if (keepsZeros && RowAdder<int64_t, double>::fits(source, *target))
    return static_cast<int32_t>(RowAdder<int64_t, double>(source, *target).run());
  return static_cast<int32_t>(addEntries(source, *target, !keepsZeros));
}

} // namespace spc::runtime
