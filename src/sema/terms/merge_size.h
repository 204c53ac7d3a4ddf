// How many loops MLIR's sparsifier makes of a term with a domain.
#pragma once

#include "sema/terms/logical_plan.h"

namespace spc::sema {

/// How many bodies the loops have that merge a term's operands, all of them: each operand may have come to its end at
/// each of the levels that it lists. `accesses`: what the term reads; operands outside of the domain are looked up.
double loopsToMerge(const AccessDomain &domain, const std::vector<AccessId> &accesses, const Scope &scope,
                    const Kernel &kernel);

/// Up to how many loops each set of a term's operands with entries left has loops of its own, which compare the fewest
/// coordinates; beyond, a union is one loop. The more such terms a kernel has, the fewer: its code stays small.
double mostLoopsToMerge(const Planning &planning, const std::vector<Expansion> &expansions);

} // namespace spc::sema
