// Ties of index variables as operands.
#pragma once

#include "entry/allocator.h"

namespace spc::entry {

/// Makes the entries of a tie, released on every way out. Leaves with what the runtime reports.
TensorView makeTie(Entry &entry, Memory &memory, const sema::Tensor &tensor);

} // namespace spc::entry
