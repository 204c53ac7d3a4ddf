// Sums that are scaled where a row ends. Private to this folder.
#pragma once

#include "sema/kernel.h"

namespace spc::sema {

/// Where what a sum() is multiplied or divided by is applied to it.
enum class Scaling {
  Apart,    ///< in a statement behind that which computes the sum
  Carried,  ///< where the innermost loop ends, which carries the sum, as spc-factor-reductions does it
  InMemory, ///< to each element of a row where that ends, as Term::scalesRows says
};

/// What the loops of a term, such a sum's, allow: one alone adds up, over the entries of a sparse operand's rows or,
/// innermost, over all places. `isOnly`: the statement, of which the target, the type and the zeros before it matter,
/// has no other term.
Scaling scalingOf(const Term &term, bool isOnly, const Statement &statement, const Kernel &kernel);

} // namespace spc::sema
