#include "tune/cost_model.h"

#include <algorithm>
#include <numeric>

namespace spc::tune {

namespace {

using format::Format;
using format::Level;
using format::Part;

/// Blocks of a x b that hold an entry.
int64_t countBlocks(const Pattern &pattern, int64_t a, int64_t b) {
  std::vector<int64_t> lastSeen(pattern.columns / b + 1, -1);
  int64_t blocks = 0;
  for (int64_t row = 0; row < pattern.rows; ++row)
    for (int64_t k = pattern.begin[row]; k < pattern.begin[row + 1]; ++k)
      if (int64_t &seen = lastSeen[pattern.columnOf[k] / b]; seen != row / a) {
        seen = row / a;
        ++blocks;
      }
  return blocks;
}

/// The most blocks in a row of blocks, and the number of rows of blocks.
std::pair<int64_t, int64_t> widestBlockRow(const Pattern &pattern, int64_t a, int64_t b) {
  std::vector<int64_t> lastSeen(pattern.columns / b + 1, -1), counts((pattern.rows + a - 1) / a, 0);
  for (int64_t row = 0; row < pattern.rows; ++row)
    for (int64_t k = pattern.begin[row]; k < pattern.begin[row + 1]; ++k)
      if (int64_t &seen = lastSeen[pattern.columnOf[k] / b]; seen != row / a) {
        seen = row / a;
        ++counts[row / a];
      }
  return {counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end()), counts.size()};
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

StorageCost padded(double values, double lists, double segments, double readRows, const Format &format, int bytes) {
  return {values,
          values * bytes + lists * format::bits(format.indices) / 8 + segments * format::bits(format.pointers) / 8,
          readRows};
}

StorageCost costOfBlocks(const Pattern &pattern, const Format &format, int bytes) {
  int64_t block[2] = {1, 1};
  bool isFixedWidth = false, hasListedRows = false;
  for (const Level &level : format.levels) {
    if (level.part == Part::Quotient)
      block[level.dim] = level.block;
    isFixedWidth |= !level.isDense() && level.extent == format::Extent::Fixed;
  }
  hasListedRows = !format.levels.front().isDense();
  const double size = static_cast<double>(block[0] * block[1]);
  const auto [widest, rows] =
      isFixedWidth ? widestBlockRow(pattern, block[0], block[1]) : std::pair<int64_t, int64_t>{};
  const double blocks = isFixedWidth ? static_cast<double>(widest) * static_cast<double>(rows)
                                     : static_cast<double>(countBlocks(pattern, block[0], block[1]));
  const int64_t segments = isFixedWidth || hasListedRows ? 0 : pattern.rows / block[0] + 1;
  return padded(blocks * size, hasListedRows ? 2 * blocks : blocks, static_cast<double>(segments),
                blocks * static_cast<double>(block[1]), format, bytes);
}

StorageCost costOfSum(const Pattern &pattern, const Format &format, int bytes) {
  StorageCost total;
  for (const Format &part : format.parts) {
    const auto fixed = std::find_if(part.levels.begin(), part.levels.end(),
                                    [](const Level &level) { return !level.isDense() && level.width.value_or(1) > 1; });
    const auto width = fixed == part.levels.end() ? 0 : *fixed->width;
    const double values = width > 0 ? static_cast<double>(pattern.rows * width)
                                    : static_cast<double>(countOverflow(pattern, *format.parts[0].levels.back().width));
    const StorageCost cost = padded(values, width > 0 ? values : 2 * values, 0, values, part, bytes);
    total = {total.values + cost.values, total.bytes + cost.bytes, total.rowsRead + cost.rowsRead};
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
  const auto nnz = static_cast<double>(pattern.entries());
  const auto rows = static_cast<double>(pattern.rows), columns = static_cast<double>(pattern.columns);
  if (format.isSum())
    return costOfSum(pattern, format, valueBytes);
  if (format.isDense())
    return padded(rows * columns, 0, 0, rows * columns, format, valueBytes);
  const auto has = [&](auto test) { return std::any_of(format.levels.begin(), format.levels.end(), test); };
  if (has([](const Level &level) { return level.part == Part::Quotient; }))
    return costOfBlocks(pattern, format, valueBytes);
  if (has([](const Level &level) { return level.part == Part::Difference; })) {
    const double diagonals = static_cast<double>(countDiagonals(pattern));
    return padded(diagonals * rows, diagonals, 0, diagonals * rows, format, valueBytes);
  }
  const Level &outer = format.levels.front(), &inner = format.levels.back();
  if (outer.isDense() && !inner.isDense() && inner.extent == format::Extent::Fixed) {
    const std::vector<int64_t> lengths = pattern.rowLengths();
    const auto longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
    const double values = rows * static_cast<double>(inner.width ? *inner.width : longest);
    return padded(values, values, 0, values, format, valueBytes);
  }
  const double stored = format.symmetry == format::Symmetry::None ? nnz : nnz / 2;
  const double segments = outer.isDense() ? (outer.dim == 0 ? rows : columns) + 1 : 0;
  return padded(stored, outer.isDense() ? stored : 2 * stored, segments, nnz, format, valueBytes);
}

} // namespace spc::tune
