// The schedules of format files.
#include "sema/analysis.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kScheduleVariable{"schedule-variable", Severity::Error};
constexpr DiagnosticKind kScheduleParallel{"schedule-parallel", Severity::Error};

void checkVariable(Analysis &analysis, const format::Given<std::string> &name) {
  std::vector<std::string> known;
  for (const auto &[variable, where] : analysis.indexNames) {
    if (variable == name.value)
      return;
    known.push_back(variable);
  }
  Diagnostic &unknown = analysis.diagnostics.report(kScheduleVariable, name.where,
                                                    "the kernel has no index variable " + inQuotes(name.value));
  if (std::optional<std::string> meant = didYouMean(name.value, known)) {
    unknown.message += " (did you mean " + inQuotes(*meant) + "?)";
    unknown.fix(name.where, *meant);
  }
}

std::optional<int64_t> valueOf(const std::optional<format::Given<int64_t>> &given) {
  return given ? std::optional(given->value) : std::nullopt;
}

} // namespace

void readSchedules(Analysis &analysis) {
  format::Schedule &given = analysis.schedule;
  for (const format::Binding &binding : analysis.bindings)
    mergeKeys(given, binding.schedule, analysis.diagnostics);
  Schedule &schedule = analysis.kernel.schedule;
  schedule.tile = valueOf(given.tile);
  schedule.unroll = valueOf(given.unroll);
  schedule.prefetch = valueOf(given.prefetch);
  schedule.chunk = valueOf(given.chunk);
  if (given.workspace)
    schedule.workspace = given.workspace->value;
  if (given.parallel) {
    schedule.parallel = given.parallel->value;
    schedule.parallelAt = given.parallel->where;
    if (given.parallel->value != kNotParallel)
      checkVariable(analysis, *given.parallel);
  }
  if (!given.order)
    return;
  for (const format::Given<std::string> &variable : given.order->value) {
    checkVariable(analysis, variable);
    schedule.order.push_back(variable.value);
  }
}

void checkParallelLoop(const Analysis &analysis) {
  const std::optional<format::Given<std::string>> &variable = analysis.schedule.parallel;
  if (!variable || variable->value == kNotParallel)
    return;
  const std::vector<Step> &steps = analysis.kernel.steps;
  const auto isOutermost = [&](const Step &step) { return hasOutermostLoop(step, variable->value); };
  if (std::any_of(steps.begin(), steps.end(), isOutermost))
    return;
  Diagnostic &refused =
      analysis.diagnostics.report(kScheduleParallel, variable->where,
                                  "a loop over " + inQuotes(variable->value) + " is the outermost one of no term");
  for (const Step &step : steps)
    if (const auto *statement = std::get_if<Statement>(&step))
      for (const Term &term : statement->terms)
        if (!term.loops.empty())
          refused.note(term.where, "the outermost loop here is over " + inQuotes(term.loops.front().variable));
  refused.advise("name the outermost loop's variable, or put " + inQuotes(variable->value) + " first in \"order\"");
}

} // namespace spc::sema
