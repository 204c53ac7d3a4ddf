#include "sema/analyze.h"

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

} // namespace

std::optional<Kernel> analyze(const syntax::Kernel &kernel, const std::vector<format::Binding> &bindings,
                              const Options &options, Diagnostics &diagnostics) {
  Analysis analysis{kernel, bindings, options, diagnostics, {}, {}, {}, {}, {}, {}};
  analysis.kernel.function = options.function;
  analysis.kernel.strictFp = options.strictFp;
  analysis.kernel.dropZeros = options.dropZeros;
  if (!kernel.statements.empty() && kernel.statements.front().where)
    analysis.kernel.kernelFile = kernel.statements.front().where.file->name();

  // Each of these steps copes with what the ones before it reported, so that all errors are found at once.
  checkAnyStatement(analysis);
  declareTensors(analysis);
  resolveStatements(analysis);
  checkNames(analysis);
  bindFormats(analysis);
  readSchedules(analysis);
  inferExtents(analysis);
  inferTypes(analysis);
  declareFills(analysis);
  checkTypes(analysis);
  checkAmbiguity(analysis);
  if (diagnostics.hasErrors())
    return std::nullopt;

  warnOfUnused(analysis);
  warnOfSlips(analysis);
  warnOfPrecision(analysis);
  lowerInfinities(analysis);
  orderParameters(analysis);
  if (options.fuses)
    fuseTemporaries(analysis);
  std::vector<Expansion> expansions;
  for (size_t k = 0; k < analysis.statements.size(); ++k) {
    if (analysis.statements[k].isFused)
      continue;
    expansions.push_back(expandTerms(analysis, k, analysis.kernel, analysis.statements[k].scope, diagnostics));
    inferOutputFormat(analysis, expansions.back().main);
    orderTerms(analysis, expansions.back());
  }
  if (diagnostics.hasErrors())
    return std::nullopt;

  splitOperands(analysis, expansions);
  checkParameterCount(analysis);
  if (diagnostics.hasErrors())
    return std::nullopt;
  planLoops(analysis, expansions);
  if (diagnostics.hasErrors())
    return std::nullopt;
  checkParallelLoop(analysis);
  if (diagnostics.hasErrors())
    return std::nullopt;
  return std::move(analysis.kernel);
}

} // namespace spc::sema
