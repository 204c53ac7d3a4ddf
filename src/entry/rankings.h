// Rankings: the entry's calls of the runtime for them.
#pragma once

#include "entry/descriptors.h"

namespace spc::entry {

/// Makes the runtime put the first elements of rows in order into a dense tensor; leaves with what it reports.
void rank(Entry &entry, Memory &memory, const sema::Ranking &ranking);

} // namespace spc::entry
