// The value of the missing entries of a statement's target. Private to this folder.
#pragma once

#include "sema/terms/logical_plan.h"

namespace spc::sema {

/// Gives a target without a declared fill what the first statement that writes it makes of places where nothing is
/// stored; outputs only where an operand has such a fill, too. The fill becomes the statement's target default where
/// elements are set one by one.
void inferFill(Planning &planning, LogicalStatement &logical);

/// Once the target's format is settled: drops the fill of a dense one, reports a statement that makes something else of
/// missing entries and formats that cannot have the fill, and notes one that is inferred for a format given by the
/// user.
void checkFill(Planning &planning, LogicalStatement &logical);

} // namespace spc::sema
