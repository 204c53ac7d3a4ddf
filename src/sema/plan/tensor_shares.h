// Which part of each tensor a worker accesses. Private to this folder.
#pragma once

#include "sema/division.h"

namespace spc::sema {

/// The share of each tensor that a statement accesses, the target first; scalars aside. Where terms access different
/// parts of one, the share covers all of them. Requires: the division is of the statement, with its shares missing, and
/// not None.
std::vector<TensorShare> tensorShares(const Kernel &kernel, const Statement &statement, const Division &division);

} // namespace spc::sema
