#include "format/levels.h"

#include <algorithm>

namespace spc::format {

LevelKind kindOf(const std::vector<Level> &levels, int k) {
  const auto place = static_cast<size_t>(k);
  const Level &level = levels[place];
  switch (level.extent) {
  case Extent::Fixed:
    if (level.isDense())
      return LevelKind::Dense;
    return level.width == 1 && k > 0 && !levels[place - 1].isDense() ? LevelKind::Singleton : LevelKind::FixedWidth;
  case Extent::Ragged:
  case Extent::Lengths:
    return level.isDense() ? LevelKind::RaggedDense : LevelKind::Compressed;
  case Extent::Closed:
    return level.isDense() ? LevelKind::ClosedDense : LevelKind::ClosedCompressed;
  }
  return LevelKind::Dense;
}

bool continuesParent(const std::vector<Level> &levels, int k) {
  return static_cast<size_t>(k) < levels.size() && kindOf(levels, k) == LevelKind::Singleton;
}

CoordinateRange coordinateRange(const Level &level) {
  switch (level.part) {
  case Part::Whole:
    return {.dim = level.dim};
  case Part::Quotient:
    return {.dim = level.dim, .block = level.block};
  case Part::Remainder:
    return {.block = level.block};
  case Part::Difference:
    return {.minus = level.minus, .dim = level.dim};
  }
  return {};
}

bool isCoordinateList(const Format &format) {
  if (format.levels.empty() || kindOf(format, 0) != LevelKind::Compressed || format.levels[0].hasLengths())
    return false;
  for (int k = 1; k < format.levelCount(); ++k)
    if (!continuesParent(format, k))
      return false;
  return true;
}

std::optional<int64_t> valuesPerEntry(const Format &format, int k) {
  int64_t values = 1;
  for (int below = k + 1; below < format.levelCount(); ++below) {
    const Level &level = format.levels[static_cast<size_t>(below)];
    std::optional<int64_t> each;
    switch (kindOf(format, below)) {
    case LevelKind::Dense:
      if (level.part == Part::Remainder)
        each = level.block;
      break;
    case LevelKind::Singleton:
    case LevelKind::FixedWidth:
      each = level.width;
      break;
    case LevelKind::Compressed:
    case LevelKind::RaggedDense:
    case LevelKind::ClosedDense:
    case LevelKind::ClosedCompressed:
      break;
    }
    if (!each || __builtin_mul_overflow(values, *each, &values))
      return std::nullopt;
  }
  return values;
}

int64_t triangleWeight(const Format &format, int k) {
  const Level &level = format.levels[static_cast<size_t>(k)];
  int64_t inDifference = level.dim == 1 ? 1 : -1;
  if (level.part == Part::Quotient)
    inDifference *= level.block;
  for (const Level &other : format.levels)
    if (level.part == Part::Whole && other.part == Part::Difference)
      inDifference = 0; // the difference says it all
  return format.symmetry != Symmetry::None && !storesLower(format.symmetry) ? -inDifference : inDifference;
}

bool hasPadding(const Format &format) {
  for (int k = 0; k < format.levelCount(); ++k)
    switch (kindOf(format, k)) {
    case LevelKind::FixedWidth:
    case LevelKind::RaggedDense:
    case LevelKind::ClosedDense:
    case LevelKind::ClosedCompressed:
      return true;
    case LevelKind::Dense:
    case LevelKind::Compressed:
    case LevelKind::Singleton:
      if (format.levels[static_cast<size_t>(k)].part != Part::Whole)
        return true;
    }
  return std::any_of(format.parts.begin(), format.parts.end(), hasPadding);
}

bool listsRuns(const Format &format) {
  bool isListed = false;
  for (int k = 0; k < format.levelCount(); ++k) {
    const bool isDense = kindOf(format, k) == LevelKind::Dense;
    if (isDense && isListed)
      return true;
    isListed |= !isDense;
  }
  return false;
}

bool takesZeroFill(const Format &format) {
  return hasPadding(format) || format.isSum() || listsRuns(format);
}

bool isElementwise(const Format &format) {
  const bool isWhole = std::all_of(format.levels.begin(), format.levels.end(),
                                   [](const Level &level) { return level.part == Part::Whole; });
  return isWhole && !format.isSum() && format.symmetry == Symmetry::None && !format.mayRepeat();
}

bool listsJustEntries(const Format &format) {
  return isElementwise(format) && !hasPadding(format);
}

bool isCanonical(const Format &format) {
  return listsJustEntries(format) &&
         std::all_of(format.levels.begin(), format.levels.end(), [](const Level &level) { return level.ordered; });
}

bool listsRowsOf(const Format &format, Format found) {
  Level &root = found.levels.front();
  root = {.dim = root.dim, .storage = Storage::Compressed, .extent = Extent::Ragged};
  return format.sameStorage(found);
}

bool hasFixedPattern(const Format &format) {
  for (int k = 0; k < format.levelCount(); ++k)
    if (const LevelKind kind = kindOf(format, k); kind != LevelKind::Dense && kind != LevelKind::ClosedDense)
      return false;
  return !format.isSum();
}

bool hasSlotsOutside(const Format &format) {
  return std::any_of(format.levels.begin(), format.levels.end(), [](const Level &level) {
    return level.part == Part::Remainder || level.part == Part::Difference;
  });
}

} // namespace spc::format
