// Temporaries of the source that no operand's pattern stores and nothing binds: whether they list their entries.
// Private to this folder.
#pragma once

#include "sema/terms/logical_plan.h"

#include <optional>

namespace spc::sema {

/// The format in which such a temporary is assembled, as only sparse operands decide where it has entries and missing
/// ones make nothing of what its readers multiply them by; nullopt where an array of all elements is meant, or less
/// work: a reader has constant indices, asks for the pattern, or calls a function that is not 0 of 0.
std::optional<format::Format> listedFormat(const LogicalStatement &logical, const Planning &planning);

} // namespace spc::sema
