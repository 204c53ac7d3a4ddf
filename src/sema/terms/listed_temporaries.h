// Temporaries of the source that no operand's pattern stores and nothing binds: whether they list their entries.
// Private to this folder.
#pragma once

#include "sema/terms/logical_plan.h"

#include <optional>
#include <set>

namespace spc::sema {

/// The format in which such a temporary is assembled, as only sparse operands decide where it has entries and missing
/// ones make nothing of what its readers multiply them by; nullopt where an array of all elements is meant, or less
/// work: a reader has constant indices, asks for the pattern, or calls a function that is not 0 of 0.
std::optional<format::Format> listedFormat(const LogicalStatement &logical, const Planning &planning);

/// Whether an addend of a temporary has elements everywhere: it is made of operands and vectors that are arrays.
bool hasWholeAddend(const ResolvedStatement &made, const Planning &planning);

/// Whether a temporary of two or more indices is an array of all elements though sparse operands are multiplied in it:
/// an addend has elements everywhere; or none of these has all of its indices, and they list none of them, or a reader
/// makes something of places without entries.
bool isArrayOfSparse(const ResolvedStatement &made, const Planning &planning);

/// Temporaries that have no elements where sparse operands have none.
std::set<TensorId> partialTemporaries(const Planning &planning);

/// Whether all that a statement reads is dense, and none of it among these; but equations that scale some addends.
bool isMadeOfWhole(const ResolvedStatement &made, const std::set<TensorId> &partial, const Planning &planning);

} // namespace spc::sema
