// Operands that may list an entry several times.
#pragma once

#include "sema/kernel.h"
#include "sema/tree.h"

namespace spc::sema {

/// Whether a value is an operand times what does not depend on it, or a sum of such products, so that the value of a
/// sum is the sum of values.
bool isProportionalTo(const Node &node, AccessId operand);

/// Whether a product, or a sum of products, is the sum of what it is of each part of an operand's tensor: it reads that
/// once, or once in each addend, with the same indices.
bool isSumOfParts(const Node &term, AccessId operand, const Scope &scope);

/// Whether loops that take in what a sparse operand of a term stores, one by one, give what they would for entries that
/// are combined as its format says: none repeats; or they are summed, and the term is a sum of products with them once
/// each, whatever functions of dense operands the other factors are, and no number is made of bools; or the least, or
/// the greatest, of them is that of the term, in which nothing else is sparse. `computeType` is the statement's.
bool mayReadRepeats(const Node &term, AccessId operand, Reduction reduction, ValueType computeType, const Scope &scope,
                    const Kernel &kernel);

} // namespace spc::sema
