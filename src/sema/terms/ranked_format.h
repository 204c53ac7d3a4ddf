// How temporaries are stored that are ranked. Private to this folder.
#pragma once

#include "sema/terms/logical_plan.h"

namespace spc::sema {

/// Whether the target of a statement is a temporary of a ranking (sema/rankings.h). What is to be ranked is then stored
/// by its entries, in the order of its dimensions, if only sparse operands say which elements each term has; all else
/// is dense.
bool storeRanked(Planning &planning, const LogicalStatement &logical);

} // namespace spc::sema
