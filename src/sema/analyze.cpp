#include "sema/analyze.h"

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

/// Plans a program with all copies that it asks for; `parts`: whether some product is computed in parts.
std::optional<Kernel> planWithCopies(const Program &program, const Options &options, Diagnostics &diagnostics,
                                     bool &parts) {
  CopyRequests copies;
  Planning whole(program, options, diagnostics, copies);
  keepStructures(whole);
  if (diagnostics.hasErrors())
    return std::nullopt;
  while (true) {
    Diagnostics found = diagnostics.alike();
    Planning round(program, options, found, copies);
    copies.beginRound();
    planStatements(round);
    if (copies.hasNew())
      continue;
    diagnostics.append(std::move(found));
    for (const Tensor &tensor : round.kernel.tensors)
      if (const auto *temporary = tensor.as<Temporary>())
        parts |= temporary->isPart;
    return diagnostics.hasErrors() ? std::nullopt : std::optional(std::move(round.kernel));
  }
}

} // namespace

std::optional<Kernel> plan(const Program &checked, const Options &options, Diagnostics &diagnostics) {
  Program program = checked;
  dropConversions(program);
  bool parts = false;
  Diagnostics found = diagnostics.alike();
  std::optional<Kernel> kernel = planWithCopies(program, options, found, parts);
  if (!kernel && parts) {
    // What storage refuses to parts it may grant to the whole.
    Options asWritten = options;
    asWritten.asWritten = true;
    found = diagnostics.alike();
    kernel = planWithCopies(program, asWritten, found, parts);
  }
  diagnostics.append(std::move(found));
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
