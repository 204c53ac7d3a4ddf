// Loops of which an equality leaves at most one iteration. Private to this folder.
#pragma once

#include "sema/kernel.h"
#include "sema/terms/logical_plan.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace spc::sema {

/// The loops of a statement's term `select(q == i + p, e, 0)` that the others settle: one an equality, as
/// spc-narrow-loops runs them only where it may hold. `listed`: the loops over entries of sparse operands, which run as
/// they are stored.
std::set<LoopId> settledLoops(const Term &term, const Statement &statement, const Kernel &kernel,
                              const std::set<LoopId> &listed);

/// A pair of index variables that a factor of a statement's term has to be equal, else it is 0, while loops run over
/// all pairs of them, more than an operand stores, and add up: the names, that of one that is summed over last, or
/// nullopt.
std::optional<std::pair<std::string, std::string>> unsettledPair(const Term &term, const Statement &statement,
                                                                 const Kernel &kernel);

/// A pair of index variables that a term is 0 for but where they are a few steps from each other, by conditions that
/// are no equation alone, while loops run over all pairs of them, more than an operand or a result stores.
std::optional<std::pair<std::string, std::string>> bandedPair(const LogicalTerm &term, const LogicalStatement &logical,
                                                              const Scope &scope, const Kernel &kernel);

} // namespace spc::sema
