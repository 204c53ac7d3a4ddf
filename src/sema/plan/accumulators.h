// Sums into half floats, which are added up in f32. Private to this folder.
#pragma once

#include "sema/terms/logical_plan.h"

namespace spc::sema {

/// Whether a statement's values, with its loops in the order that is chosen, would be rounded to its target's half
/// floats more than once each: where several terms are added up, or where no loop carries a sum to its end.
bool roundsInBetween(const Statement &statement, const Kernel &kernel);

/// Adds a temporary with the target's elements in f32, for `statement` to write, and gives the statement that rounds
/// them to the target, or adds them to it where `logical` does.
LogicalStatement accumulateApart(Analysis &analysis, const LogicalStatement &logical, Statement &statement);

} // namespace spc::sema
