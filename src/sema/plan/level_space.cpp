#include "sema/plan/level_space.h"

#include "format/levels.h"

#include <algorithm>
#include <set>

namespace spc::sema {

using format::Format;
using format::Level;
using format::LevelKind;
using format::Part;

namespace {

std::vector<int> loopsOf(const Index &index) {
  std::vector<int> loops;
  for (const IndexTerm &term : index.terms)
    loops.push_back(static_cast<int>(term.loop.index()));
  return loops;
}

bool areDistinct(const SparseUse &use) {
  std::set<int> seen;
  for (const LevelUse &level : use.levels)
    for (int loop : level.loops)
      if (!seen.insert(loop).second)
        return false;
  return true;
}

bool storesWhole(const Format &format, int dim) {
  return std::any_of(format.levels.begin(), format.levels.end(),
                     [&](const Level &level) { return level.part == Part::Whole && level.dim == dim; });
}

/// The dimension that a level stands for when levels are counted by dimension: a block's quotient for both parts, a
/// difference for the dimension that is not stored whole.
std::optional<int> completedDimension(const Format &format, const Level &level) {
  if (level.part == Part::Remainder)
    return std::nullopt;
  return level.part == Part::Difference && !storesWhole(format, level.minus) ? level.minus : level.dim;
}

/// Whether the number of entries is a share of the number of elements: triangles, ragged rows, N:M.
bool growsWithItsSize(const Format &format) {
  return std::all_of(format.levels.begin(), format.levels.end(),
                     [](const Level &level) { return level.isDense() || level.part == Part::Remainder; });
}

/// An estimate of the entries under each parent.
double lengthOf(const Format &format, int k) {
  const Level &level = format.levels[k];
  if (level.part == Part::Difference)
    return kFiberLength;
  if (level.part == Part::Remainder)
    return static_cast<double>(level.block);
  switch (format::kindOf(format, k)) {
  case LevelKind::Dense:
  case LevelKind::RaggedDense:
  case LevelKind::ClosedDense:
    return kUnknownExtent;
  case LevelKind::Compressed:
  case LevelKind::Singleton:
  case LevelKind::FixedWidth:
  case LevelKind::ClosedCompressed:
    break;
  }
  return k == 0 ? kUnknownExtent : kFiberLength;
}

/// An estimate of one walk over all entries, level by level.
double walkCost(const Format &format) {
  double runs = 1, cost = 0;
  for (int k = 0; k < format.levelCount(); ++k) {
    runs *= lengthOf(format, k);
    cost += runs;
  }
  return cost;
}

/// Whether merging with another operand at this level gives each coordinate once, in order.
bool isMergeable(const Format &format, int k) {
  return format.levels[k].ordered && (format.levels[k].unique || format::continuesParent(format, k + 1));
}

} // namespace

std::optional<LevelSpace> LevelSpace::build(int variableCount, const std::vector<SparseAccess> &accesses,
                                            const std::vector<bool> &copied) {
  LevelSpace space(accesses, copied);
  if (!space.splitVariables(variableCount))
    return std::nullopt;
  space.makeLoops();
  return space;
}

bool LevelSpace::splitVariables(int variableCount) {
  splits_.resize(variableCount);
  for (size_t k = 0; k < accesses_->size(); ++k)
    if (!copied_[k] && !splitFor((*accesses_)[k]))
      return false;
  return std::all_of(splits_.begin(), splits_.end(),
                     [&](const Split &split) { return split.base < 0 || splits_[split.base].isWhole(); });
}

/// Splits variables as the operand's levels need it; false where another operand has split one in another way.
bool LevelSpace::splitFor(const SparseAccess &access) {
  const auto split = [&](int variable, Split wanted) {
    Split &now = splits_[variable];
    const bool fits = now.isWhole() || now == wanted;
    now = wanted;
    return fits;
  };
  for (const Level &level : access.format->levels) {
    const int variable = access.variables[level.dim];
    if (level.part == Part::Quotient || level.part == Part::Remainder) {
      if (!split(variable, {.block = level.block}))
        return false;
    } else if (level.part == Part::Difference) {
      const int minus = access.variables[level.minus];
      const bool fits = storesWhole(*access.format, level.minus) ? split(variable, {.base = minus})
                                                                 : split(minus, {.base = variable, .sign = -1});
      if (variable == minus || !fits)
        return false;
    }
  }
  return true;
}

void LevelSpace::makeLoops() {
  const int variableCount = static_cast<int>(splits_.size());
  std::vector<size_t> first(variableCount);
  const auto loopOf = [&](int v, size_t part = 0) { return LoopId(first[v] + part); };
  for (int v = 0; v < variableCount; ++v) {
    const Split &split = splits_[v];
    first[v] = loops_.size();
    if (split.block > 0) {
      loops_.push_back({Part::Quotient, v, -1, split.block});
      loops_.push_back({Part::Remainder, v, -1, split.block});
    } else if (split.base >= 0) {
      loops_.push_back(split.sign > 0 ? SpaceLoop{Part::Difference, v, split.base}
                                      : SpaceLoop{Part::Difference, split.base, v});
    } else {
      loops_.push_back({Part::Whole, v});
    }
  }
  for (int v = 0; v < variableCount; ++v) {
    const Split &split = splits_[v];
    if (split.block > 0)
      values_.push_back({{{loopOf(v), split.block}, {loopOf(v, 1), 1}}});
    else if (split.base >= 0)
      values_.push_back({{{loopOf(v), split.sign}, {loopOf(split.base), 1}}});
    else
      values_.push_back({{{loopOf(v), 1}}});
  }
}

std::optional<Index> LevelSpace::levelIndex(const Level &level, const std::vector<int> &variables) const {
  if (level.part == Part::Whole)
    return valueOf(variables[level.dim]);
  const int minus = level.part == Part::Difference ? variables[level.minus] : -1;
  for (size_t k = 0; k < loops_.size(); ++k) {
    const SpaceLoop &loop = loops_[k];
    if (loop.part == level.part && loop.variable == variables[level.dim] && loop.minus == minus &&
        loop.block == level.block)
      return Index{{{LoopId(k), 1}}};
  }
  return std::nullopt;
}

std::optional<SparseUse> LevelSpace::useInPlace(const SparseAccess &access) const {
  SparseUse use;
  for (const Level &level : access.format->levels) {
    std::optional<Index> index = levelIndex(level, access.variables);
    if (!index || (index->terms.size() > 1 && !(level.isFullyDense() && use.levels.empty())))
      return std::nullopt;
    const int k = static_cast<int>(use.levels.size());
    const bool isShort = access.isTie && !level.isFullyDense();
    use.levels.push_back({loopsOf(*index), level.isFullyDense(), isShort ? 1 : lengthOf(*access.format, k)});
  }
  return areDistinct(use) ? std::optional(std::move(use)) : std::nullopt;
}

/// The copy's levels in the order of the source's dimensions, but that one whose coordinate is a sum of loops must be
/// the dense root.
std::optional<SparseUse> LevelSpace::useOfCopy(const SparseAccess &access) const {
  SparseUse use;
  use.isCopied = true;
  use.copyCost = walkCost(*access.format);
  for (const Level &level : access.format->levels) {
    const std::optional<int> dim = completedDimension(*access.format, level);
    if (!dim)
      continue;
    // What is stored as a full block stays full in the copy, and as many entries as elements stay as many.
    const bool isBlock = &level != &access.format->levels.front() && level.isFullyDense() && !(&level - 1)->isDense();
    const bool isFull = isBlock || growsWithItsSize(*access.format);
    LevelUse copy{loopsOf(valueOf(access.variables[*dim])), level.isFullyDense(),
                  isFull ? kUnknownExtent : kFiberLength};
    if (access.isTie && !level.isFullyDense())
      use.solvedLevel = static_cast<int>(use.levels.size());
    if (copy.loops.size() == 1) {
      use.levels.push_back(std::move(copy));
      continue;
    }
    if (use.fixedLevels++ > 0)
      return std::nullopt;
    use.levels.insert(use.levels.begin(), std::move(copy));
  }
  return areDistinct(use) ? std::optional(std::move(use)) : std::nullopt;
}

std::optional<std::vector<SparseUse>> LevelSpace::uses() const {
  std::vector<SparseUse> uses;
  for (size_t k = 0; k < accesses_->size(); ++k) {
    const SparseAccess &access = (*accesses_)[k];
    if (access.mustBeCopied && !copied_[k])
      return std::nullopt;
    std::optional<SparseUse> use = copied_[k] ? useOfCopy(access) : useInPlace(access);
    if (!use)
      return std::nullopt;
    uses.push_back(std::move(*use));
  }
  return mayMerge(uses) ? std::optional(std::move(uses)) : std::nullopt;
}

bool LevelSpace::mayMerge(const std::vector<SparseUse> &uses) const {
  std::vector<int> listing(loops_.size()); ///< by loop: how many operands list their coordinates there
  for (const SparseUse &use : uses)
    for (size_t k = 0; k < use.levels.size(); ++k)
      if (use.isCopied ? static_cast<int>(k) >= use.fixedLevels : !use.levels[k].isDense)
        for (int loop : use.levels[k].loops)
          ++listing[loop];
  for (size_t operand = 0; operand < uses.size(); ++operand)
    for (size_t k = 0; !uses[operand].isCopied && k < uses[operand].levels.size(); ++k)
      if (!uses[operand].levels[k].isDense && listing[uses[operand].levels[k].loops.front()] > 1 &&
          !isMergeable(*(*accesses_)[operand].format, static_cast<int>(k)))
        return false;
  return true;
}

bool LevelSpace::mayIndexDense(const std::vector<int> &variables) const {
  for (auto variable = variables.begin(); variable != variables.end(); ++variable)
    if (std::find(variables.begin(), variable, splits_[*variable].base) != variable)
      return false;
  return true;
}

double LevelSpace::extentOf(int loop) const {
  return loops_[loop].part == Part::Remainder ? static_cast<double>(loops_[loop].block) : kUnknownExtent;
}

} // namespace spc::sema
