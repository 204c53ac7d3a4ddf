// The loop order that a schedule sets. Private to this folder.
#pragma once

#include "sema/terms/logical_plan.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::sema {

/// A term's variables in the order that the schedule sets, outermost first; nullopt where it sets none or one of other
/// variables.
std::optional<std::vector<VariableId>> inPrescribedOrder(const Planning &planning,
                                                         const std::vector<VariableId> &variables, const Scope &scope);

/// Reports a schedule's order that is of no term's variables, with what the nearest term has more or less.
void checkPrescribedOrder(const Planning &planning, const std::vector<Expansion> &expansions);

/// Warns of a prescribed order whose cost, as the planner estimates it, is greater by a factor of a fiber's length than
/// that of the cheapest one, which is `cheapestOrder`.
void warnIfSlow(const Planning &planning, const LogicalTerm &term, double cost, double cheapest,
                const std::string &cheapestOrder);

/// "[\"i\", \"k\", \"j\"]", as a format file has it.
std::string listOfNames(const std::vector<VariableId> &variables, const Scope &scope);

} // namespace spc::sema
