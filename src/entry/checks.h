// The checks of the entry before anything is allocated or written.
#pragma once

#include "entry/tensors.h"

namespace spc::entry {

/// The layout of spc_context.
Struct contextStruct(EntryBuilder &build);
/// The context's `parallel_cost`, a pointer; NULL where it has none, as those of programs that know fewer fields.
mlir::Value loadParallelCost(Entry &entry);

enum ContextField : unsigned { kStructSize, kUser, kAllocate, kDeallocate, kParallelFor, kParallelCost, kNote };

/// Refuses a context that is too small, or has one of the memory hooks without the other.
void checkContext(Entry &entry);

/// Refuses NULL struct pointers and NULL pointers to order-0 outputs.
void checkObjects(Entry &entry);

/// Checks that sizes agree, that closed forms and symmetric shapes fit them, and that no number is negative. To be
/// called after bindExtents.
void checkSizes(Entry &entry);

/// Checks strides, arrays, patterns and counts, in the order that docs/why.md gives. To be called after
/// bindParameters.
void checkArguments(Entry &entry);

} // namespace spc::entry
