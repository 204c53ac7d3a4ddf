#include "sema/plan/loop_order.h"

#include "sema/plan/lifted_loops.h"
#include "sema/plan/operand_progress.h"

#include <algorithm>
#include <map>
#include <optional>

namespace spc::sema {
namespace {

constexpr double kTie = 1 + 1e-9;
constexpr size_t kExhaustiveOperands = 7; ///< up to here every choice of copies is tried
constexpr int kMaxGreedyCopies = 4;       ///< beyond it, copies made for speed alone
constexpr size_t kGreedyTries = 64;       ///< … and the choices that are looked at first
constexpr size_t kTotalWork = 20'000'000; ///< elementary steps spent on one term, roughly
constexpr size_t kMinNodes = 20, kMaxNodes = 5000;

/// Where an assembled target's rows are not the outermost loops, entries of all rows are sorted together, by one
/// thread; where they are only in part, those of several.
constexpr double kUnorderedRows = 1000, kPartlyOrderedRows = 2;

// Nodes that one search may visit, so that a term's searches together stay within kTotalWork.
size_t searchBudget(const LoopProblem &problem) {
  size_t count = problem.sparse.size(), levels = 1;
  for (const SparseUse &use : problem.sparse)
    levels += use.levels.size();
  size_t searches = count <= kExhaustiveOperands ? size_t{1} << count : count * (kMaxGreedyCopies + 1);
  return std::clamp(kTotalWork / (searches * levels * (problem.extents.size() + 1)), kMinNodes, kMaxNodes);
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

// How badly dense operands are strided when `loop` is the innermost one; negative when most are contiguous.
int strideScore(const LoopProblem &problem, int loop) {
  int score = 0;
  for (const DenseUse &use : problem.dense) {
    if (std::find(use.loops.begin(), use.loops.end(), loop) != use.loops.end())
      score += use.loops.back() == loop ? -use.weight : use.weight;
  }
  return score;
}

std::vector<int> strideScores(const LoopProblem &problem) {
  std::vector<int> scores;
  for (int loop = 0; loop < problem.loopCount(); ++loop)
    scores.push_back(strideScore(problem, loop));
  return scores;
}

std::vector<OperandProgress> startOf(const LoopProblem &problem) {
  std::vector<OperandProgress> progress;
  for (const SparseUse &use : problem.sparse)
    progress.emplace_back(use, problem);
  return progress;
}

// How much dearer than its loops a candidate is for what it collects.
double collectingPenalty(const LoopProblem &problem, const std::vector<int> &order) {
  const size_t dims = problem.collected.size();
  if (dims < 2)
    return 1;
  size_t rows = 0;
  while (rows < dims - 1 && order[rows] == problem.collected[rows])
    ++rows;
  return rows == 0 ? kUnorderedRows : rows < dims - 1 ? kPartlyOrderedRows : 1;
}

// Loops that have an order to follow do so as those of a dense operand with levels in that order would.
LoopProblem withOrders(LoopProblem problem) {
  for (const std::vector<int> *order : {&problem.collected, &problem.prescribed}) {
    SparseUse use;
    for (int loop : *order)
      use.levels.push_back({{loop}, true, 0});
    if (!order->empty())
      problem.sparse.push_back(std::move(use));
  }
  return problem;
}

// Depth-first search over the orders of the loops over sparse operands.
class OrderSearch {
public:
  OrderSearch(const LoopProblem &problem, const std::vector<int> &scores)
      : problem_(problem), scores_(scores), progress_(startOf(problem)), placed_(problem.loopCount(), false),
        inSparse_(problem.loopCount(), false), budget_(searchBudget(problem)) {
    for (const OperandProgress &operand : progress_)
      for (int loop = 0; loop < problem.loopCount(); ++loop)
        inSparse_[loop] = inSparse_[loop] || operand.has(loop);
    sparseCount_ = std::count(inSparse_.begin(), inSparse_.end(), true);
    for (int loop = 0; loop < problem.loopCount(); ++loop)
      if (!inSparse_[loop])
        denseOrder_.push_back(loop);
    // Loops over dense dimensions only go inside, where they are run for stored entries only.
    std::stable_sort(denseOrder_.begin(), denseOrder_.end(), [&](int a, int b) { return scores[a] > scores[b]; });
  }

  std::optional<Candidate> run() {
    descend(1, 0);
    return best_;
  }

private:
  struct Step {
    int loop;
    double cost;       ///< of the loop, for one run of it
    double iterations; ///< of its body, for one run of it
  };

  /// How many coordinates of a loop a domain has, of which a loop's operands alone tell.
  double coordinatesIn(const DomainOver<int> &domain, int loop) const {
    const double extent = problem_.extents[loop];
    switch (domain.kind) {
    case DomainKind::Stored: {
      const OperandProgress &operand = progress_[domain.operand];
      return operand.has(loop) ? operand.fiberLength(loop).value_or(extent) : extent;
    }
    case DomainKind::Everywhere:
    case DomainKind::Missing:
      return extent;
    case DomainKind::All:
    case DomainKind::Any:
      break;
    }
    const bool isAny = domain.kind == DomainKind::Any;
    double coordinates = isAny ? 0 : extent;
    for (const DomainOver<int> &part : domain.parts) {
      const double ofPart = coordinatesIn(part, loop);
      coordinates = isAny ? std::min(coordinates + ofPart, extent) : std::min(coordinates, ofPart);
    }
    return coordinates;
  }

  std::optional<Step> stepTo(int loop) const {
    Step step{loop, 0, problem_.extents[loop]};
    int lists = 0;
    bool isTied = false;
    double longest = 0;
    for (const OperandProgress &operand : progress_) {
      if (!operand.has(loop))
        continue;
      if (!operand.isNext(loop))
        return std::nullopt;
      if (std::optional<double> length = operand.fiberLength(loop)) {
        ++lists;
        isTied |= operand.isTie();
        step.cost += *length;
        step.iterations = std::min(step.iterations, *length);
        longest = std::max(longest, *length);
      }
    }
    if (problem_.domain)
      step.iterations = coordinatesIn(*problem_.domain, loop);
    step.cost = std::max(step.cost, step.iterations);
    if (lists > 1 && (isTied || step.iterations <= 1)) // a tie's few coordinates are seldom another one's
      step.iterations *= longest / problem_.extents[loop];
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
    for (int loop = 0; loop < problem_.loopCount(); ++loop)
      if (inSparse_[loop] && !placed_[loop])
        if (std::optional<Step> step = stepTo(loop))
          steps.push_back(*step);
    std::stable_sort(steps.begin(), steps.end(), [](const Step &a, const Step &b) { return a.cost < b.cost; });
    for (const Step &step : steps) {
      place(step.loop, 1);
      descend(runs * step.iterations, cost + runs * step.cost);
      place(step.loop, -1);
    }
  }

  void place(int loop, int direction) {
    placed_[loop] = direction > 0;
    if (direction > 0)
      order_.push_back(loop);
    else
      order_.pop_back();
    for (OperandProgress &operand : progress_)
      if (operand.has(loop))
        operand.move(loop, direction);
  }

  void finish(double runs, double cost) {
    Candidate candidate{order_, {}, cost};
    for (const SparseUse &use : problem_.sparse)
      candidate.cost += use.copyCost;
    for (int loop : denseOrder_) {
      runs *= problem_.extents[loop];
      candidate.cost += runs;
      candidate.order.push_back(loop);
    }
    candidate.cost *= collectingPenalty(problem_, candidate.order);
    for (auto loop = candidate.order.rbegin(); loop != candidate.order.rend(); ++loop)
      candidate.strides.push_back(scores_[*loop]);
    if (!best_ || candidate.betterThan(*best_))
      best_ = std::move(candidate);
  }

  const LoopProblem &problem_;
  const std::vector<int> &scores_;
  std::vector<OperandProgress> progress_;
  std::vector<bool> placed_, inSparse_;
  long sparseCount_ = 0;
  std::vector<int> order_, denseOrder_;
  std::optional<Candidate> best_;
  size_t budget_, visited_ = 0;
};

// Is there an order that follows the levels of every operand? (Kahn's algorithm: opening a loop closes no way.)
bool hasOrder(const LoopProblem &problem) {
  std::vector<OperandProgress> progress = startOf(problem);
  std::vector<bool> placed(problem.loopCount(), false);
  for (bool advanced = true; advanced;) {
    advanced = false;
    for (int loop = 0; loop < problem.loopCount(); ++loop) {
      const bool isOpen = std::all_of(progress.begin(), progress.end(), [&](const OperandProgress &operand) {
        return !operand.has(loop) || operand.isNext(loop);
      });
      if (placed[loop] || !isOpen)
        continue;
      placed[loop] = advanced = true;
      for (OperandProgress &operand : progress)
        if (operand.has(loop))
          operand.move(loop, 1);
    }
  }
  return std::all_of(progress.begin(), progress.end(), [](const OperandProgress &operand) { return operand.isDone(); });
}

struct Choice {
  std::vector<bool> copied;
  Candidate candidate;
};

class CopyChoice {
public:
  CopyChoice(const std::vector<bool> &mayBeCopied, const ProblemFor &problemFor)
      : operands_(mayBeCopied.size()), mayBeCopied_(mayBeCopied), problemFor_(problemFor) {}

  std::optional<LoopPlan> run() {
    // One operand alone is visited once in its own order: a copy would visit it as well.
    std::optional<Choice> chosen = operands_ == 1 && !collects() ? tryCopies({false}) : std::nullopt;
    if (!chosen)
      chosen = operands_ <= kExhaustiveOperands ? exhaustive() : greedy();
    if (!chosen)
      return std::nullopt;
    return LoopPlan{chosen->candidate.order, chosen->copied, chosen->candidate.cost};
  }

private:
  std::optional<LoopProblem> problemIn(const std::vector<bool> &copied) const {
    std::optional<LoopProblem> problem = problemFor_(copied);
    return problem ? std::optional(withOrders(std::move(*problem))) : std::nullopt;
  }

  std::optional<Choice> tryCopies(std::vector<bool> copied) const {
    std::optional<LoopProblem> problem = problemIn(copied);
    if (!problem || !hasOrder(*problem))
      return std::nullopt;
    const std::vector<int> scores = strideScores(*problem);
    std::optional<Candidate> candidate = OrderSearch(*problem, scores).run();
    if (!candidate)
      return std::nullopt;
    liftStridedLoops(*problem, scores, candidate->order);
    return Choice{std::move(copied), std::move(*candidate)};
  }

  bool collects() const {
    std::optional<LoopProblem> problem = problemFor_(std::vector<bool>(operands_));
    return problem && !problem->collected.empty();
  }

  static void keepBetter(std::optional<Choice> &best, std::optional<Choice> other) {
    if (other && (!best || other->candidate.betterThan(best->candidate)))
      best = std::move(other);
  }

  // Fewer copies win unless more of them are far cheaper.
  static void takeIfWorth(std::optional<Choice> &chosen, std::optional<Choice> other) {
    if (other && (!chosen || other->candidate.cost * kOrderOfCost < chosen->candidate.cost))
      chosen = std::move(other);
  }

  std::optional<Choice> exhaustive() const {
    std::vector<std::optional<Choice>> bestByCopies(operands_ + 1);
    for (unsigned chosen = 0; chosen < 1u << operands_; ++chosen) {
      std::vector<bool> copied(operands_);
      for (size_t operand = 0; operand < operands_; ++operand)
        copied[operand] = chosen >> operand & 1;
      const bool isAllowed = std::equal(copied.begin(), copied.end(), mayBeCopied_.begin(), std::less_equal<bool>());
      if (!isAllowed)
        continue;
      keepBetter(bestByCopies[std::count(copied.begin(), copied.end(), true)], tryCopies(copied));
    }
    std::optional<Choice> chosen;
    for (auto &best : bestByCopies)
      takeIfWorth(chosen, std::move(best));
    return chosen;
  }

  bool isPossible(const std::vector<bool> &copied) const {
    std::optional<LoopProblem> problem = problemIn(copied);
    return problem && hasOrder(*problem);
  }

  // Which operands are copied if `first` is taken in place, and then one after the other as long as an order exists.
  std::vector<bool> copiedAfter(size_t first) const {
    std::vector<bool> copied = mayBeCopied_;
    for (size_t k = 0; k <= operands_; ++k) {
      const size_t operand = k == 0 ? first : k - 1;
      const bool before = copied[operand];
      copied[operand] = false;
      if (!isPossible(copied))
        copied[operand] = before;
    }
    return copied;
  }

  // Begins with several operands in turn, since those that disagree go by the first one, keeps the fewest copies, and
  // makes one more at a time while that is worth it.
  std::optional<Choice> greedy() const {
    std::map<size_t, std::optional<Choice>> bestByCopies;
    const size_t starts = std::clamp(kGreedyTries / operands_, size_t{1}, operands_);
    for (size_t first = 0; first < starts; ++first) {
      const std::vector<bool> copied = copiedAfter(first);
      keepBetter(bestByCopies[std::count(copied.begin(), copied.end(), true)], tryCopies(copied));
    }
    std::optional<Choice> chosen;
    for (auto &[copies, best] : bestByCopies)
      takeIfWorth(chosen, std::move(best));
    bool improved = chosen.has_value();
    for (int copies = 0; improved && copies < kMaxGreedyCopies; ++copies) {
      std::optional<Choice> next;
      for (size_t operand = 0; operand < operands_; ++operand) {
        if (chosen->copied[operand] || !mayBeCopied_[operand])
          continue;
        std::vector<bool> more = chosen->copied;
        more[operand] = true;
        keepBetter(next, tryCopies(more));
      }
      const double before = chosen->candidate.cost;
      takeIfWorth(chosen, std::move(next));
      improved = chosen->candidate.cost < before;
    }
    return chosen;
  }

  size_t operands_;
  const std::vector<bool> &mayBeCopied_;
  const ProblemFor &problemFor_;
};

} // namespace

std::optional<LoopPlan> chooseLoops(const std::vector<bool> &mayBeCopied, const ProblemFor &problemFor) {
  return CopyChoice(mayBeCopied, problemFor).run();
}

} // namespace spc::sema
