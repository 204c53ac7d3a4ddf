// Structures that the runtime makes for the entry: copies in another storage, pointers from lengths.
#pragma once

#include "entry/allocator.h"

namespace spc::entry {

/// Copies the source of a converted tensor into its storage, released on every way out; nothing where the call does
/// without the copy, whose arrays are NULL then. Leaves with what the runtime reports.
TensorView copyConverted(Entry &entry, Memory &memory, const sema::Tensor &tensor);

/// Gives the pointers arrays that the lengths of a parameter add up to, released on every way out. Leaves with what the
/// runtime reports.
void scanLengths(Entry &entry, Memory &memory, const TensorArgument &argument);

} // namespace spc::entry
