#include "sema/loop_order.h"

#include <algorithm>
#include <optional>

namespace spc::sema {
namespace {

constexpr double kExtent = 1e6;
constexpr double kFiber = 10;
constexpr double kWorthCopying = 100;
constexpr double kTie = 1 + 1e-9;
constexpr size_t kExhaustiveOperands = 5; ///< up to here every choice of copies is tried
constexpr int kMaxGreedyCopies = 4;       ///< beyond it, copies made for speed alone
constexpr size_t kTotalWork = 20'000'000; ///< elementary steps spent on one term, roughly
constexpr size_t kMinNodes = 20, kMaxNodes = 5000;

// Nodes that one search may visit, so that a term's searches together stay within kTotalWork.
size_t searchBudget(const LoopProblem &problem) {
  size_t count = problem.sparse.size(), levels = 1;
  for (const SparseUse &use : problem.sparse)
    levels += use.levels.size();
  size_t searches = count <= kExhaustiveOperands ? size_t{1} << count : count * kMaxGreedyCopies;
  return std::clamp(kTotalWork / (searches * levels * (problem.variableCount + 1)), kMinNodes, kMaxNodes);
}

struct Candidate {
  std::vector<int> order;
  std::vector<int> strides; ///< contiguity of the loops, innermost first; less is better
  double cost = 0;

  bool betterThan(const Candidate &other) const {
    if (cost * kTie < other.cost || other.cost * kTie < cost)
      return cost < other.cost;
    return strides < other.strides;
  }
};

// How badly dense operands are strided when `variable` is the innermost loop; negative when most are contiguous.
int strideScore(const LoopProblem &problem, int variable) {
  int score = 0;
  for (const DenseUse &use : problem.dense) {
    if (std::find(use.variables.begin(), use.variables.end(), variable) != use.variables.end())
      score += use.variables.back() == variable ? -use.weight : use.weight;
  }
  return score;
}

// Depth-first search over the orders of the variables that index sparse operands, for one choice of copies.
class OrderSearch {
public:
  OrderSearch(const LoopProblem &problem, std::vector<bool> copied, const std::vector<int> &scores)
      : problem_(problem), copied_(std::move(copied)), scores_(scores), done_(problem.sparse.size(), 0),
        placed_(problem.variableCount, false), inSparse_(problem.variableCount, false), budget_(searchBudget(problem)) {
    for (const SparseUse &use : problem.sparse)
      for (const LevelUse &level : use.levels)
        inSparse_[level.variable] = true;
    sparseCount_ = std::count(inSparse_.begin(), inSparse_.end(), true);
    for (int v = 0; v < problem.variableCount; ++v)
      if (!inSparse_[v])
        denseOrder_.push_back(v);
    // Loops over dense dimensions only go inside, where they are run for stored entries only.
    std::stable_sort(denseOrder_.begin(), denseOrder_.end(), [&](int a, int b) { return scores[a] > scores[b]; });
  }

  std::optional<Candidate> run() {
    descend(1, 0);
    return best_;
  }

private:
  struct Step {
    int variable;
    double cost;       ///< of the loop, for one run of it
    double iterations; ///< of its body, for one run of it
  };

  // The level of `use` that `variable` runs over, or -1.
  static int levelOf(const SparseUse &use, int variable) {
    for (size_t k = 0; k < use.levels.size(); ++k)
      if (use.levels[k].variable == variable)
        return static_cast<int>(k);
    return -1;
  }

  // Entries visited for each parent; nullopt for a dense level.
  std::optional<double> fiberLength(size_t operand, int level) const {
    const SparseUse &use = problem_.sparse[operand];
    if (!copied_[operand]) {
      if (use.levels[level].isDense)
        return std::nullopt;
      return level == 0 ? kExtent : kFiber;
    }
    if (done_[operand] == 0)
      return std::nullopt;
    // What is stored as a full block stays full in the copy.
    bool isBlock = level > 0 && use.levels[level].isDense && !use.levels[level - 1].isDense;
    return isBlock ? kExtent : kFiber;
  }

  std::optional<Step> stepTo(int variable) const {
    Step step{variable, 0, kExtent};
    bool iterates = false;
    for (size_t operand = 0; operand < problem_.sparse.size(); ++operand) {
      int level = levelOf(problem_.sparse[operand], variable);
      if (level < 0)
        continue;
      if (!copied_[operand] && level != done_[operand])
        return std::nullopt;
      if (std::optional<double> length = fiberLength(operand, level)) {
        iterates = true;
        step.cost += *length;
        step.iterations = std::min(step.iterations, *length);
      }
    }
    if (!iterates)
      step.cost = kExtent;
    return step;
  }

  void descend(double runs, double cost) {
    if (best_ && cost > best_->cost * kTie)
      return;
    if (static_cast<long>(order_.size()) == sparseCount_)
      return finish(runs, cost);
    if (best_ && ++visited_ > budget_)
      return;
    std::vector<Step> steps;
    for (int v = 0; v < problem_.variableCount; ++v)
      if (inSparse_[v] && !placed_[v])
        if (std::optional<Step> step = stepTo(v))
          steps.push_back(*step);
    std::stable_sort(steps.begin(), steps.end(), [](const Step &a, const Step &b) { return a.cost < b.cost; });
    for (const Step &step : steps) {
      place(step.variable, 1);
      descend(runs * step.iterations, cost + runs * step.cost);
      place(step.variable, -1);
    }
  }

  void place(int variable, int direction) {
    placed_[variable] = direction > 0;
    if (direction > 0)
      order_.push_back(variable);
    else
      order_.pop_back();
    for (size_t operand = 0; operand < problem_.sparse.size(); ++operand)
      if (levelOf(problem_.sparse[operand], variable) >= 0)
        done_[operand] += direction;
  }

  void finish(double runs, double cost) {
    Candidate candidate{order_, {}, cost};
    for (int variable : denseOrder_) {
      runs *= kExtent;
      candidate.cost += runs;
      candidate.order.push_back(variable);
    }
    for (auto variable = candidate.order.rbegin(); variable != candidate.order.rend(); ++variable)
      candidate.strides.push_back(scores_[*variable]);
    if (!best_ || candidate.betterThan(*best_))
      best_ = std::move(candidate);
  }

  const LoopProblem &problem_;
  std::vector<bool> copied_;
  const std::vector<int> &scores_;
  std::vector<int> done_; ///< levels of each sparse operand whose loops are open
  std::vector<bool> placed_, inSparse_;
  long sparseCount_ = 0;
  std::vector<int> order_, denseOrder_;
  std::optional<Candidate> best_;
  size_t budget_, visited_ = 0;
};

// Is there an order that follows the levels of every operand that is not copied? (Kahn's algorithm.)
bool hasOrder(const LoopProblem &problem, const std::vector<bool> &copied) {
  std::vector<size_t> done(problem.sparse.size(), 0);
  for (bool advanced = true; advanced;) {
    advanced = false;
    for (int v = 0; v < problem.variableCount; ++v) {
      bool isNext = true, isAny = false;
      for (size_t operand = 0; operand < problem.sparse.size(); ++operand) {
        const auto &levels = problem.sparse[operand].levels;
        for (size_t k = done[operand]; !copied[operand] && k < levels.size(); ++k) {
          if (levels[k].variable != v)
            continue;
          isAny = true;
          isNext &= k == done[operand];
        }
      }
      if (!isAny || !isNext)
        continue;
      advanced = true;
      for (size_t operand = 0; operand < problem.sparse.size(); ++operand) {
        const auto &levels = problem.sparse[operand].levels;
        if (!copied[operand] && done[operand] < levels.size() && levels[done[operand]].variable == v)
          ++done[operand];
      }
    }
  }
  for (size_t operand = 0; operand < problem.sparse.size(); ++operand)
    if (!copied[operand] && done[operand] < problem.sparse[operand].levels.size())
      return false;
  return true;
}

struct Choice {
  std::vector<bool> copied;
  Candidate candidate;
};

class CopyChoice {
public:
  explicit CopyChoice(const LoopProblem &problem) : problem_(problem) {
    for (int v = 0; v < problem.variableCount; ++v)
      scores_.push_back(strideScore(problem, v));
  }

  LoopPlan run() {
    std::optional<Choice> chosen = problem_.sparse.size() <= kExhaustiveOperands ? exhaustive() : greedy();
    liftStridedLoops(chosen->candidate.order);
    return {chosen->candidate.order, chosen->copied, chosen->candidate.cost};
  }

private:
  // A dense loop that would be strided innermost goes outermost where it repeats nothing but the walk over one sparse
  // operand (as much work in all): dense times CSR then runs along rows of all three matrices.
  void liftStridedLoops(std::vector<int> &order) const {
    if (problem_.sparse.size() != 1)
      return;
    const std::vector<LevelUse> &levels = problem_.sparse.front().levels;
    std::stable_partition(order.begin(), order.end(), [&](int variable) {
      bool isStored = std::any_of(levels.begin(), levels.end(), [&](LevelUse use) { return use.variable == variable; });
      return !isStored && problem_.indexesTarget[variable] && scores_[variable] > 0;
    });
  }

  std::optional<Choice> tryCopies(std::vector<bool> copied) const {
    for (size_t operand = 0; operand < copied.size(); ++operand)
      if (copied[operand] && !problem_.sparse[operand].mayBeCopied)
        return std::nullopt;
    if (!hasOrder(problem_, copied))
      return std::nullopt;
    std::optional<Candidate> candidate = OrderSearch(problem_, copied, scores_).run();
    return candidate ? std::optional(Choice{std::move(copied), std::move(*candidate)}) : std::nullopt;
  }

  static void keepBetter(std::optional<Choice> &best, std::optional<Choice> other) {
    if (other && (!best || other->candidate.betterThan(best->candidate)))
      best = std::move(other);
  }

  // Fewer copies win unless more of them are far cheaper.
  static void takeIfWorth(std::optional<Choice> &chosen, std::optional<Choice> other) {
    if (other && (!chosen || other->candidate.cost * kWorthCopying < chosen->candidate.cost))
      chosen = std::move(other);
  }

  std::optional<Choice> exhaustive() const {
    size_t count = problem_.sparse.size();
    std::vector<std::optional<Choice>> bestByCopies(count + 1);
    for (unsigned chosen = 0; chosen < 1u << count; ++chosen) {
      std::vector<bool> copied(count);
      for (size_t operand = 0; operand < count; ++operand)
        copied[operand] = chosen >> operand & 1;
      keepBetter(bestByCopies[std::count(copied.begin(), copied.end(), true)], tryCopies(copied));
    }
    std::optional<Choice> chosen;
    for (auto &best : bestByCopies)
      takeIfWorth(chosen, std::move(best));
    return chosen;
  }

  // Keeps operands in place as long as an order exists, then copies one at a time while that is worth it.
  std::optional<Choice> greedy() const {
    std::vector<bool> copied(problem_.sparse.size());
    for (size_t operand = 0; operand < copied.size(); ++operand)
      copied[operand] = problem_.sparse[operand].mayBeCopied;
    for (size_t operand = 0; operand < copied.size(); ++operand) {
      bool before = copied[operand];
      copied[operand] = false;
      if (!hasOrder(problem_, copied))
        copied[operand] = before;
    }
    std::optional<Choice> chosen = tryCopies(copied);
    bool improved = chosen.has_value();
    for (int copies = 0; improved && copies < kMaxGreedyCopies; ++copies) {
      std::optional<Choice> next;
      for (size_t operand = 0; operand < copied.size(); ++operand) {
        if (chosen->copied[operand])
          continue;
        std::vector<bool> more = chosen->copied;
        more[operand] = true;
        keepBetter(next, tryCopies(more));
      }
      double before = chosen->candidate.cost;
      takeIfWorth(chosen, std::move(next));
      improved = chosen->candidate.cost < before;
    }
    return chosen;
  }

  const LoopProblem &problem_;
  std::vector<int> scores_;
};

} // namespace

LoopPlan chooseLoops(const LoopProblem &problem) {
  return CopyChoice(problem).run();
}

} // namespace spc::sema
