// Statements all of whose terms are sums of nothing in a call (sema::Statement::emptyWith).
#pragma once

#include "entry/tensors.h"

namespace spc::entry {

/// Whether the call's extents leave a statement without terms; null where none may.
mlir::Value isEmpty(Entry &entry, const sema::Statement &statement);

/// Does what such a statement does without its terms: sets its target, which is dense, to 0 unless it adds to that.
void runEmpty(Entry &entry, const sema::Statement &statement);

} // namespace spc::entry
