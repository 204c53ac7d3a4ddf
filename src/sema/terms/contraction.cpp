#include "sema/terms/contraction.h"

#include "sema/estimates.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <set>

namespace spc::sema {
namespace {

using Set = uint64_t; ///< of variables, or of factors

constexpr size_t kMostVariables = 64;
constexpr double kListingCost = 2;      ///< of an entry that is collected, in steps
constexpr double kWithRepeats = 0.5;    ///< how many of the products that are added up have a place of their own
constexpr double kLeastSaving = 1.25;   ///< a plan in parts is left alone unless it saves as much
constexpr double kUntiledStep = 1.5;    ///< of a nest of three dense factors or more, which is no product of matrices
constexpr double kScatteredStep = 1.05; ///< of a nest that comes to an element again and again
constexpr double kGuardedStep = 1.25;   ///< of a nest that asks whether a part has an entry

/// What a nest reads: a factor, or a part.
struct Input {
  Set variables = 0;
  double entries = 1;
  bool isSparse = false;
  std::vector<Set> levels = {}; ///< of a sparse operand: each one's variable, outermost first
};

/// The best way to compute what a set of sums gives.
struct Best {
  double cost = 0;
  Input result;
  Contraction plan;
};

/// The variables of an array along whose innermost loop all that it is computed of is read in order, its parts being
/// stored for that.
std::vector<VariableId> contiguousIn(const Contraction &plan, const ContractionSpace &space) {
  std::vector<VariableId> list;
  if (plan.isListed || plan.mask)
    return list;
  std::copy_if(plan.variables.begin(), plan.variables.end(), std::back_inserter(list), [&](VariableId variable) {
    return std::none_of(plan.factors.begin(), plan.factors.end(),
                        [&](size_t k) { return has(space.factors[k].strided, variable); }) &&
           std::all_of(plan.parts.begin(), plan.parts.end(), [&](const Contraction &part) {
             return !has(part.variables, variable) || has(contiguousIn(part, space), variable);
           });
  });
  return list;
}

/// Puts the variables of each part in the order in which loops of a dense product come to them where it is read: what
/// is added up within the result's last dimension. Where all of the reader is dense, the part's own loop over its last
/// dimension counts as much: that is one along which its operands lie in order.
void orderForReaders(Contraction &plan, const ContractionSpace &space) {
  if (plan.parts.empty())
    return;
  std::vector<VariableId> loops = plan.variables;
  const auto last = loops.empty() ? loops.end() : loops.end() - 1;
  loops.insert(last, plan.sums.begin(), plan.sums.end());
  const bool isDense =
      std::none_of(plan.factors.begin(), plan.factors.end(), [&](size_t k) { return space.factors[k].isSparse; });
  for (Contraction &part : plan.parts) {
    std::sort(part.variables.begin(), part.variables.end(), [&](VariableId a, VariableId b) {
      return std::find(loops.begin(), loops.end(), a) < std::find(loops.begin(), loops.end(), b);
    });
    const std::vector<VariableId> contiguous = contiguousIn(part, space);
    if (isDense && !contiguous.empty() && !has(contiguous, part.variables.back()))
      std::stable_partition(part.variables.begin(), part.variables.end(),
                            [&](VariableId variable) { return variable != contiguous.back(); });
    orderForReaders(part, space);
  }
}

class Planner {
public:
  explicit Planner(const ContractionSpace &space) : space_(space) {
    for (const std::vector<VariableId> *list : {&space.targets, &space.sums})
      for (VariableId variable : *list) {
        variables_.push_back(variable);
        extents_.push_back(space.extents.at(variable));
      }
    for (const ContractionFactor &factor : space.factors) {
      inputs_.push_back({setOf(factor.variables), factor.entries, factor.isSparse});
      for (VariableId variable : factor.levels)
        inputs_.back().levels.push_back(setOf({variable}));
    }
    targets_ = setOf(space.targets);
    sums_ = setOf(space.sums);
    largest_ = volume(targets_);
    for (const Input &input : inputs_)
      largest_ = std::max(largest_, input.entries);
  }

  std::optional<Contraction> run() {
    const double written = nestCost(inputs_, targets_ | sums_) * stepCost(inputs_, sums_);
    std::optional<Best> best;
    for (Set last = sums_;; last = (last - 1) & sums_) {
      if (last != sums_)
        if (std::optional<Best> other = nest(sums_, last, allFactors(), true);
            other && (!best || other->cost < best->cost))
          best = std::move(other);
      if (last == 0)
        break;
    }
    if (!best || best->cost * kLeastSaving > written)
      return std::nullopt;
    orderForReaders(best->plan, space_);
    return std::move(best->plan);
  }

private:
  Set setOf(const std::vector<VariableId> &list) const {
    Set set = 0;
    for (VariableId variable : list)
      set |= Set{1} << (std::find(variables_.begin(), variables_.end(), variable) - variables_.begin());
    return set;
  }

  std::vector<VariableId> listOf(Set set) const {
    std::vector<VariableId> list;
    for (size_t k = 0; k < variables_.size(); ++k)
      if (set >> k & 1)
        list.push_back(variables_[k]);
    return list;
  }

  double volume(Set set) const {
    double product = 1;
    for (size_t k = 0; k < extents_.size(); ++k)
      if (set >> k & 1)
        product *= extents_[k];
    return product;
  }

  Set allFactors() const { return inputs_.size() == kMostVariables ? ~Set{0} : (Set{1} << inputs_.size()) - 1; }

  /// Those among `factors` that have one of the variables.
  Set touching(Set variables, Set factors) const {
    Set found = 0;
    for (size_t k = 0; k < inputs_.size(); ++k)
      if ((factors >> k & 1) && (inputs_[k].variables & variables))
        found |= Set{1} << k;
    return found;
  }

  Set variablesOf(Set factors) const {
    Set all = 0;
    for (size_t k = 0; k < inputs_.size(); ++k)
      if (factors >> k & 1)
        all |= inputs_[k].variables;
    return all;
  }

  /// The part of a set of sums that hangs together with its first one by factors.
  Set connected(Set sums) const {
    Set found = sums & -sums;
    while (true) {
      const Set more = (variablesOf(touching(found, allFactors())) & sums) | found;
      if (more == found)
        return found;
      found = more;
    }
  }

  /// Each coordinate that is looked for has a fiber of its own; the operand that adds the fewest places comes next.
  double nestCost(std::vector<Input> inputs, Set variables) const {
    std::erase_if(inputs, [](const Input &input) { return !input.isSparse; });
    double places = 1;
    Set bound = 0;
    const auto growth = [&](const Input &input) {
      const Set fresh = input.variables & ~bound;
      return fresh ? std::max(1.0, input.entries / volume(input.variables & bound)) : 1.0;
    };
    while (!inputs.empty()) {
      const auto next = std::min_element(inputs.begin(), inputs.end(),
                                         [&](const Input &a, const Input &b) { return growth(a) < growth(b); });
      places *= growth(*next);
      bound |= next->variables;
      inputs.erase(next);
    }
    return places * volume(variables & ~bound);
  }

  /// Whether loops over an operand, the one sparse one, add to elements that do not follow each other: levels are
  /// summed over outside of others.
  static bool isScattered(const Input &input, Set sums) {
    Set outside = 0;
    return std::any_of(input.levels.begin(), input.levels.end(), [&](Set level) {
      outside |= level & sums;
      return outside && (level & ~sums);
    });
  }

  /// Of a step of a nest that adds up over `sums`, next to that of a product of matrices, which is tiled.
  static double stepCost(const std::vector<Input> &inputs, Set sums) {
    Set variables = 0;
    size_t sparse = 0;
    bool scatters = false;
    for (const Input &input : inputs) {
      variables |= input.variables;
      sparse += input.isSparse;
      scatters |= isScattered(input, sums);
    }
    if (sparse > 0)
      return sparse == 1 && scatters ? kScatteredStep : 1;
    return inputs.size() > 2 && std::popcount(variables) > 2 ? kUntiledStep : 1;
  }

  /// The best way to take connected sums in a temporary; nullopt where there is none.
  const std::optional<Best> &part(Set sums) {
    if (const auto known = parts_.find(sums); known != parts_.end())
      return known->second;
    std::optional<Best> best;
    const Set factors = touching(sums, allFactors());
    for (Set last = sums; last; last = (last - 1) & sums)
      if (std::optional<Best> other = nest(sums, last, factors, false))
        if (asTemporary(*other, factors) && (!best || other->cost < best->cost))
          best = std::move(other);
    return parts_.emplace(sums, std::move(best)).first->second;
  }

  /// A nest that joins factors and sums over `last`, the other sums being those of parts.
  std::optional<Best> nest(Set sums, Set last, Set factors, bool isWhole) {
    Best best;
    std::vector<Input> inputs;
    std::set<std::vector<int>> signatures;
    Set inParts = 0;
    bool isGuarded = false;
    for (Set rest = sums & ~last; rest;) {
      const Set own = connected(rest);
      const std::optional<Best> &done = part(own);
      if (!done)
        return std::nullopt;
      inputs.push_back(done->result);
      // Equal parts are computed once.
      if (signatures.insert(signatureOf(touching(own, allFactors()))).second)
        best.cost += done->cost;
      best.plan.parts.push_back(done->plan);
      isGuarded |= isPartial(touching(own, allFactors())) && !done->plan.isListed;
      inParts |= touching(own, allFactors());
      rest &= ~own;
    }
    Set variables = 0;
    for (size_t k = 0; k < inputs_.size(); ++k)
      if ((factors & ~inParts) >> k & 1) {
        inputs.push_back(inputs_[k]);
        best.plan.factors.push_back(k);
      }
    for (const Input &input : inputs)
      variables |= input.variables;
    const Set result = isWhole ? targets_ : variables & ~sums;
    if (!isWhole)
      addMask(result, factors, best.plan, inputs);
    const double own = nestCost(inputs, variables | result | last);
    best.cost += own * (isGuarded && space_.asks ? kGuardedStep : 1) * stepCost(inputs, last);
    best.plan.sums = listOf(last);
    best.plan.variables = listOf(result);
    best.result = {result, std::min(own, volume(result)), isPartial(factors)};
    return best;
  }

  /// The factors' labels and variables, these numbered as they come.
  std::vector<int> signatureOf(Set factors) const {
    std::vector<int> signature;
    std::map<VariableId, int> numbers;
    for (size_t k = 0; k < inputs_.size(); ++k)
      if (factors >> k & 1) {
        signature.push_back(space_.factors[k].label);
        for (VariableId variable : space_.factors[k].variables)
          signature.push_back(numbers.try_emplace(variable, static_cast<int>(numbers.size())).first->second);
      }
    return signature;
  }

  bool isPartial(Set factors) const {
    for (size_t k = 0; k < inputs_.size(); ++k)
      if ((factors >> k & 1) && inputs_[k].isSparse)
        return true;
    return false;
  }

  /// Restricts a part to a factor outside of it that has just its variables: one whose entries are never missing, as
  /// what tells where they are would be looked up in a list.
  void addMask(Set result, Set factors, Contraction &plan, std::vector<Input> &inputs) const {
    if (isPartial(factors))
      return;
    for (size_t k = 0; k < inputs_.size() && result; ++k)
      if (!(factors >> k & 1) && space_.factors[k].isMask && inputs_[k].variables == result) {
        plan.mask = k;
        inputs.push_back(inputs_[k]);
        return;
      }
  }

  /// The variables of sparse factors: lists have coordinates of no others.
  Set listedIn(Set factors) const {
    Set all = 0;
    for (size_t k = 0; k < inputs_.size(); ++k)
      if ((factors >> k & 1) && inputs_[k].isSparse)
        all |= inputs_[k].variables;
    return all;
  }

  /// Whether a dense operand, or the target, has as many dimensions. Estimates of extents do not tell an array of order
  /// 3 or more that fits from one that does not.
  bool hasOrder(size_t order) const {
    return (space_.mayFill && space_.targets.size() >= order) ||
           std::any_of(space_.factors.begin(), space_.factors.end(), [&](const ContractionFactor &factor) {
             return !factor.isSparse && factor.variables.size() >= order;
           });
  }

  bool hasTie(Set factors) const {
    for (size_t k = 0; k < inputs_.size(); ++k)
      if ((factors >> k & 1) && space_.factors[k].isTie)
        return true;
    return false;
  }

  /// Chooses how a part is stored, and adds what that costs; false where it may be stored in no way. A target that
  /// lists its entries collects as many anyway.
  bool asTemporary(Best &best, Set factors) const {
    Input &result = best.result;
    if (best.plan.mask) {
      result = inputs_[*best.plan.mask];
      return space_.mayFill;
    }
    const double dense = volume(result.variables), listed = (space_.mayFill ? kListingCost : 1) * result.entries;
    const bool isPartly = space_.asks && isPartial(factors), isVector = best.plan.variables.size() == 1;
    const bool isBounded =
        dense <= largest_ && (best.plan.variables.size() <= 2 || hasOrder(best.plan.variables.size()));
    const bool mayFill = (space_.mayFill || !isPartial(factors)) && isBounded;
    const bool hasPlaces = isVector ? best.plan.variables.front() == space_.row : !best.plan.variables.empty();
    const bool mayList = space_.mayList && hasPlaces && (result.variables & ~listedIn(factors)) == 0;
    if (mayList && (result.entries < dense || isVector) && (!mayFill || listed < dense)) {
      best.plan.isListed = true;
      best.cost += listed;
      result.entries *= hasTie(factors) ? 1 : kWithRepeats;
      return true;
    }
    // Whether there are entries is computed apart.
    if (!mayFill && best.plan.variables.empty())
      best.plan.along = space_.row;
    best.cost += dense + (isPartly ? best.cost / 2 : 0);
    result = {result.variables, dense, false};
    return mayFill || best.plan.along;
  }

  const ContractionSpace &space_;
  std::vector<VariableId> variables_; ///< targets, then sums
  std::vector<double> extents_;       ///< of these
  std::vector<Input> inputs_;         ///< by factor
  Set targets_ = 0, sums_ = 0;
  double largest_ = 0; ///< places of the largest operand or the target
  std::map<Set, std::optional<Best>> parts_;
};

} // namespace

std::optional<Contraction> cheapestContraction(const ContractionSpace &space) {
  const size_t variables = space.sums.size() + space.targets.size();
  if (space.factors.size() < 2 || space.factors.size() > kMostVariables || space.sums.empty() ||
      space.sums.size() > kMostSums || variables > kMostVariables)
    return std::nullopt;
  return Planner(space).run();
}

} // namespace spc::sema
