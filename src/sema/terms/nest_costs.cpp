#include "sema/terms/nest_costs.h"

#include "sema/alternatives.h"
#include "sema/estimates.h"

#include <algorithm>
#include <bit>
#include <bitset>

namespace spc::sema {
namespace {

constexpr double kUntiledStep = 1.5;    ///< of a nest of three dense factors or more, which is no product of matrices
constexpr double kScatteredStep = 1.05; ///< of a nest that comes to an element again and again

/// Whether loops over an operand, the one sparse one, add to elements that do not follow each other: levels are
/// summed over outside of others.
bool isScattered(const Input &input, VariableSet sums) {
  VariableSet outside = 0;
  return std::any_of(input.levels.begin(), input.levels.end(), [&](VariableSet level) {
    outside |= level & sums;
    return outside && (level & ~sums);
  });
}

/// The variables of an operand by whose loops a value is computed again: those of its levels outside of the value's
/// own, of an array all.
VariableSet changesWith(const Input &value, const Input &operand) {
  if (!(operand.variables & value.variables) || operand.levels.empty())
    return operand.variables & value.variables ? operand.variables : 0;
  VariableSet outside = 0, changes = 0;
  for (VariableSet level : operand.levels) {
    outside |= level;
    if (level & value.variables)
      changes = outside;
  }
  return changes;
}

} // namespace

double NestCosts::volume(VariableSet set) const {
  double product = 1;
  for (size_t k = 0; k < extents_.size(); ++k)
    if (set >> k & 1)
      product *= extents_[k];
  return product;
}

double NestCosts::places(const Inputs &inputs, VariableSet variables) const {
  double product = 1;
  VariableSet bound = 0;
  const auto growth = [&](const Input &input) {
    const VariableSet fresh = input.variables & ~bound;
    return fresh ? std::max(1.0, input.entries / volume(input.variables & bound)) : 1.0;
  };
  std::bitset<128> isDone; // a nest reads no more than 64 factors and what masks them
  while (true) {
    size_t next = inputs.size();
    double least = 0;
    for (size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k]->isSparse && !isDone[k])
        if (const double own = growth(*inputs[k]); next == inputs.size() || own < least) {
          next = k;
          least = own;
        }
    if (next == inputs.size())
      break;
    product *= least;
    bound |= inputs[next]->variables;
    isDone[next] = true;
  }
  return product * volume(variables & ~bound);
}

double NestCosts::ofStep(const Inputs &inputs, VariableSet sums) {
  VariableSet variables = 0;
  size_t sparse = 0;
  bool scatters = false;
  for (const Input *input : inputs) {
    variables |= input->variables;
    sparse += input->isSparse;
    scatters |= isScattered(*input, sums);
  }
  if (sparse > 0)
    return sparse == 1 && scatters ? kScatteredStep : 1;
  return inputs.size() > 2 && std::popcount(variables) > 2 ? kUntiledStep : 1;
}

double NestCosts::ofCalls(const Inputs &inputs) const {
  double cost = 0;
  for (const Input *input : inputs) {
    if (input->calls == 0)
      continue;
    VariableSet variables = input->variables;
    for (const Input *other : inputs)
      variables |= changesWith(*input, *other);
    Inputs within = inputs;
    std::erase_if(within, [&](const Input *other) { return other->variables & ~variables; });
    cost += input->calls * kCallingCost * places(within, variables);
  }
  return cost;
}

double NestCosts::ofWalking(const Inputs &inputs, double places) const {
  std::vector<const Walked *> lists;
  for (const Input *input : inputs) {
    if (input->isSparse && input->lists.empty())
      return 0;
    for (const Walked &list : input->lists)
      lists.push_back(&list);
  }
  const auto [known, isNew] = walkings_.try_emplace({lists, places});
  if (isNew)
    known->second = cheapestWalking(lists, extents_, places);
  const Walking &walking = known->second;
  return kCopyingCost * walking.copied + (walking.steps > kOrderOfCost * places ? walking.steps : 0);
}

} // namespace spc::sema
