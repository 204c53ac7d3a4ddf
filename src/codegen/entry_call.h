// The entry's call of the body: at once, or in chunks of rows through the context's parallel-for.
#pragma once

#include "codegen/entry_tensors.h"

#include "mlir/Support/LogicalResult.h"

namespace spc::codegen {

/// Calls the body with each argument as its spc.bind says. A body with arguments bound as `begin(m)` and `end(m)`
/// computes rows begin … end-1 of the extent m: where the context has a parallel-for and the rows are many, it is
/// called in chunks, each from its own task. Fails, for a bug of ours, on an argument without a value.
mlir::LogicalResult callBody(Entry &entry, mlir::LLVM::LLVMFuncOp body);

} // namespace spc::codegen
