#include "format/schedule.h"

namespace spc::format {

namespace {

constexpr DiagnosticKind kScheduleConflict{"schedule-conflict", Severity::Error};

/// Calls `visit` with each key's name and its value in both.
template <typename Visit> void forEachKey(Schedule &schedule, const Schedule &from, Visit visit) {
  visit("tile", schedule.tile, from.tile);
  visit("unroll", schedule.unroll, from.unroll);
  visit("prefetch", schedule.prefetch, from.prefetch);
  visit("chunk", schedule.chunk, from.chunk);
  visit("workspace", schedule.workspace, from.workspace);
  visit("order", schedule.order, from.order);
  visit("parallel", schedule.parallel, from.parallel);
}

} // namespace

void replaceKeys(Schedule &schedule, const Schedule &from) {
  forEachKey(schedule, from, [](const char *, auto &value, const auto &other) {
    if (other)
      value = other;
  });
}

void mergeKeys(Schedule &schedule, const Schedule &from, Diagnostics &diagnostics) {
  forEachKey(schedule, from, [&](const char *key, auto &value, const auto &other) {
    if (value && other && *value != *other)
      diagnostics
          .report(kScheduleConflict, other->where, std::string("the schedules of two formats differ in '") + key + "'")
          .note(value->where, "the other one is here");
    if (!value)
      value = other;
  });
}

} // namespace spc::format
