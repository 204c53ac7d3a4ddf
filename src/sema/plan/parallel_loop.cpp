#include "sema/terms/planning.h"

#include <algorithm>

namespace spc::sema {

constexpr DiagnosticKind kScheduleParallel{"schedule-parallel", Severity::Error};

void checkParallelLoop(const Planning &planning) {
  const std::optional<format::Given<std::string>> &variable = planning.given.parallel;
  if (!variable || variable->value == kNotParallel)
    return;
  const std::vector<Step> &steps = planning.kernel.steps;
  const auto isOutermost = [&](const Step &step) { return hasOutermostLoop(step, variable->value); };
  if (std::any_of(steps.begin(), steps.end(), isOutermost))
    return;
  Diagnostic &refused =
      planning.diagnostics.report(kScheduleParallel, variable->where,
                                  "a loop over " + inQuotes(variable->value) + " is the outermost one of no term");
  for (const Step &step : steps)
    if (const auto *statement = std::get_if<Statement>(&step))
      for (const Term &term : statement->terms)
        if (!term.loops.empty())
          refused.note(term.where, "the outermost loop here is over " + inQuotes(term.loops.front().variable));
  refused.advise("name the outermost loop's variable, or put " + inQuotes(variable->value) + " first in \"order\"");
}

} // namespace spc::sema
