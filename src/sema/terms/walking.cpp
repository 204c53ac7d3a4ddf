#include "sema/terms/walking.h"

#include "sema/estimates.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace spc::sema {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

class OrderSearch {
public:
  OrderSearch(const std::vector<const Walked *> &operands, const std::vector<double> &extents) : operands_(operands) {
    std::vector<size_t> loops;
    for (size_t number = 0; number < operands.size(); ++number)
      for (const Walked::Level &level : operands[number]->levels)
        if (std::find(loops.begin(), loops.end(), level.loop) == loops.end())
          loops.push_back(level.loop);
    count_ = loops.size();
    if (count_ > kMostWalked)
      return;
    for (size_t loop = 0; loop < count_; ++loop) {
      extents_[loop] = extents[loops[loop]];
      for (size_t number = 0; number < operands.size(); ++number) {
        const std::vector<Walked::Level> &levels = operands[number]->levels;
        const auto own = std::find_if(levels.begin(), levels.end(),
                                      [&](const Walked::Level &level) { return level.loop == loops[loop]; });
        levels_[loop][number] = own == levels.end() ? kNoLevel : static_cast<size_t>(own - levels.begin());
      }
    }
  }

  size_t loops() const { return count_; }

  /// The fewest steps with some operands copied, a bit for each, or any number that is no more than `enough`; infinity
  /// where there is no order.
  double run(unsigned copied, double enough) {
    for (size_t number = 0; number < operands_.size(); ++number) {
      isCopied_[number] = operands_[number]->isFree || (copied >> number & 1);
      done_[number] = 0;
      left_[number] = operands_[number]->entries;
    }
    best_ = kNone;
    enough_ = enough;
    descend(0, 1, 0);
    return best_;
  }

private:
  static constexpr size_t kNoLevel = ~size_t{0};

  /// Loops that are open: a bit for each. `runs`: how often the next one does.
  void descend(unsigned open, double runs, double cost) {
    if (cost >= best_ || best_ <= enough_)
      return;
    if (open + 1 == 1u << count_) {
      best_ = cost;
      return;
    }
    for (size_t loop = 0; loop < count_; ++loop) {
      double steps = 0, iterations = extents_[loop];
      if ((open >> loop & 1) || !stepTo(loop, steps, iterations))
        continue;
      for (size_t number = 0; number < operands_.size(); ++number)
        if (levels_[loop][number] != kNoLevel) {
          ++done_[number];
          left_[number] /= extents_[loop];
        }
      descend(open | 1u << loop, runs * iterations, cost + runs * steps);
      for (size_t number = 0; number < operands_.size(); ++number)
        if (levels_[loop][number] != kNoLevel) {
          --done_[number];
          left_[number] *= extents_[loop];
        }
    }
  }

  /// What a loop takes for one run of what is around it; false where an operand does not come to its levels in this
  /// order.
  bool stepTo(size_t loop, double &steps, double &iterations) const {
    for (size_t number = 0; number < operands_.size(); ++number) {
      const size_t level = levels_[loop][number];
      if (level == kNoLevel)
        continue;
      if (!isCopied_[number] && level != done_[number])
        return false;
      if (isCopied_[number] ? done_[number] == 0 : operands_[number]->levels[level].isDense)
        continue;
      const double length = std::clamp(left_[number], 1.0, extents_[loop]);
      steps += length;
      iterations = std::min(iterations, length);
    }
    if (steps == 0)
      steps = iterations;
    return true;
  }

  const std::vector<const Walked *> &operands_;
  size_t count_ = 0;                                                     ///< loops
  std::array<std::array<size_t, kMostWalked>, kMostWalked> levels_ = {}; ///< by loop and operand
  std::array<double, kMostWalked> extents_ = {};
  std::array<bool, kMostWalked> isCopied_ = {};
  std::array<size_t, kMostWalked> done_ = {}; ///< levels, by operand
  std::array<double, kMostWalked> left_ = {}; ///< entries for each coordinate that is fixed
  double best_ = kNone, enough_ = 0;
};

} // namespace

Walked walkedAs(const Stored &stored, const std::vector<VariableId> &loops, const std::vector<double> &extents,
                std::optional<double> entries) {
  Walked operand;
  double longest = 1, places = 1;
  for (const Stored::Level &level : stored.levels) {
    const size_t loop = placeOf(level.variable, loops);
    operand.levels.push_back({loop, level.isDense});
    longest = std::max(longest, extents[loop]);
    places *= extents[loop];
  }
  operand.entries = entries.value_or(std::min(places, longest * kFiberLength));
  operand.copying = stored.isConstant ? 0 : operand.entries;
  operand.mayBeCopied = stored.levels.size() > 1;
  return operand;
}

Walking cheapestWalking(const std::vector<const Walked *> &operands, const std::vector<double> &extents,
                        double places) {
  if (operands.empty() || operands.size() > kMostWalked)
    return {};
  OrderSearch search(operands, extents);
  if (search.loops() > kMostWalked)
    return {};
  Walking chosen{kNone, 0};
  // No order takes fewer steps than there are places: more copies can save no order of cost then.
  const double enough = places * kOrderOfCost;
  for (int copies = 0; copies <= static_cast<int>(operands.size()) && chosen.steps > enough; ++copies) {
    Walking best{kNone, 0};
    for (unsigned copied = 0; copied < 1u << operands.size(); ++copied) {
      if (std::popcount(copied) != copies)
        continue;
      Walking walking;
      bool isAllowed = true;
      for (size_t number = 0; number < operands.size(); ++number)
        if (copied >> number & 1) {
          isAllowed = isAllowed && operands[number]->mayBeCopied && !operands[number]->isFree;
          walking.copied += operands[number]->copying;
        }
      walking.steps = isAllowed ? search.run(copied, copies == 0 ? enough : 0) : kNone;
      if (walking.steps < best.steps || (walking.steps == best.steps && walking.copied < best.copied))
        best = walking;
    }
    if (best.steps * kOrderOfCost < chosen.steps)
      chosen = best;
  }
  return chosen.steps < kNone ? chosen : Walking{};
}

bool walkTogether(const std::vector<Stored> &operands, const Scope &scope, const Kernel &kernel) {
  std::vector<VariableId> loops;
  std::vector<double> extents;
  for (const Stored &stored : operands)
    for (const Stored::Level &level : stored.levels)
      if (!has(loops, level.variable)) {
        loops.push_back(level.variable);
        extents.push_back(extentEstimate(level.variable, scope, kernel));
      }
  std::vector<Walked> walked;
  std::vector<const Walked *> lists;
  double most = 1;
  walked.reserve(operands.size());
  for (const Stored &stored : operands) {
    lists.push_back(&walked.emplace_back(walkedAs(stored, loops, extents)));
    most = std::max(most, walked.back().entries);
  }
  const Walking walking = cheapestWalking(lists, extents, most);
  return walking.copied == 0 && walking.steps <= most * kOrderOfCost;
}

} // namespace spc::sema
