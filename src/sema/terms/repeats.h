// Operands that may list an entry several times.
#pragma once

#include "sema/kernel.h"
#include "sema/tree.h"

namespace spc::sema {

/// Whether loops that take in what a sparse operand of a term stores, one by one, give what they would for entries that
/// are combined as its format says: none repeats; or they are summed, and the term is a sum of products with them once,
/// whatever functions of dense operands the other factors are, and no number is made of bools; or the least, or the
/// greatest, of them is that of the term, in which nothing else is sparse. `computeType` is the statement's.
bool mayReadRepeats(const Node &term, AccessId operand, Reduction reduction, ValueType computeType, const Scope &scope,
                    const Kernel &kernel);

} // namespace spc::sema
