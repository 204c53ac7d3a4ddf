// Sparse operands at constants and repeated indices, A(3, j) and A(i, i). Private to this folder.
#pragma once

#include "sema/terms/logical_plan.h"

namespace spc::sema {

/// The computation of what a sparse operand holds at constants and repeated indices, as a dense tensor over its other
/// variables: all of its entries are visited once. The statement lacks its statement and its target. Reports windows,
/// whose entries would have to be searched for.
LogicalStatement pickEntries(AccessId access, Span where, Scope &scope, const Kernel &kernel, Diagnostics &diagnostics);

/// Reports a pattern that cannot be asked for: at other indices than plain variables.
void checkPattern(AccessId access, Span where, const Scope &scope, const Kernel &kernel, Diagnostics &diagnostics);

} // namespace spc::sema
