// The checks of an entry of a kernel that is compiled with --checked, beyond entry/checks.h: of arrays' contents.
#pragma once

#include "entry/tensors.h"

namespace spc::entry {

/// Leaves with SPC_ERROR_STRIDE where elements of a dense output share a place, and with SPC_ERROR_OVERLAP where what
/// is written is another argument's too. To be called after checkArguments.
void checkMemory(Entry &entry);

/// Checks every structure that the caller passes, as the validators of the headers do. To be called once lengths are
/// added up, before anything else reads indices.
void checkContents(Entry &entry);

} // namespace spc::entry
