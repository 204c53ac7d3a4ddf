// What a plan costs, as a formula for people. Private to this folder.
#pragma once

#include "sema/kernel.h"

#include <string>

namespace spc::sema {

/// How often the innermost bodies of a statement's loops run, in extents and in numbers of entries: `nnz(S)*k`. Where a
/// sparse operand continues the loops of another, its entries count by what they are on average for each coordinate
/// that is fixed, `nnz(A)*nnz(B)/k`; where operands are merged, those of each. Empty rows, searches and copies are left
/// out.
std::string costOf(const Statement &statement, const Kernel &kernel);

} // namespace spc::sema
