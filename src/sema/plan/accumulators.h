// Sums into half floats, which are added up in f32. Private to this folder.
#pragma once

#include "sema/terms/logical_plan.h"

namespace spc::sema {

/// Whether the values of `logical`, whose loops `statement` has in the order that is chosen, would be rounded to its
/// target's half floats more than once each: where several terms are added up, or what the target holds and a term, or
/// where no loop carries a sum to its end.
bool roundsInBetween(const LogicalStatement &logical, const Statement &statement, const Kernel &kernel);

/// The same in f32, into a temporary that is added, and the statement that rounds its elements to the target's.
struct AccumulatedApart {
  LogicalStatement sums, rounding;
};
AccumulatedApart accumulateApart(Planning &planning, const LogicalStatement &logical);

} // namespace spc::sema
