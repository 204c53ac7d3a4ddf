// Ties of index variables as operands.
#pragma once

#include "entry/allocator.h"

namespace spc::entry {

/// Whether the entries of a tie are read, or looked at for what they promise: loops over the one of a row do without.
bool isNeeded(Entry &entry, sema::TensorId tie);

/// What is known of a tie whose entries are not made: how many it has at most.
TensorView tieWithoutLists(Entry &entry, const sema::Tensor &tensor);

/// Makes what is read of the entries of a tie, released on every way out. Leaves with what the runtime reports.
TensorView makeTie(Entry &entry, Memory &memory, sema::TensorId tie);

} // namespace spc::entry
