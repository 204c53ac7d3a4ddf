#include "sema/analyze.h"

#include "sema/plan/choose_plans.h"
#include "sema/plan/join_plans.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/logical_plan.h"
#include "sema/terms/simplify.h"
#include "sema/verify.h"

namespace spc::sema {
namespace {

/// Plans the statements of a kernel that is checked, as far as they can be with the copies that there are.
void planStatements(Planning &planning) {
  const Diagnostics &diagnostics = planning.diagnostics;
  const auto isOver = [&] { return diagnostics.hasErrors() || planning.copies.hasNew(); };
  computeSumsApart(planning);
  makeCanonicalCopies(planning);
  if (planning.options.fuses)
    fuseTemporaries(planning);
  computeStandIns(planning);
  std::vector<Expansion> expansions;
  for (size_t k = 0; k < planning.statements.size(); ++k) {
    if (planning.statements[k].isFused)
      continue;
    expansions.push_back(expandTerms(planning, k, planning.kernel, planning.statements[k].scope, planning.diagnostics));
    inferOutputFormat(planning, expansions.back().main);
    if (!diagnostics.hasErrors())
      warnOfDenseTemporaries(planning, expansions.back());
    orderTerms(planning, expansions.back());
  }
  if (diagnostics.hasErrors())
    return;
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
    planStatements(round);
    if (copies.hasNew())
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

} // namespace

std::optional<Kernel> plan(const Program &checked, const Options &options, Diagnostics &diagnostics) {
  Program program = checked;
  dropConversions(program);
  Contractions contractions;
  const size_t before = diagnostics.all().size();
  std::optional<Kernel> kernel = planUsual(program, options, diagnostics, contractions);
  if (!kernel)
    return std::nullopt;
  const auto planned = [&](const Scenario &scenario) {
    Diagnostics found = diagnostics.alike();
    Contractions other{scenario, {}};
    std::optional<Kernel> plan = planFor(program, options, found, other);
    // A plan that has to warn of what the usual one does not is none to take in silence.
    return found.all().size() > diagnostics.all().size() - before ? std::nullopt : std::move(plan);
  };
  const size_t given = program.tensors.size();
  std::vector<Kernel> plans = plansWorthwhile(std::move(*kernel), contractions.products, given, planned);
  if (options.alternative && *options.alternative >= plans.size())
    diagnostics.report(kNoSuchPlan, {},
                       "there is no plan " + std::to_string(*options.alternative + 1) + ": the kernel has " +
                           (plans.size() == 1 ? "one" : std::to_string(plans.size())));
  else
    kernel = options.alternative ? std::move(plans[*options.alternative])
             : plans.size() > 1  ? joinPlans(std::move(plans), given)
                                 : std::move(plans.front());
  if (options.verify && !diagnostics.hasErrors())
    verifyPlan(*kernel, diagnostics);
  return diagnostics.hasErrors() ? std::nullopt : std::move(kernel);
}

std::optional<Kernel> analyze(const syntax::Kernel &kernel, const std::vector<format::Binding> &bindings,
                              const Options &options, Diagnostics &diagnostics) {
  const std::optional<Program> program = check(kernel, bindings, options, diagnostics);
  return program ? plan(*program, options, diagnostics) : std::nullopt;
}

} // namespace spc::sema
