// What the entry refuses before anything is allocated or written.
#pragma once

#include "entry/tensors.h"

namespace spc::entry {

/// The layout of spc_context.
Struct contextStruct(EntryBuilder &build);

enum ContextField : unsigned { kStructSize, kUser, kAllocate, kDeallocate, kParallelFor };

/// A context that is too small, or has one of the memory hooks without the other.
void checkContext(Entry &entry);

/// NULL struct pointers and NULL pointers to order-0 outputs.
void checkObjects(Entry &entry);

/// After bindExtents: sizes that agree, closed forms and symmetric shapes that fit them, no negative numbers.
void checkSizes(Entry &entry);

/// After bindParameters: strides, arrays, patterns and counts, in the order that docs/architecture.md gives.
void checkArguments(Entry &entry);

/// Arrays of a structure that the caller passed: those that the levels' entries need. NULL is fine where a level has
/// none, as far as argument.entries tells.
void checkStructureArrays(Entry &entry, const TensorArgument &argument);

} // namespace spc::entry
