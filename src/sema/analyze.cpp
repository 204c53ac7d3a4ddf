#include "sema/analyze.h"

#include "sema/composed_reductions.h"
#include "sema/plan/choose_plans.h"
#include "sema/plan/in_place.h"
#include "sema/plan/join_plans.h"
#include "sema/plan/sweeps.h"
#include "sema/rankings.h"
#include "sema/simplify.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/logical_plan.h"
#include "sema/terms/reading_order.h"
#include "sema/terms/share_factors.h"
#include "sema/verify.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// Makes the target of a statement that writes it first one that is assembled, where an earlier round has asked for
/// that.
void takeListed(Planning &planning, size_t statement) {
  const TensorId target = planning.statements[statement].target.tensor;
  const CopyRequests::Listed *listed = planning.copies.listed(target);
  if (!listed || planning.symbols[target].firstWrite != static_cast<int>(statement))
    return;
  planning.kernel.tensors[target].format = listed->format;
  planning.kernel.tensors[target].structure = Assembled{};
}

/// Plans the statements of a kernel that is checked, as far as they can be with the copies that there are.
void planStatements(Planning &planning) {
  const Diagnostics &diagnostics = planning.diagnostics;
  const auto isOver = [&] { return diagnostics.hasErrors() || planning.copies.hasNew(); };
  computeSumsApart(planning);
  makeCanonicalCopies(planning);
  if (planning.options.fuses)
    fuseTemporaries(planning);
  if (planning.contractions.shares)
    shareFactors(planning);
  computeStandIns(planning);
  std::vector<Expansion> expansions;
  for (size_t k = 0; k < planning.statements.size(); ++k) {
    if (planning.statements[k].isFused)
      continue;
    takeListed(planning, k);
    expansions.push_back(expandTerms(planning, k, planning.kernel, planning.statements[k].scope, planning.diagnostics));
    inferOutputFormat(planning, expansions.back().main);
    storeInLoopOrder(planning, k);
    if (!diagnostics.hasErrors())
      warnOfDenseTemporaries(planning, expansions.back());
    orderTerms(planning, expansions.back());
  }
  if (diagnostics.hasErrors())
    return;
  warnOfUnmasked(planning, expansions);
  requestCanonicalCopies(planning, expansions);
  if (isOver())
    return;
  splitOperands(planning, expansions);
  checkParameterCount(planning);
  if (isOver())
    return;
  planLoops(planning, expansions);
  for (const Expansion &expansion : expansions)
    warnOfWholeSums(planning, expansion);
  if (!isOver())
    checkParallelLoop(planning);
}

} // namespace

namespace {

constexpr DiagnosticKind kNoSuchPlan{"no-such-plan", Severity::Error};

/// Plans a program with all copies that it asks for, with products taken apart for a scenario.
std::optional<Kernel> planFor(const Program &program, const Options &options, Diagnostics &diagnostics,
                              Contractions &contractions) {
  CopyRequests copies;
  Planning whole(program, options, diagnostics, copies, contractions);
  keepStructures(whole);
  if (diagnostics.hasErrors())
    return std::nullopt;
  while (true) {
    Diagnostics found = diagnostics.alike();
    Planning round(program, options, found, copies, contractions);
    copies.beginRound();
    contractions.products.clear();
    const size_t scaledApart = contractions.scaledApart.size();
    planStatements(round);
    if (copies.hasNew() || contractions.scaledApart.size() > scaledApart)
      continue;
    diagnostics.append(std::move(found));
    return diagnostics.hasErrors() ? std::nullopt : std::optional(std::move(round.kernel));
  }
}

/// Plans a program for the usual sizes. What storage refuses to parts of products it may grant to the whole.
std::optional<Kernel> planUsual(const Program &program, const Options &options, Diagnostics &diagnostics,
                                Contractions &contractions) {
  Diagnostics found = diagnostics.alike();
  std::optional<Kernel> kernel = planFor(program, options, found, contractions);
  if (!kernel && !contractions.products.empty()) {
    Options asWritten = options;
    asWritten.asWritten = true;
    found = diagnostics.alike();
    kernel = planFor(program, asWritten, found, contractions);
  }
  diagnostics.append(std::move(found));
  return kernel;
}

/// One round after the other of planning a program.
class PlanChooser {
public:
  PlanChooser(const Program &program, const Options &options, Diagnostics &diagnostics)
      : program_(program), options_(options), diagnostics_(diagnostics), given_(program.tensors.size()) {}

  std::optional<Kernel> run() {
    Contractions contractions;
    Diagnostics found = diagnostics_.alike();
    std::optional<Kernel> planned = planUsual(program_, options_, found, contractions);
    if (!planned) {
      diagnostics_.append(std::move(found));
      return std::nullopt;
    }
    Candidate careful(std::move(*planned), std::move(found));
    if (options_.fuses && !options_.asWritten && !options_.strictFp && !program_.given.order &&
        mayShareFactors(program_))
      shareFactorsIn(careful, contractions);
    const bool trusts = contractions.asks && options_.trusts;
    if (std::optional<std::vector<Candidate>> trusting = trusts ? trustingPlans(careful) : std::nullopt) {
      std::vector<Candidate> all = carefulPlans(std::move(careful), *trusting);
      return joined(std::move(*trusting), std::move(all));
    }
    return joined(chosenFrom(std::move(careful), contractions), {});
  }

private:
  /// Plans the program with factors that addends share put before these, and takes that where it is fewer steps.
  void shareFactorsIn(Candidate &careful, Contractions &contractions) {
    Contractions sharing{.shares = true};
    std::optional<Candidate> other = planned(sharing, careful.found);
    if (!other || !sharing.shared || !areCalledAlike(other->kernel, careful.kernel, given_) ||
        !takesFewerSteps(other->kernel, careful.kernel))
      return;
    shares_ = true;
    careful = std::move(*other);
    contractions = std::move(sharing);
  }

  /// Plans that take sums without entries for 0; nullopt where the careful one cannot follow, or
  /// takes fewer steps.
  std::optional<std::vector<Candidate>> trustingPlans(const Candidate &careful) {
    Contractions contractions{.trusts = true, .shares = shares_};
    std::optional<Candidate> usual = planned(contractions, careful.found);
    if (!usual || !contractions.trusted || !agree(usual->kernel, careful.kernel, given_) ||
        asksForLess(careful.kernel, usual->kernel, given_))
      return std::nullopt;
    std::vector<Candidate> plans = chosenFrom(std::move(*usual), contractions, &careful.kernel);
    return mayRecompute(kernelsOf(plans), {&careful.kernel}, given_) ? std::optional(std::move(plans)) : std::nullopt;
  }

  /// The careful plans of the sizes for which the others are, or that of the usual ones for all of them.
  std::vector<Candidate> carefulPlans(Candidate usual, const std::vector<Candidate> &trusting) {
    std::vector<Candidate> plans;
    plans.push_back(std::move(usual));
    for (size_t k = 1; k < trusting.size(); ++k) {
      Contractions contractions{.scenario = trusting[k].scenario, .shares = shares_};
      std::optional<Candidate> own = planned(contractions, plans.front().found);
      if (!own || !agree(plans.front().kernel, own->kernel, given_))
        break;
      plans.push_back(std::move(*own));
    }
    if (plans.size() < trusting.size() || !mayRecompute(kernelsOf(trusting), kernelsOf(plans), given_))
      plans.erase(plans.begin() + 1, plans.end());
    return plans;
  }

  static std::vector<const Kernel *> kernelsOf(const std::vector<Candidate> &plans) {
    std::vector<const Kernel *> kernels;
    for (const Candidate &plan : plans)
      kernels.push_back(&plan.kernel);
    return kernels;
  }

  /// nullopt also for a plan of which more is to be said than of another one: it is none to take in silence.
  std::optional<Candidate> planned(Contractions &contractions, const Diagnostics &usual) {
    Diagnostics found = diagnostics_.alike();
    std::optional<Kernel> kernel = planFor(program_, options_, found, contractions);
    return kernel && isAsQuiet(found, usual) ? std::optional<Candidate>(std::in_place, std::move(*kernel), found)
                                             : std::nullopt;
  }

  /// The plans among which calls choose, the usual one first. `careful`: the plan that is to follow each of them, if
  /// one is. Those that it cannot follow are left out, unless operands are lists alone: they may save memory.
  std::vector<Candidate> chosenFrom(Candidate usual, const Contractions &contractions,
                                    const Kernel *careful = nullptr) {
    const Diagnostics found = usual.found;
    if (careful && std::ranges::any_of(scenariosFor(contractions.products),
                                       [](const Scenario &scenario) { return scenario.isCompact; }))
      careful = nullptr;
    return plansWorthwhile(std::move(usual), contractions.products, given_, [&](const Scenario &scenario) {
      Contractions other{.scenario = scenario, .trusts = contractions.trusts, .shares = shares_};
      std::optional<Candidate> plan = planned(other, found);
      const bool mayFollow = !plan || !careful || !agree(plan->kernel, *careful, given_) ||
                             mayRecompute({&plan->kernel}, {careful}, given_);
      return mayFollow ? std::move(plan) : std::nullopt;
    });
  }

  /// The plans as one kernel, or that which is wanted alone; nullopt where there is none such, which is reported. The
  /// first plan's copies are reported as those that calls make.
  std::optional<Kernel> joined(std::vector<Candidate> plans, std::vector<Candidate> careful) {
    const std::optional<size_t> only = options_.alternative;
    if (only && *only >= plans.size()) {
      const std::string count = plans.size() == 1 ? "one" : std::to_string(plans.size());
      diagnostics_.append(std::move(plans.front().found));
      diagnostics_.report(kNoSuchPlan, {},
                          "there is no plan " + std::to_string(*only + 1) + ": the kernel has " + count);
      return std::nullopt;
    }
    const auto taken = [&](std::vector<Candidate> &from) {
      std::vector<Kernel> kernels;
      for (size_t k = 0; k < from.size(); ++k)
        if (!only || k == std::min(*only, from.size() - 1))
          kernels.push_back(std::move(from[k].kernel));
      return kernels;
    };
    diagnostics_.append(std::move(plans[only.value_or(0)].found));
    std::vector<Kernel> kernels = taken(plans), again = taken(careful);
    if (again.empty())
      return joinPlans(std::move(kernels), given_);
    // A plan by itself may be as careful, or differ from the careful one in less than what may be done twice.
    if (only && !mayRecompute({&kernels.front()}, {&again.front()}, given_))
      return std::move(again.front());
    return joinPlans(std::move(kernels), std::move(again), given_);
  }

  const Program &program_;
  const Options &options_;
  Diagnostics &diagnostics_;
  const size_t given_;  ///< tensors of the program
  bool shares_ = false; ///< Contractions::shares of all plans
};

} // namespace

std::optional<Kernel> plan(const Program &checked, const Options &options, Diagnostics &diagnostics) {
  Program program = checked;
  dropConversions(program);
  orderChoices(program);
  noteLinearPlaces(program);
  rankApart(program);
  const bool mayMove = options.fuses && !options.asWritten && !program.given.order;
  if (mayMove)
    pickApart(program);
  if (mayMove && !options.strictFp) {
    scatterApart(program);
    computeFunctionsApart(program);
  }
  tieIndices(program);
  if (mayMove && !options.strictFp)
    placeGathered(program);
  liftGathers(program);
  readSparseTargets(program);
  std::optional<Kernel> kernel = PlanChooser(program, options, diagnostics).run();
  if (kernel && !options.asWritten)
    kernel->sweeps = findSweeps(*kernel);
  if (kernel)
    kernel->divisions = divisionsOf(checked, *kernel);
  if (kernel && !options.asWritten)
    computeInPlace(*kernel);
  if (kernel && options.verify)
    verifyPlan(*kernel, diagnostics);
  return diagnostics.hasErrors() ? std::nullopt : std::move(kernel);
}

std::optional<Kernel> analyze(const syntax::Kernel &kernel, const std::vector<format::Binding> &bindings,
                              const Options &options, Diagnostics &diagnostics) {
  const std::optional<Program> program = check(kernel, bindings, options, diagnostics);
  return program ? plan(*program, options, diagnostics) : std::nullopt;
}

} // namespace spc::sema
