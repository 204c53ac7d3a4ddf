// Sums that run over nothing, though the loops of their term do not say so. Private to this folder.
#pragma once

#include "sema/terms/logical_plan.h"
#include "sema/terms/planning.h"

#include <vector>

namespace spc::sema {

/// The extents with which all terms of a statement are sums of nothing, of those that some term adds up over in a part
/// (docs/why.md): what the part is multiplied by may be infinite, beside its 0. A term that such an extent leaves alone
/// keeps all others from being left out with it.
std::vector<ExtentId> extentsThatEmpty(const LogicalStatement &logical, const Planning &planning);

/// Notes which terms of a planned statement are sums of nothing beside others. `logical`: what each of them was.
void noteEmptyTerms(Statement &statement, const std::vector<const LogicalTerm *> &logical, const Planning &planning,
                    const Scope &scope);

} // namespace spc::sema
