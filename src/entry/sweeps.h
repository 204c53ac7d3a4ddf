// Sweeps: the entry's runs of several bodies together, piece by piece of their rows (sema/plan/sweeps.h).
#pragma once

#include "entry/call.h"

namespace spc::entry {

/// Whether all bodies of a sweep are cut at the same rows, each of which belongs to one chunk. sema plans it so; loops
/// may turn out otherwise.
bool areCutAlike(Entry &entry, const sema::Sweep &sweep);

/// Builds the run of a sweep, whose bodies are cut alike. Allocates what it holds, for which Entry::held has the bytes
/// of all rows: for each task that may run at once memory for the largest piece, or, where that is no less, for all
/// rows once. Leaves with Status::Memory where there is none. Fails, for a bug of ours, on a body that cannot be
/// called.
mlir::LogicalResult runSweep(Entry &entry, Memory &memory, const sema::Sweep &sweep);

} // namespace spc::entry
