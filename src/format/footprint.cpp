#include "format/footprint.h"

#include "format/levels.h"

#include <algorithm>

namespace spc::format {

namespace {

/// How many coordinates a level may have.
double extentOf(const Level &level, const std::vector<int64_t> &shape) {
  const CoordinateRange range = coordinateRange(level);
  if (!range.dim)
    return static_cast<double>(range.block);
  const int64_t size = shape[static_cast<size_t>(*range.dim)];
  const auto count = static_cast<double>(size / range.block + (size % range.block != 0));
  return range.minus ? std::max(count + static_cast<double>(shape[static_cast<size_t>(*range.minus)]) - 1, 0.0) : count;
}

/// The lengths of a closed form under all coordinates of the level above, added up.
double sumOf(const ClosedForm &form, double parents, double extent) {
  const double each = static_cast<double>(form.constant) + static_cast<double>(form.size) * extent;
  return parents * each + static_cast<double>(form.slope) * (parents * (parents - 1) / 2);
}

/// Whether only the entries say how many positions a level has.
bool dependsOnEntries(const Format &format, int k) {
  const LevelKind kind = kindOf(format, k);
  return hasSegments(kind) || (kind == LevelKind::FixedWidth && !format.levels[static_cast<size_t>(k)].width);
}

/// The positions of level `k`, `above` being those of the level above it and `count` what the entries say.
double positionsOf(const Format &format, int k, const std::vector<int64_t> &shape, double above, double count) {
  const Level &level = format.levels[static_cast<size_t>(k)];
  switch (kindOf(format, k)) {
  case LevelKind::Dense:
    return above * extentOf(level, shape);
  case LevelKind::Singleton:
    return above;
  case LevelKind::FixedWidth:
    return above * (level.width ? static_cast<double>(*level.width) : count);
  case LevelKind::ClosedDense:
  case LevelKind::ClosedCompressed: {
    const double parents = extentOf(format.levels[static_cast<size_t>(k) - 1], shape);
    return parents > 0 ? above / parents * sumOf(level.length, parents, extentOf(level, shape)) : 0;
  }
  case LevelKind::Compressed:
  case LevelKind::RaggedDense:
    break;
  }
  return count;
}

} // namespace

Footprint footprintOf(const Format &format, const std::vector<int64_t> &shape, int valueBytes,
                      const std::vector<double> &counts) {
  constexpr int kBitsOfByte = 8;
  const int pointerBytes = bits(format.pointers) / kBitsOfByte, indexBytes = bits(format.indices) / kBitsOfByte;
  Footprint footprint;
  double above = 1;
  for (int k = 0; k < format.levelCount(); ++k) {
    const LevelKind kind = kindOf(format, k);
    const double positions = positionsOf(format, k, shape, above, counts[static_cast<size_t>(k)]);
    const bool hasLengths = format.levels[static_cast<size_t>(k)].hasLengths();
    if (listsCoordinates(kind))
      footprint.bytes += positions * indexBytes;
    if (hasSegments(kind) && (k > 0 || hasLengths))
      footprint.bytes += (hasLengths ? above : above + 1) * pointerBytes;
    footprint.positions.push_back(positions);
    above = positions;
  }
  footprint.values = above;
  footprint.bytes += above * valueBytes;
  return footprint;
}

Footprint leastFootprint(const Format &format, const std::vector<int64_t> &shape, int valueBytes, double entries) {
  int innermost = format.levelCount() - 1; // that depends on the entries; -1 without one
  while (innermost >= 0 && !dependsOnEntries(format, innermost))
    --innermost;
  std::vector<double> counts(format.levels.size(), std::min(entries, 1.0));
  double above = 1, below = 1;
  for (int k = 0; k < innermost; ++k)
    above = positionsOf(format, k, shape, above, counts[static_cast<size_t>(k)]);
  for (int k = innermost + 1; k < format.levelCount(); ++k)
    below = positionsOf(format, k, shape, below, 0);
  if (innermost >= 0) {
    const double positions = below > 0 ? entries / below : 0;
    const bool isWidth = kindOf(format, innermost) == LevelKind::FixedWidth;
    counts[static_cast<size_t>(innermost)] = !isWidth ? positions : above > 0 ? positions / above : 0;
  }
  return footprintOf(format, shape, valueBytes, counts);
}

} // namespace spc::format
