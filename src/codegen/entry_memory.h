// What the entry allocates: temporaries, and copies of operands in another storage.
#pragma once

#include "codegen/entry_tensors.h"

namespace spc::codegen {

/// Allocates the temporaries and makes the converted copies, setting their views; all of it is released on every way
/// out. Leaves with Status::Memory, or with what the copying reports.
void allocateTensors(Entry &entry);

} // namespace spc::codegen
