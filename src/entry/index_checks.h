// Whether sizes have room for what indexes tensors, in code of the entry.
#pragma once

#include "entry/tensors.h"

namespace spc::entry {

/// Leaves with SPC_ERROR_SHAPE where an index would lie outside of what it indexes, or where there are more linear
/// places than an i64 counts. No array is read. Requires: no size is negative.
void checkIndices(Entry &entry);

} // namespace spc::entry
