#include "sema/analyze.h"

#include "sema/terms/canonical_copies.h"
#include "sema/terms/logical_plan.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kNoStatement{"no-statement", Severity::Error};

void checkAnyStatement(Analysis &analysis) {
  const syntax::Kernel &source = analysis.source;
  // With other errors reported, the statements may just not have been readable.
  if (!source.statements.empty() || analysis.diagnostics.hasErrors())
    return;
  Span where = source.declarations.empty() ? Span{} : source.declarations.back().where;
  analysis.diagnostics.report(kNoStatement, where, "the kernel computes nothing")
      .advise("add a statement, for instance y(i) = A(i,j) * x(j)");
}

/// One with the same statements, none of which is planned, which reports elsewhere.
Analysis copyOf(const Analysis &analysis, Diagnostics &diagnostics) {
  Analysis copy{analysis.source, analysis.bindings, analysis.options, diagnostics, analysis.copies};
  const Kernel &kernel = analysis.kernel;
  copy.kernel = {kernel.function,
                 kernel.kernelFile,
                 kernel.extents,
                 kernel.leastExtents,
                 kernel.tensors,
                 kernel.parameters,
                 {},
                 kernel.strictFp,
                 kernel.dropZeros,
                 kernel.checked,
                 kernel.schedule,
                 kernel.typeParameters};
  copy.symbols = analysis.symbols;
  copy.declarations = analysis.declarations;
  copy.indexNames = analysis.indexNames;
  copy.schedule = analysis.schedule;
  copy.sumOutputs = analysis.sumOutputs;
  copy.standIns = analysis.standIns;
  for (const ResolvedStatement &statement : analysis.statements)
    copy.statements.push_back(
        {statement.source, statement.scope, statement.target, clone(*statement.value), statement.isFused});
  return copy;
}

/// Plans the statements of a kernel that is checked, as far as they can be with the copies that there are.
void planStatements(Analysis &analysis) {
  const Diagnostics &diagnostics = analysis.diagnostics;
  const auto isOver = [&] { return diagnostics.hasErrors() || analysis.copies.hasNew(); };
  makeCanonicalCopies(analysis);
  if (analysis.options.fuses)
    fuseTemporaries(analysis);
  computeStandIns(analysis);
  std::vector<Expansion> expansions;
  for (size_t k = 0; k < analysis.statements.size(); ++k) {
    if (analysis.statements[k].isFused)
      continue;
    expansions.push_back(expandTerms(analysis, k, analysis.kernel, analysis.statements[k].scope, analysis.diagnostics));
    inferOutputFormat(analysis, expansions.back().main);
    if (!diagnostics.hasErrors())
      warnOfDenseTemporaries(analysis, expansions.back());
    orderTerms(analysis, expansions.back());
  }
  if (diagnostics.hasErrors())
    return;
  requestCanonicalCopies(analysis, expansions);
  if (isOver())
    return;
  splitOperands(analysis, expansions);
  checkParameterCount(analysis);
  if (isOver())
    return;
  planLoops(analysis, expansions);
  for (const Expansion &expansion : expansions)
    warnOfWholeSums(analysis, expansion);
  if (!isOver())
    checkParallelLoop(analysis);
}

} // namespace

std::optional<Kernel> analyze(const syntax::Kernel &kernel, const std::vector<format::Binding> &bindings,
                              const Options &options, Diagnostics &diagnostics) {
  CopyRequests copies;
  Analysis analysis{kernel, bindings, options, diagnostics, copies};
  analysis.kernel.function = options.function;
  analysis.kernel.strictFp = options.strictFp;
  analysis.kernel.dropZeros = options.dropZeros;
  analysis.kernel.checked = options.checked;
  if (!kernel.statements.empty() && kernel.statements.front().where)
    analysis.kernel.kernelFile = kernel.statements.front().where.file->name();

  // Each of these steps copes with what the ones before it reported, so that all errors are found at once.
  checkAnyStatement(analysis);
  declareTypes(analysis);
  declareTensors(analysis);
  resolveStatements(analysis);
  checkNames(analysis);
  checkGivenTypes(analysis);
  bindFormats(analysis);
  applyIndexTypes(analysis);
  readSchedules(analysis);
  inferExtents(analysis);
  inferTypes(analysis);
  declareFills(analysis);
  checkTypes(analysis);
  checkAmbiguity(analysis);
  if (diagnostics.hasErrors())
    return std::nullopt;

  warnOfUnused(analysis);
  warnOfUnusedTypes(analysis);
  warnOfSlips(analysis);
  warnOfPrecision(analysis);
  dropConversions(analysis);
  lowerInfinities(analysis);
  orderParameters(analysis);
  keepStructures(analysis);
  if (diagnostics.hasErrors())
    return std::nullopt;
  computeSumsApart(analysis);
  while (true) {
    Diagnostics found = diagnostics.alike();
    Analysis round = copyOf(analysis, found);
    copies.beginRound();
    planStatements(round);
    if (copies.hasNew())
      continue;
    diagnostics.append(std::move(found));
    return diagnostics.hasErrors() ? std::nullopt : std::optional(std::move(round.kernel));
  }
}

} // namespace spc::sema
