#include "tune/cost_model.h"

#include "format/footprint.h"
#include "format/levels.h"

#include <algorithm>
#include <numeric>

namespace spc::tune {

namespace {

using format::Format;
using format::Level;
using format::LevelKind;
using format::Part;

/// The blocks that hold an entry; of blocks of 1 x 1, the places of entries.
struct Blocks {
  int64_t count = 0;
  std::vector<int64_t> along[2]; ///< by dimension: how many of them each row, or column, of blocks has
};

Blocks blocksOf(const Pattern &pattern, int64_t height, int64_t width) {
  std::vector<int64_t> lastSeen(static_cast<size_t>(pattern.columns / width + 1), -1);
  Blocks blocks;
  blocks.along[0].resize(static_cast<size_t>((pattern.rows + height - 1) / height));
  blocks.along[1].resize(lastSeen.size());
  for (int64_t row = 0; row < pattern.rows; ++row)
    for (int64_t k = pattern.begin[row]; k < pattern.begin[row + 1]; ++k) {
      const int64_t column = pattern.columnOf[k] / width;
      if (int64_t &seen = lastSeen[column]; seen != row / height) {
        seen = row / height;
        ++blocks.count;
        ++blocks.along[0][row / height];
        ++blocks.along[1][column];
      }
    }
  return blocks;
}

int64_t countDiagonals(const Pattern &pattern) {
  std::vector<bool> seen(pattern.rows + pattern.columns);
  for (int64_t row = 0; row < pattern.rows; ++row)
    for (int64_t k = pattern.begin[row]; k < pattern.begin[row + 1]; ++k)
      seen[pattern.columnOf[k] - row + pattern.rows] = true;
  return std::count(seen.begin(), seen.end(), true);
}

/// Entries beyond the first `width` of their row.
int64_t countOverflow(const Pattern &pattern, int64_t width) {
  int64_t more = 0;
  for (int64_t length : pattern.rowLengths())
    more += std::max<int64_t>(length - width, 0);
  return more;
}

/// Of a matrix format, what only the entries say of its levels (format::footprintOf).
std::vector<double> countsOf(const Pattern &pattern, const Format &format, const int64_t (&block)[2]) {
  const Blocks blocks = blocksOf(pattern, block[0], block[1]);
  const std::vector<int64_t> &along = blocks.along[format.levels.front().dim];
  std::vector<double> counts;
  for (int k = 0; k < format.levelCount(); ++k) {
    const Level &level = format.levels[k];
    double count = static_cast<double>(blocks.count);
    if (level.part == Part::Difference)
      count = static_cast<double>(countDiagonals(pattern));
    else if (format::kindOf(format, k) == LevelKind::FixedWidth)
      count = along.empty() ? 0 : static_cast<double>(*std::max_element(along.begin(), along.end()));
    else if (k == 0 && !format::continuesParent(format, 1))
      count = static_cast<double>(std::count_if(along.begin(), along.end(), [](int64_t own) { return own > 0; }));
    else if (format.symmetry != format::Symmetry::None)
      count /= 2;
    counts.push_back(count);
  }
  return counts;
}

/// Of as many entries of each row as the first part is wide, and of those that are left as the others list them.
StorageCost costOfSum(const Pattern &pattern, const Format &format, int valueBytes) {
  const auto left = static_cast<double>(countOverflow(pattern, *format.parts[0].levels.back().width));
  StorageCost total;
  for (const Format &part : format.parts) {
    const std::vector<double> counts(part.levels.size(), left);
    const format::Footprint stored = format::footprintOf(part, {pattern.rows, pattern.columns}, valueBytes, counts);
    total = {total.values + stored.values, total.bytes + stored.bytes, total.rowsRead + stored.values};
  }
  return total;
}

} // namespace

std::vector<int64_t> Pattern::rowLengths() const {
  std::vector<int64_t> lengths(rows);
  for (int64_t row = 0; row < rows; ++row)
    lengths[row] = begin[row + 1] - begin[row];
  return lengths;
}

Pattern patternOf(const tensor::Coordinates &matrix) {
  Pattern pattern{matrix.shape[0], matrix.shape[1], std::vector<int64_t>(matrix.shape[0] + 1), {}};
  for (size_t e = 0; e < matrix.size(); ++e)
    ++pattern.begin[matrix.coordinates[2 * e] + 1];
  std::partial_sum(pattern.begin.begin(), pattern.begin.end(), pattern.begin.begin());
  pattern.columnOf.resize(matrix.size());
  std::vector<int64_t> next(pattern.begin.begin(), pattern.begin.end() - 1);
  for (size_t e = 0; e < matrix.size(); ++e)
    pattern.columnOf[next[matrix.coordinates[2 * e]]++] = static_cast<int32_t>(matrix.coordinates[2 * e + 1]);
  return pattern;
}

StorageCost costOf(const Pattern &pattern, const Format &format, int valueBytes) {
  if (format.isSum())
    return costOfSum(pattern, format, valueBytes);
  int64_t block[2] = {1, 1};
  for (const Level &level : format.levels)
    if (level.part == Part::Quotient)
      block[level.dim] = level.block;
  const format::Footprint stored =
      format::footprintOf(format, {pattern.rows, pattern.columns}, valueBytes, countsOf(pattern, format, block));
  const double mirrored = format.symmetry == format::Symmetry::None ? 1 : 2;
  return {stored.values, stored.bytes, mirrored * stored.values / static_cast<double>(block[0])};
}

} // namespace spc::tune
