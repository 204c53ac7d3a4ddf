// How many loops MLIR's sparsifier makes of a term with a domain. Private to this folder.
#pragma once

#include "sema/tree.h"

namespace spc::sema {

/// Up to here each set of operands with entries left has loops of its own, which compare the fewest coordinates.
inline constexpr double kMaxLoopsToMerge = 32;

/// How many bodies the loops have that merge a term's operands, all of them: each operand may have come to its end at
/// each of the levels that it lists. `accesses`: what the term reads; operands outside of the domain are looked up.
double loopsToMerge(const AccessDomain &domain, const std::vector<AccessId> &accesses, const Scope &scope,
                    const Kernel &kernel);

} // namespace spc::sema
