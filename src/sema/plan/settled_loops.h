// Loops of which an equality leaves at most one iteration. Private to this folder.
#pragma once

#include "sema/kernel.h"

#include <set>

namespace spc::sema {

/// The loops of a statement's term `select(q == i + p, e, 0)` that the others settle: one an equality, as
/// spc-narrow-loops runs them only where it may hold. `listed`: the loops over entries of sparse operands, which run as
/// they are stored.
std::set<LoopId> settledLoops(const Term &term, const Statement &statement, const Kernel &kernel,
                              const std::set<LoopId> &listed);

} // namespace spc::sema
