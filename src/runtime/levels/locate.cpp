#include "runtime/levels/locate.h"

#include "runtime/levels/entries.h"
#include "runtime/levels/walk.h"

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

} // namespace spc::runtime
