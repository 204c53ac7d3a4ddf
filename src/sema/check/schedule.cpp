// The schedules of format files.
#include "sema/check/checking.h"

namespace spc::sema {
namespace {

constexpr DiagnosticKind kScheduleVariable{"schedule-variable", Severity::Error};

void checkVariable(Checking &checking, const format::Given<std::string> &name) {
  std::vector<std::string> known;
  for (const auto &[variable, where] : checking.program.indexNames) {
    if (variable == name.value)
      return;
    known.push_back(variable);
  }
  Diagnostic &unknown = checking.diagnostics.report(kScheduleVariable, name.where,
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

void readSchedules(Checking &checking) {
  format::Schedule &given = checking.program.given;
  for (const format::Binding &binding : checking.bindings)
    mergeKeys(given, binding.schedule, checking.diagnostics);
  Schedule &schedule = checking.program.schedule;
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
      checkVariable(checking, *given.parallel);
  }
  if (!given.order)
    return;
  for (const format::Given<std::string> &variable : given.order->value) {
    checkVariable(checking, variable);
    schedule.order.push_back(variable.value);
  }
}

} // namespace spc::sema
