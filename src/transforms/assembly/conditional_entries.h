// Entries that are appended under a condition.
#pragma once

#include "dialect/dialect.h"

namespace spc::transforms {

/// Lets the loops over segments of an open run write each entry that is appended under a condition to the next place,
/// and count it where the condition holds: processors foresee few of the conditions that coordinates decide.
void appendWithoutBranches(dialect::OpenRunOp run);

} // namespace spc::transforms
