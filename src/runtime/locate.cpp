#include "runtime/locate.h"
#include "runtime/add_rows.h"
#include "runtime/entries.h"
#include "runtime/memory.h"
#include "runtime/plan.h"
#include "runtime/plan_conversion.h"
#include "runtime/rebased.h"
#include "runtime/values.h"

namespace spc::runtime {
namespace {

/// The coordinate of a place in a level.
int64_t partOf(const Level &level, const int64_t *coordinates) {
  const int64_t at = coordinates[level.dimension];
  switch (level.part) {
  case Part::Whole:
    return at;
  case Part::Quotient:
    return at / level.block;
  case Part::Remainder:
    return at % level.block;
  case Part::Difference:
    return at - coordinates[level.minus];
  }
  return at;
}

/// Compares entry `position` of the listed levels [first, last) with a place: negative where the entry comes first.
int compare(const Tensor &target, int64_t first, int64_t last, int64_t position, const int64_t *coordinates) {
  for (int64_t k = first; k < last; ++k) {
    const int64_t listed = coordinate(target, k, {position, 0, 0}), wanted = partOf(target.levels[k], coordinates);
    if (listed != wanted)
      return listed < wanted ? -1 : 1;
  }
  return 0;
}

/// The position of a place among the entries of the listed levels [first, last) between two positions, or -1.
int64_t search(const Tensor &target, int64_t first, int64_t last, const Cursor &range, const int64_t *coordinates) {
  int64_t low = range.position, high = range.end;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (compare(target, first, last, middle, coordinates) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < range.end && compare(target, first, last, low, coordinates) == 0)
    return low;
  for (int64_t position = range.position; position < range.end; ++position)
    if (compare(target, first, last, position, coordinates) == 0)
      return position;
  return -1;
}

} // namespace

int64_t positionOf(const Tensor &target, const int64_t *coordinates) {
  int64_t position = 0;
  for (int64_t k = 0; k < target.order;) {
    const Cursor range = open(target, k, position);
    if (!isListed(target.levels[k])) {
      position = range.first + partOf(target.levels[k], coordinates);
      if (position < range.position || position >= range.end)
        return -1;
      ++k;
      continue;
    }
    // Singletons share their parent's position: all levels of a list are searched at once.
    int64_t last = k + 1;
    while (last < target.order && target.levels[last].kind == LevelKind::Singleton)
      ++last;
    position = search(target, k, last, range, coordinates);
    if (position < 0)
      return -1;
    k = last;
  }
  return position;
}

Status visitEntries(const Tensor &source, void (*note)(void *closure, int64_t position, const int64_t *at),
                    void *closure) {
  return walkEntries(source, [=](int64_t position, const int64_t *at) { note(closure, position, at); });
}

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
