// Conversions in two phases: the symbolic one notes where each value goes.
#include "runtime/pack/plan_conversion.h"
#include "runtime/hot.h"
#include "runtime/integers.h"
#include "runtime/levels/locate.h"
#include "runtime/levels/rebased.h"
#include "runtime/levels/walk.h"
#include "runtime/pack/pack.h"
#include "runtime/plan.h"
#include "runtime/values.h"
#include "runtime/workers.h"

namespace spc::runtime {
namespace {

constexpr int64_t kLargestNarrow = INT32_MAX;

/// An array of positions, of 4 bytes where so many fit into them.
int64_t positionBytesFor(int64_t sources, int64_t places) {
  return sources < kLargestNarrow && places < kLargestNarrow ? 4 : 8;
}

/// Numbers that stand for the values of a source: one more than each one's position, so that none is 0.
class Numbered {
public:
  Numbered(const Allocator &allocator, const Tensor &source) : block_(allocator), tensor_(source) {
    // Converters are compiled for 4 or 8 bytes; those of other values take any.
    const bool isNarrow = source.valueBytes == 4;
    tensor_.valueBytes = isNarrow ? 4 : 8;
    tensor_.valueKind = ValueKind::Integer;
    Layout layout;
    layout.add(source.stored, tensor_.valueBytes);
    if ((isNarrow && source.stored >= kLargestNarrow) || !block_.allocate(layout))
      return;
    tensor_.values = block_.at(0);
    const Integers numbers(tensor_.values, tensor_.valueBytes);
    for (int64_t e = 0; e < source.stored; ++e)
      numbers.set(e, e + 1);
    isThere_ = true;
  }

  /// False where memory ran out, or there are too many.
  bool isThere() const { return isThere_; }
  const Tensor &tensor() const { return tensor_; }

private:
  Block block_;
  Tensor tensor_;
  bool isThere_ = false;
};

/// Whether the source's values are the target's, in their order.
bool areInOrder(Integers numbers, int64_t places, int64_t sources) {
  if (places != sources)
    return false;
  for (int64_t p = 0; p < places; ++p)
    if (numbers[p] != p + 1)
      return false;
  return true;
}

/// Whether each of the source's values has a place of its own among the numbers of a target.
bool areApart(Integers numbers, int64_t places, int64_t sources) {
  int64_t used = 0;
  for (int64_t p = 0; p < places; ++p) {
    if (numbers[p] < 0 || numbers[p] > sources)
      return false;
    used += numbers[p] != 0;
  }
  return used == sources;
}

/// A plan by numbers at their places.
Status planApart(const Allocator &allocator, Integers numbers, int64_t sources, const Tensor &target,
                 const Planning &planning) {
  PlanHead head = {};
  head.kind = PlanKind::Gather;
  head.sources = sources;
  head.positionBytes = positionBytesFor(sources, target.stored);
  PlanBlock block(allocator);
  const bool isCopy = areInOrder(numbers, target.stored, sources);
  const int64_t offset = block.add(isCopy ? 0 : target.stored, head.positionBytes);
  head.positions = isCopy ? 0 : offset;
  if (!block.allocate())
    return Status::Memory;
  const Integers positions(block.at(offset), head.positionBytes);
  for (int64_t p = 0; !isCopy && p < target.stored; ++p)
    positions.set(p, numbers[p]);
  block.hand(planning, target, head);
  return Status::Ok;
}

/// The place of coordinates in a matrix of rows, or in anything.
int64_t placeOf(const Tensor &target, bool isRows, const int64_t *coordinates) {
  if (!isRows)
    return positionOf(target, coordinates);
  const Level &row = target.levels[0], &list = target.levels[1];
  const int64_t at = coordinates[row.dimension], wanted = coordinates[list.dimension];
  int64_t low = load(list.pointers, target.pointerBytes, at);
  const int64_t end = load(list.pointers, target.pointerBytes, at + 1);
  for (int64_t high = end; low < high;) {
    const int64_t middle = low + (high - low) / 2;
    if (load(list.indices, target.indexBytes, middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end && load(list.indices, target.indexBytes, low) == wanted ? low : -1;
}

bool isMatrixOfRows(const Tensor &target) {
  return target.order == 2 && target.levels[0].kind == LevelKind::Dense && target.levels[0].part == Part::Whole &&
         target.levels[1].kind == LevelKind::Compressed && target.levels[1].part == Part::Whole &&
         target.levels[1].isOrdered != 0;
}

/// A plan by looking up the place of each entry: some are of the same place.
Status planSums(const Allocator &allocator, const Tensor &source, const Tensor &target, const Planning &planning) {
  PlanHead head = {};
  head.kind = PlanKind::Gather;
  head.sources = source.stored;
  head.positionBytes = positionBytesFor(source.stored, target.stored);
  PlanBlock block(allocator);
  head.starts = block.add(target.stored + 1, head.positionBytes);
  head.positions = block.add(source.stored, head.positionBytes);
  Layout layout;
  layout.add(source.stored, head.positionBytes);
  Block scratch(allocator);
  if (!block.allocate() || !scratch.allocate(layout))
    return Status::Memory;
  const Integers starts(block.at(head.starts), head.positionBytes), places(scratch.at(0), head.positionBytes);
  fillWithZeros(starts.as<void>(), (target.stored + 1) * head.positionBytes);
  const bool isRows = isMatrixOfRows(target);
  bool hasPlaces = true;
  int64_t walked = 0;
  const Status status = visitEntries(source, [&](int64_t, const int64_t *at) {
    const int64_t place = hasPlaces ? placeOf(target, isRows, at) : -1;
    hasPlaces = place >= 0;
    if (!hasPlaces)
      return;
    places.set(walked++, place);
    starts.set(place, starts[place] + 1);
  });
  if (status != Status::Ok || !hasPlaces)
    return status != Status::Ok ? status : Status::Pattern;
  int64_t before = 0;
  for (int64_t p = 0; p <= target.stored; ++p) {
    const int64_t count = starts[p];
    starts.set(p, before);
    before += p < target.stored ? count : 0;
  }
  const Integers positions(block.at(head.positions), head.positionBytes);
  walked = 0;
  // Each place's start moves to its end, that is where the next one's is.
  const Status again = visitEntries(source, [&](int64_t from, const int64_t *) {
    const int64_t place = places[walked++];
    positions.set(starts[place], from);
    starts.set(place, starts[place] + 1);
  });
  if (again != Status::Ok)
    return again;
  for (int64_t p = target.stored; p > 0; --p)
    starts.set(p, starts[p - 1]);
  starts.set(0, 0);
  block.hand(planning, target, head);
  return Status::Ok;
}

/// values[place] = source[position]; [begin, end) of the target.
template <typename V>
SPC_HOT void gatherApart(const uint32_t *positions, const V *from, V *to, int64_t begin, int64_t end) {
  const V zero = {};
  for (int64_t p = begin; p < end; ++p)
    to[p] = positions[p] != 0 ? from[positions[p] - 1] : zero;
}

/// Sums of numbers, in the order of the positions.
template <typename V>
SPC_HOT void gatherSums(const uint32_t *starts, const uint32_t *positions, const V *from, V *to, int64_t begin,
                        int64_t end) {
  int64_t e = starts[begin];
  for (int64_t p = begin; p < end; ++p) {
    const int64_t last = starts[p + 1];
    V sum = {};
    if (e < last)
      sum = from[positions[e++]];
    for (; e < last; ++e)
      sum = static_cast<V>(sum + from[positions[e]]);
    to[p] = sum;
  }
}

/// The same for values of any kind, positions of any width, and where zeros are no entries.
void gatherAny(const PlanHead &head, const Tensor &source, const Tensor &target, bool dropsZeros, int64_t begin,
               int64_t end) {
  const auto arrayAt = [&](int64_t offset) {
    return Integers(const_cast<void *>(arrayOf(head, offset)), head.positionBytes);
  };
  const Integers starts = arrayAt(head.starts), positions = arrayAt(head.positions);
  char *const to = static_cast<char *>(target.values);
  for (int64_t p = begin; p < end; ++p) {
    const bool isListed = head.starts != 0;
    const int64_t first = isListed ? starts[p] : p, last = isListed ? starts[p + 1] : p + 1;
    bool isSum = false;
    for (int64_t e = first; e < last; ++e) {
      const int64_t from = head.positions == 0 ? e : positions[e] - (isListed ? 0 : 1);
      if (from < 0 || (dropsZeros && isZero(source, from)))
        continue;
      putValue(source, source.values, from, target.values, p, isSum);
      isSum = true;
    }
    for (int64_t b = 0; !isSum && b < target.valueBytes; ++b)
      to[p * target.valueBytes + b] = 0;
  }
}

/// For values of one type: V where they are added up, Bits where they are moved.
template <typename V, typename Bits>
bool gatherKnown(const PlanHead &head, const Tensor &source, const Tensor &target, int64_t begin, int64_t end) {
  const auto *positions = static_cast<const uint32_t *>(arrayOf(head, head.positions));
  if (head.starts == 0) {
    gatherApart(positions, static_cast<const Bits *>(source.values), static_cast<Bits *>(target.values), begin, end);
    return true;
  }
  if (source.valueKind != ValueKind::Float)
    return false;
  gatherSums(static_cast<const uint32_t *>(arrayOf(head, head.starts)), positions,
             static_cast<const V *>(source.values), static_cast<V *>(target.values), begin, end);
  return true;
}

void gather(const PlanHead &head, const Tensor &source, const Tensor &target, bool dropsZeros, int64_t begin,
            int64_t end) {
  const int64_t bytes = source.valueBytes;
  // The C library's own copy knows from which size on a result had better pass the caches by.
  if (!dropsZeros && head.positions == 0 && head.starts == 0) {
    __builtin_memcpy(static_cast<char *>(target.values) + begin * bytes,
                     static_cast<const char *>(source.values) + begin * bytes,
                     static_cast<decltype(sizeof 0)>((end - begin) * bytes));
    return;
  }
  const bool isKnown = !dropsZeros && head.positions != 0 && head.positionBytes == 4 && (bytes == 8 || bytes == 4);
  if (isKnown && (bytes == 8 ? gatherKnown<double, uint64_t>(head, source, target, begin, end)
                             : gatherKnown<float, uint32_t>(head, source, target, begin, end)))
    return;
  gatherAny(head, source, target, dropsZeros, begin, end);
}

} // namespace

Status convertPlanned(const Workers &workers, const Tensor &source, Tensor &target, bool dropsZeros,
                      const Planning &planning) {
  const PlanHead *const head = openPlan(planning, target);
  if (!head || head->kind != PlanKind::Gather || head->sources != source.stored)
    return Status::Pattern;
  const int64_t tasks = tasksFor(workers, target.stored);
  forAll(workers, tasks, [&](int64_t task) {
    const int64_t begin = shareBegin(target.stored, task, tasks), end = shareBegin(target.stored, task + 1, tasks);
    gather(*head, source, target, dropsZeros, begin, end);
  });
  return Status::Ok;
}

extern "C" int32_t
spc_rt_plan_conversion(const Allocator *allocator, const Workers *workers, const Tensor *given, Tensor *target,
                       int32_t (*converter)(const Allocator *, const Workers *, const Tensor *, Tensor *, int64_t),
                       const Planning *planning) {
  const Rebased whole(*allocator, *given);
  if (whole.status() != Status::Ok)
    return static_cast<int32_t>(whole.status());
  const Tensor &source = whole.tensor();
  const Numbered numbered(*allocator, source);
  const ValueKind kind = target->valueKind;
  const int64_t bytes = target->valueBytes;
  target->valueKind = ValueKind::Integer;
  target->valueBytes = numbered.tensor().valueBytes;
  const bool isNumbered = numbered.isThere();
  const int32_t converted =
      converter(allocator, workers, isNumbered ? &numbered.tensor() : &source, target, isNumbered);
  void *numbers = target->values;
  const Integers byPlace(numbers, target->valueBytes);
  target->values = nullptr;
  target->valueKind = kind;
  target->valueBytes = bytes;
  if (converted != 0)
    return converted;
  const bool isApart = isNumbered && areApart(byPlace, target->stored, source.stored);
  const Status status = isApart ? planApart(*allocator, byPlace, source.stored, *target, *planning)
                                : planSums(*allocator, source, *target, *planning);
  releaseArray(*allocator, numbers);
  if (status != Status::Ok)
    releaseArrays(*allocator, *target);
  return static_cast<int32_t>(status);
}

} // namespace spc::runtime
