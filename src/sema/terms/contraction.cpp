#include "sema/terms/contraction.h"

#include "sema/alternatives.h"
#include "sema/terms/contraction_space.h"
#include "sema/terms/nest_costs.h"
#include "sema/terms/reading_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <limits>

namespace spc::sema {
namespace {

using Set = VariableSet; ///< of variables, or of factors

constexpr size_t kMostVariables = 64;
constexpr double kListingCost = 2;    ///< of an entry that is collected, in steps
constexpr double kWithRepeats = 0.5;  ///< how many of the products that are added up have a place of their own
constexpr double kLeastSaving = 1.25; ///< a plan in parts is left alone unless it saves as much
constexpr double kRounding = 1e-9;    ///< of a cost, that two ways to compute it may differ by
constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr size_t kMostFilled = 3;     ///< factors of a nest that may be put in arrays first
constexpr double kToldElement = 1.5;  ///< of an array beside which another one says where there are entries
constexpr double kGuardedStep = 1.25; ///< of a nest that asks whether a part has an entry

/// The best way to compute what a set of sums gives.
struct Best {
  double cost = 0;
  Input result;
  Contraction plan;
};

class Planner {
public:
  explicit Planner(const ContractionSpace &space)
      : space_(space), variables_(variablesOf(space)), costs_(extentsOf(variables_, space)) {
    for (const ContractionFactor &factor : space.factors) {
      inputs_.push_back({setOf(factor.variables), factor.entries, factor.isSparse, {}, {}, factor.calls});
      for (VariableId variable : factor.levels)
        inputs_.back().levels.push_back(setOf({variable}));
      // One of several operands of a factor is taken to have an equal share of the entries.
      for (const Stored &stored : factor.stored)
        inputs_.back().lists.push_back(
            walkedAs(stored, variables_, costs_.extents(),
                     factor.isSparse ? std::optional(factor.entries / static_cast<double>(factor.stored.size()))
                                     : std::nullopt));
    }
    targets_ = setOf(space.targets);
    sums_ = setOf(space.sums);
    largest_ = costs_.volume(targets_);
    for (const Input &input : inputs_)
      largest_ = std::max(largest_, input.calls > 0 ? 0 : input.entries);
    for (const ContractionFactor &factor : space.factors)
      for (const std::vector<VariableId> &read : factor.reads)
        largest_ = std::max(largest_, costs_.volume(setOf(read)));
  }

  std::optional<Contraction> run() {
    Contraction written;
    Inputs all;
    for (size_t k = 0; k < inputs_.size(); ++k) {
      written.factors.push_back(k);
      all.push_back(&inputs_[k]);
    }
    const double places = costs_.places(all, targets_ | sums_);
    written.entries = std::min(places, costs_.volume(targets_));
    const double whole = places * NestCosts::ofStep(all, sums_) + costs_.ofCalls(all) + costs_.ofWalking(all, places) +
                         kCopyingCost * orderLists(written, space_);
    const double most = whole / kLeastSaving * (1 + kRounding);
    std::optional<Best> best;
    for (Set last = sums_;; last = (last - 1) & sums_) {
      if (std::optional<Best> other = nest(sums_, last, allFactors(), true, best ? best->cost : most);
          other && !other->plan.parts.empty()) {
        orderForReaders(other->plan, space_);
        other->plan.entries = other->result.entries;
        if (!best || other->cost < best->cost)
          other->cost += kCopyingCost * orderLists(other->plan, space_);
        if (!best || other->cost < best->cost)
          best = std::move(other);
      }
      if (last == 0)
        break;
    }
    if (!best || best->cost * kLeastSaving > whole)
      return std::nullopt;
    return std::move(best->plan);
  }

private:
  static std::vector<VariableId> variablesOf(const ContractionSpace &space) {
    std::vector<VariableId> variables = space.targets;
    variables.insert(variables.end(), space.sums.begin(), space.sums.end());
    return variables;
  }

  static std::vector<double> extentsOf(const std::vector<VariableId> &variables, const ContractionSpace &space) {
    std::vector<double> extents;
    for (VariableId variable : variables)
      extents.push_back(space.extents.at(variable));
    return extents;
  }

  Set setOf(const std::vector<VariableId> &list) const {
    Set set = 0;
    for (VariableId variable : list)
      set |= Set{1} << numberOf(variable);
    return set;
  }

  size_t numberOf(VariableId variable) const {
    return static_cast<size_t>(std::find(variables_.begin(), variables_.end(), variable) - variables_.begin());
  }

  std::vector<VariableId> listOf(Set set) const {
    std::vector<VariableId> list;
    for (size_t k = 0; k < variables_.size(); ++k)
      if (set >> k & 1)
        list.push_back(variables_[k]);
    return list;
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

  /// The best way to take connected sums in a temporary; nullopt where there is none.
  const std::optional<Best> &part(Set sums) {
    if (const auto known = parts_.find(sums); known != parts_.end())
      return known->second;
    std::optional<Best> best;
    const Set factors = touching(sums, allFactors());
    for (Set last = sums; last; last = (last - 1) & sums)
      if (std::optional<Best> other = nest(sums, last, factors, false, best ? best->cost : kNoBound))
        if (asTemporary(*other, factors) && (!best || other->cost < best->cost))
          best = std::move(other);
    return parts_.emplace(sums, std::move(best)).first->second;
  }

  /// A nest that joins factors and sums over `last`, the other sums being those of parts; nullopt where there is none,
  /// or none that may cost less than `bound`.
  std::optional<Best> nest(Set sums, Set last, Set factors, bool isWhole, double bound) {
    Best best;
    Inputs inputs;
    std::vector<const Contraction *> parts;
    std::vector<Set> joined; // by part: the factors in it
    Set inParts = 0;
    bool isGuarded = false;
    inputs.reserve(inputs_.size() + 1);
    best.plan.factors.reserve(inputs_.size());
    for (Set rest = sums & ~last; rest;) {
      const Set own = connected(rest), within = touching(own, allFactors());
      const std::optional<Best> &done = part(own);
      if (!done)
        return std::nullopt;
      inputs.push_back(&done->result);
      parts.push_back(&done->plan);
      // Equal parts are computed once.
      if (std::ranges::none_of(joined, [&](Set other) { return signatureOf(other) == signatureOf(within); }))
        best.cost += done->cost;
      joined.push_back(within);
      isGuarded |= isPartial(within) && !done->plan.isListed;
      inParts |= within;
      rest &= ~own;
      if (best.cost >= bound)
        return std::nullopt;
    }
    Set variables = 0;
    for (size_t k = 0; k < inputs_.size(); ++k)
      if ((factors & ~inParts) >> k & 1) {
        inputs.push_back(&inputs_[k]);
        best.plan.factors.push_back(k);
      }
    for (const Input *input : inputs)
      variables |= input->variables;
    const Set result = isWhole ? targets_ : variables & ~sums;
    if (!isWhole)
      addMask(result, factors, best.plan, inputs);
    variables |= result | last;
    if (best.cost + costs_.places(inputs, variables) >= bound)
      return std::nullopt;
    const double own = addNest(inputs, parts.size(), variables, last, isGuarded, best);
    if (best.cost >= bound)
      return std::nullopt;
    best.plan.parts.reserve(best.plan.parts.size() + parts.size());
    for (size_t k = 0; k < parts.size(); ++k)
      best.plan.parts.insert(best.plan.parts.begin() + static_cast<ptrdiff_t>(k), *parts[k]);
    best.plan.sums = listOf(last);
    best.plan.variables = listOf(result);
    best.result = {result, std::min(own, costs_.volume(result)), isPartial(factors)};
    return best;
  }

  /// Whether an array of a dense factor's values is no larger than an operand or the target.
  bool isSmall(size_t number) const {
    const ContractionFactor &own = space_.factors[number];
    return space_.mayFill && !own.variables.empty() && costs_.volume(inputs_[number].variables) <= largest_ &&
           (own.variables.size() <= 2 || hasOrder(space_, own.variables.size()));
  }

  /// Adds what a nest costs that joins `inputs`, the plan's factors behind its parts, and gives its places. Those
  /// of one variable may be put in arrays first, if lists are hard to walk together, and those that call functions:
  /// these arrays are parts of the plan.
  double addNest(const Inputs &inputs, size_t parts, Set variables, Set last, bool isGuarded, Best &best) {
    const auto costOf = [&](const Inputs &all, double places, bool asks) {
      return places * (asks && space_.asks ? kGuardedStep : 1) * NestCosts::ofStep(all, last) + costs_.ofCalls(all);
    };
    double places = costs_.places(inputs, variables);
    const double hard = costs_.ofWalking(inputs, places);
    double cost = costOf(inputs, places, isGuarded) + hard;
    std::vector<size_t> fillable;
    for (size_t k : best.plan.factors)
      if ((inputs_[k].calls > 0 ? isSmall(k) : hard > 0 && mayBeFilled(space_, k)) && fillable.size() < kMostFilled)
        fillable.push_back(k);
    Set chosen = 0;
    for (Set filled = 1; filled < Set{1} << fillable.size(); ++filled) {
      Set set = 0;
      double own = 0;
      for (size_t k = 0; k < fillable.size(); ++k)
        if (filled >> k & 1) {
          const Input &input = inputs_[fillable[k]];
          set |= Set{1} << fillable[k];
          const double elements = costs_.volume(input.variables);
          own += input.calls > 0 ? elements * (1 + input.calls * kCallingCost)
                                 : input.entries + elements * (input.isSparse && space_.asks ? kToldElement : 1);
        }
      Inputs others = inputs;
      std::array<Input, kMostFilled> arrays;
      size_t made = 0;
      for (size_t k = 0; k < best.plan.factors.size(); ++k)
        if (set >> best.plan.factors[k] & 1) {
          const Input *&input = others[parts + k];
          arrays[made] = {input->variables, costs_.volume(input->variables)};
          input = &arrays[made++];
        }
      const double placesLeft = costs_.places(others, variables);
      own += costOf(others, placesLeft, isGuarded || isPartial(set)) + costs_.ofWalking(others, placesLeft);
      if (own >= cost)
        continue;
      cost = own;
      places = placesLeft;
      chosen = set;
    }
    best.cost += cost;
    std::erase_if(best.plan.factors, [&](size_t k) {
      if (chosen >> k & 1)
        best.plan.parts.push_back({.factors = {k}, .variables = listOf(inputs_[k].variables)});
      return chosen >> k & 1;
    });
    return places;
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
  void addMask(Set result, Set factors, Contraction &plan, Inputs &inputs) const {
    if (isPartial(factors))
      return;
    for (size_t k = 0; k < inputs_.size() && result; ++k)
      if (!(factors >> k & 1) && space_.factors[k].isMask && inputs_[k].variables == result) {
        plan.mask = k;
        inputs.push_back(&inputs_[k]);
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
    const double dense = costs_.volume(result.variables), listed = (space_.mayFill ? kListingCost : 1) * result.entries;
    const bool isPartly = space_.asks && isPartial(factors), isVector = best.plan.variables.size() == 1;
    const bool isBounded =
        dense <= largest_ && (best.plan.variables.size() <= 2 || hasOrder(space_, best.plan.variables.size()));
    const bool hasPlaces = isVector ? best.plan.variables.front() == space_.row : !best.plan.variables.empty();
    const bool isTold =
        isVector && !hasPlaces && space_.listsPlaces && hasMemoryBeside(space_, nullptr, best.plan.variables.front());
    const bool mayFill = (space_.mayFill || isTold || !isPartial(factors)) && isBounded;
    const bool mayList = hasPlaces && (result.variables & ~listedIn(factors)) == 0;
    if (mayList && (result.entries < dense || isVector) && (!mayFill || listed < dense)) {
      best.plan.isListed = true;
      best.plan.entries = result.entries;
      best.cost += listed;
      result.entries *= hasTie(factors) ? 1 : kWithRepeats;
      Walked &own = result.lists.emplace_back();
      for (VariableId variable : best.plan.variables)
        own.levels.push_back({numberOf(variable)});
      own.entries = result.entries;
      own.isFree = true;
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
  NestCosts costs_;
  std::vector<Input> inputs_; ///< by factor
  Set targets_ = 0, sums_ = 0;
  double largest_ = 0; ///< places of the largest operand or the target
  std::map<Set, std::optional<Best>> parts_;
};

} // namespace

std::optional<Contraction> cheapestContraction(const ContractionSpace &space) {
  const size_t variables = space.sums.size() + space.targets.size();
  if (space.factors.size() > kMostVariables || space.sums.empty() || space.sums.size() > kMostSums ||
      variables > kMostVariables)
    return std::nullopt;
  return Planner(space).run();
}

} // namespace spc::sema
