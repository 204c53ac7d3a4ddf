// Plans of two phases: what a phase tells the runtime of the one that its caller passed.
#pragma once

#include "entry/descriptors.h"

namespace spc::entry {

/// The runtime's Planning of this phase; null for a call in one phase. It has a fingerprint of the kernel, its extents
/// and the structures of its operands, which is worked out where the caller passed a plan.
mlir::Value describePlanning(Entry &entry, Descriptors &descriptors);

/// Whether the caller wants a plan, in the symbolic phase, or has one, in the numeric one.
mlir::Value hasPlan(Entry &entry);

} // namespace spc::entry
