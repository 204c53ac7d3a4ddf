// The memory that the entry allocates: temporaries, and copies of operands in another storage. And views, which need no
// memory.
#pragma once

#include "entry/allocator.h"

namespace spc::entry {

/// Allocates the temporaries and makes the converted copies, but those of the recomputation, and the views, setting
/// what the body gets of them; all of it is released on every way out. Leaves with Status::Memory, or with what the
/// copying reports.
void allocateTensors(Entry &entry, Memory &memory);

/// Whether the call runs a sweep as one, which then allocates what it holds.
bool runsTogether(Entry &entry, const sema::Sweep &sweep);

/// Allocates those temporaries, and makes those copies, that the recomputation alone uses, where the call runs it.
void allocateForRecomputation(Entry &entry, Memory &memory);

} // namespace spc::entry
