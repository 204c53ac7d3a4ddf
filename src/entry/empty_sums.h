// Statements all of whose terms are sums of nothing in a call (sema::Statement::emptyWith).
#pragma once

#include "entry/tensors.h"

#include <functional>

namespace spc::entry {

/// Builds `run()`, which calls the body of a statement, and gives what it does. Where the call's extents leave that
/// without terms, it is passed by: a dense target is set to 0 unless the statement adds to it, and an assembled one
/// gets no entries.
mlir::LogicalResult runUnlessEmpty(Entry &entry, const sema::Statement &statement,
                                   const std::function<mlir::LogicalResult()> &run);

} // namespace spc::entry
