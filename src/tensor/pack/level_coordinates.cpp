#include "tensor/pack/level_coordinates.h"

#include "format/levels.h"

#include <algorithm>

namespace spc::tensor {

using format::Level;
using format::Part;

LevelRange rangeOf(const Level &level, const std::vector<int64_t> &shape) {
  const format::CoordinateRange range = format::coordinateRange(level);
  if (!range.dim)
    return {0, range.block};
  const int64_t size = shape[*range.dim], low = range.minus ? 1 - shape[*range.minus] : 0;
  int64_t count;
  if (__builtin_sub_overflow(size / range.block + (size % range.block != 0), low, &count))
    count = INT64_MAX;
  return {low, range.minus ? std::max<int64_t>(count, 0) : count};
}

Coordinates toLevels(const Coordinates &entries, const format::Format &format) {
  const size_t order = entries.shape.size(), levels = format.levels.size();
  Coordinates result;
  std::vector<int64_t> lows;
  for (const Level &level : format.levels) {
    const LevelRange range = rangeOf(level, entries.shape);
    result.shape.push_back(range.count);
    lows.push_back(range.low);
  }
  result.values = entries.values;
  result.imaginary = entries.imaginary;
  result.rests = entries.rests;
  result.coordinates.reserve(entries.size() * levels);
  for (size_t e = 0; e < entries.size(); ++e) {
    const int64_t *at = entries.coordinates.data() + e * order;
    for (size_t k = 0; k < levels; ++k) {
      const Level &level = format.levels[k];
      int64_t coordinate = at[level.dim];
      if (level.part == Part::Quotient)
        coordinate /= level.block;
      else if (level.part == Part::Remainder)
        coordinate %= level.block;
      else if (level.part == Part::Difference)
        coordinate -= at[level.minus];
      result.coordinates.push_back(coordinate - lows[k]);
    }
  }
  return result;
}

int64_t valueOf(const format::ClosedForm &form, int64_t parent, int64_t size) {
  return form.constant + form.slope * parent + form.size * size;
}

} // namespace spc::tensor
