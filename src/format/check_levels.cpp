// What makes a list of levels a format.
#include "format/levels.h"
#include "format/rule.h"

#include <algorithm>

namespace spc::format {

namespace {

using Problem = std::optional<LevelProblem>;

/// Whether parents of the level differ in how many entries they have, or where these begin, by what is known of them.
bool differsByParent(const std::vector<Level> &levels, int k) {
  switch (kindOf(levels, k)) {
  case LevelKind::RaggedDense:
  case LevelKind::ClosedDense:
  case LevelKind::ClosedCompressed:
    return true;
  case LevelKind::Compressed:
    return levels[k].hasLengths();
  case LevelKind::Dense:
  case LevelKind::Singleton:
  case LevelKind::FixedWidth:
    break;
  }
  return false;
}

bool isAllDenseAbove(const std::vector<Level> &levels, int k) {
  return std::all_of(levels.begin(), levels.begin() + k, [](const Level &level) { return level.isFullyDense(); });
}

Problem checkSingleton(const std::vector<Level> &levels, int k) {
  const Level &above = levels[k - 1];
  const bool isRagged = kindOf(levels, k - 1) == LevelKind::Compressed && !above.hasLengths();
  if (!isRagged && !continuesParent(levels, k - 1))
    return LevelProblem{k, true, "a singleton level has no ragged compressed level right above it",
                        "a singleton (compressed, fixed, width 1) continues the entries of a COO's outermost level"};
  if (isRagged && above.unique)
    return LevelProblem{k, true, "a singleton level below a unique level",
                        "a unique level has one entry for each coordinate: add \"unique\": false to the level above"};
  return std::nullopt;
}

Problem checkExtent(const std::vector<Level> &levels, int k) {
  const Level &level = levels[k];
  if (k == 0 && differsByParent(levels, k))
    return LevelProblem{k, true, "the outermost level has no parents whose entries could differ in number",
                        "a ragged extent belongs below another level"};
  if ((level.extent == Extent::Lengths || level.extent == Extent::Closed) && !isAllDenseAbove(levels, k))
    return LevelProblem{k, false, "an extent by lengths or in closed form below a level that is not dense",
                        "store every level above densely, or use offsets (\"extent\": \"ragged\")"};
  if (level.part == Part::Remainder && level.block == 1 && !level.isFullyDense())
    return LevelProblem{k, false, "the place in a block of 1 is stored as a list", "leave out the level"};
  if (level.part == Part::Remainder && kindOf(levels, k) == LevelKind::FixedWidth && level.width && level.unique &&
      *level.width > level.block)
    return LevelProblem{k, true,
                        "a block of " + std::to_string(level.block) + " has no " + std::to_string(*level.width) +
                            " different coordinates",
                        "the width is at most the block's size"};
  return std::nullopt;
}

Problem checkParts(const std::vector<Level> &levels, int k) {
  const Level &level = levels[k];
  const bool isRaggedDense = level.isDense() && !level.isFullyDense();
  const auto before = [&](const auto &matches) { return std::any_of(levels.begin(), levels.begin() + k, matches); };
  const auto anywhere = [&](const auto &matches) { return std::any_of(levels.begin(), levels.end(), matches); };
  if (level.part == Part::Remainder && !before([&](const Level &other) {
        return other.part == Part::Quotient && other.dim == level.dim && other.block == level.block;
      }))
    return LevelProblem{k, true,
                        "the place in a block of " + std::to_string(level.block) +
                            " stands without its block: no level further out stores it",
                        "store the block, with '/ " + std::to_string(level.block) + "', further out"};
  if (level.part == Part::Quotient && !anywhere([&](const Level &other) {
        return other.part == Part::Remainder && other.dim == level.dim && other.block == level.block;
      }))
    return LevelProblem{k, true, "a block of " + std::to_string(level.block) + " without the place in it",
                        "store the place, with '% " + std::to_string(level.block) + "', further in"};
  if (level.part == Part::Quotient && isRaggedDense)
    return LevelProblem{k, false, "a ragged dense level of blocks is not supported", "store the blocks compressed"};
  if (level.part == Part::Remainder && isRaggedDense)
    return LevelProblem{k, false, "a ragged extent inside of a block is not supported", "store the block whole"};
  if (level.part == Part::Difference && level.isDense())
    return LevelProblem{k, false, "diagonals stored densely are not supported",
                        "store the diagonals that there are: \"storage\": \"compressed\""};
  if (level.part == Part::Difference && !anywhere([&](const Level &other) {
        return other.part == Part::Whole && (other.dim == level.dim || other.dim == level.minus);
      }))
    return LevelProblem{k, true, "a difference of two dimensions needs one of them stored by another level",
                        "add a level for either of them"};
  return std::nullopt;
}

} // namespace

std::optional<LevelProblem> checkLevels(const std::vector<Level> &levels) {
  const int count = static_cast<int>(levels.size());
  for (int k = 0; k < count; ++k) {
    if (k == 0 && levels[k].hasWidthOne())
      return LevelProblem{k, true, "a singleton level has no ragged compressed level right above it",
                          "the outermost level is dense or compressed with a ragged extent"};
    if (continuesParent(levels, k)) {
      if (Problem problem = checkSingleton(levels, k))
        return problem;
    } else if (k > 0 && continuesParent(levels, k - 1)) {
      return LevelProblem{k, true, "a singleton level is followed by a level that is no singleton",
                          "in COO every level below the outermost is compressed, fixed, of width 1"};
    }
    if (Problem problem = checkExtent(levels, k))
      return problem;
    if (Problem problem = checkParts(levels, k))
      return problem;
  }
  return std::nullopt;
}

std::vector<int> timesStored(const std::vector<Level> &levels, int order) {
  std::vector<int> times(order);
  for (const Level &level : levels) {
    if (level.part == Part::Whole || level.part == Part::Quotient)
      ++times[level.dim];
    if (level.part != Part::Difference)
      continue;
    const bool storesMinus = std::any_of(levels.begin(), levels.end(), [&](const Level &other) {
      return other.part == Part::Whole && other.dim == level.minus;
    });
    ++times[storesMinus ? level.dim : level.minus];
  }
  return times;
}

} // namespace spc::format
