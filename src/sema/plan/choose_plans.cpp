#include "sema/plan/choose_plans.h"

#include "sema/alternatives.h"
#include "sema/estimates.h"
#include "sema/plan/join_plans.h"
#include "sema/plan/nan_count.h"
#include "sema/two_phases.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace spc::sema {
namespace {

constexpr size_t kMostCandidates = 6; ///< plans that are made, to choose among
constexpr double kLeastSaving = 1.25; ///< how many times the steps of a careful plan the other one takes
constexpr double kLeastShared = 1.1;  ///< how many times the steps of a plan that shares factors the other one takes
constexpr double kLeastGain = 4;      ///< how many times the steps of an alternative others take at some sizes

/// The sizes that a scenario stands for, which is to live as long.
CostSizes sizesOf(const Kernel &kernel, const Scenario &scenario) {
  const auto extent = [&kernel, &scenario](ExtentId id) {
    const std::optional<int64_t> fixed = kernel.extents[id].fixed;
    return fixed ? static_cast<double>(*fixed) : std::max(1.0, kUnknownExtent * scenario.of(id));
  };
  const auto entries = [&kernel, &scenario, extent](TensorId id) -> std::optional<double> {
    double places = 1, largest = 1;
    for (ExtentId of : kernel.tensors[id].extents) {
      places *= extent(of);
      largest = std::max(largest, extent(of));
    }
    return std::clamp(largest * fiberLength(kernel.tensors[id]) * scenario.of(id), 1.0, places);
  };
  return {extent, entries};
}

std::optional<double> stepsOf(const Kernel &kernel, const CostSizes &sizes) {
  return evaluate(costOf(kernel, Alternative{0, kernel.steps.size()}), sizes);
}

/// Plans for all that the scenarios ask for, the usual one first.
std::vector<Candidate> candidatesFor(Candidate usual, const std::vector<ContractedProduct> &products, size_t given,
                                     const std::vector<Scenario> &scenarios, const auto &planned) {
  std::vector<Candidate> plans;
  plans.push_back(std::move(usual));
  std::set<std::string> ways{waysOf(products, {})};
  for (const Scenario &scenario : scenarios) {
    if (ways.size() > kMostCandidates || !ways.insert(waysOf(products, scenario)).second)
      continue;
    if (std::optional<Candidate> plan = planned(scenario); plan && agree(plans.front().kernel, plan->kernel, given)) {
      plan->scenario = scenario;
      plans.push_back(std::move(*plan));
    }
  }
  return plans;
}

/// The numbers of plans, the first one among them, of which one is good at the sizes of each scenario.
std::vector<size_t> chosenAmong(const std::vector<Candidate> &plans, const std::vector<Scenario> &scenarios) {
  std::vector<std::vector<double>> steps; // by plan and scenario
  for (const Candidate &plan : plans) {
    steps.emplace_back();
    const auto cost = costOf(plan.kernel, Alternative{0, plan.kernel.steps.size()});
    for (const Scenario &scenario : scenarios) {
      const std::optional<double> own = evaluate(cost, sizesOf(plan.kernel, scenario));
      if (!own)
        return {0};
      steps.back().push_back(*own);
    }
  }
  std::vector<size_t> chosen{0};
  std::vector<double> best = steps.front();
  while (chosen.size() < kMostAlternatives) {
    double most = kLeastGain;
    std::optional<size_t> next;
    for (size_t k = 1; k < plans.size(); ++k)
      for (size_t s = 0; s < best.size(); ++s)
        if (best[s] > most * steps[k][s]) {
          most = best[s] / steps[k][s];
          next = k;
        }
    if (!next)
      break;
    chosen.push_back(*next);
    for (size_t s = 0; s < best.size(); ++s)
      best[s] = std::min(best[s], steps[*next][s]);
  }
  return chosen;
}

/// How often what is said of a plan, beside copies.
std::map<std::string, size_t> remarksIn(const Diagnostics &found) {
  std::map<std::string, size_t> remarks;
  for (const Diagnostic &one : found.all())
    if (one.kind.id != "reorder" || one.severity == Severity::Error)
      ++remarks[std::string(one.kind.id)];
  return remarks;
}

} // namespace

bool isAsQuiet(const Diagnostics &plan, const Diagnostics &usual) {
  std::map<std::string, size_t> others = remarksIn(usual);
  return std::ranges::all_of(remarksIn(plan), [&](const auto &own) { return own.second <= others[own.first]; });
}

bool asksForLess(const Kernel &careful, const Kernel &trusting, size_t given) {
  const Scenario usual;
  const CostSizes sizes = sizesOf(trusting, usual);
  const std::optional<double> own = stepsOf(careful, sizesOf(careful, usual)), others = stepsOf(trusting, sizes);
  double counted = 0;
  for (const Counted &one : whatCounts(trusting, given, 0)) {
    double places = 1;
    for (ExtentId of : extentsOf(one, trusting))
      places *= sizes.extent(of);
    counted += places;
  }
  return own && others && *own * kLeastSaving < *others + counted;
}

bool takesFewerSteps(const Kernel &plan, const Kernel &other) {
  if (hasPhases(other) && !hasPhases(plan))
    return false;
  const Scenario usual;
  const std::optional<double> own = stepsOf(plan, sizesOf(plan, usual)), others = stepsOf(other, sizesOf(other, usual));
  return own && others && *own * kLeastShared < *others;
}

std::vector<Candidate> plansWorthwhile(Candidate usual, const std::vector<ContractedProduct> &products, size_t given,
                                       const std::function<std::optional<Candidate>(const Scenario &)> &planned) {
  std::vector<Scenario> scenarios, tried;
  if (agree(usual.kernel, usual.kernel, given))
    tried = scenarios = scenariosFor(products);
  // Phases are given up for arrays in place of lists that are searched alone.
  if (hasPhases(usual.kernel))
    std::erase_if(tried, [](const Scenario &scenario) { return !scenario.isCompact; });
  std::vector<Candidate> candidates = candidatesFor(std::move(usual), products, given, tried, planned);
  std::vector<Candidate> plans;
  std::vector<const Kernel *> kernels;
  for (size_t k : chosenAmong(candidates, scenarios))
    plans.push_back(std::move(candidates[k]));
  for (const Candidate &plan : plans)
    kernels.push_back(&plan.kernel);
  if (!mayChoose(kernels, given))
    plans.erase(plans.begin() + 1, plans.end());
  return plans;
}

} // namespace spc::sema
