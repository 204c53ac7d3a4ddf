// The entry's calls of bodies: at once, or in chunks of rows through the context's parallel-for.
#pragma once

#include "codegen/entry_tensors.h"

#include "mlir/Support/LogicalResult.h"

namespace spc::codegen {

/// How a body's rows are divided.
struct Chunks {
  mlir::Value rows;  ///< null where the body takes them all at once
  mlir::Value size;  ///< rows of a chunk, at least 1
  mlir::Value tasks; ///< chunks; 1 where they run one after the other
  mlir::Value hook;  ///< the context's parallel-for, or NULL
};

/// A body with arguments bound as `begin(m)` and `end(m)` computes rows begin … end-1 of the extent m: where the
/// context has a parallel-for and the rows are many, they are divided.
Chunks planChunks(Entry &entry, mlir::LLVM::LLVMFuncOp body);

/// Calls the body with each argument as its spc.bind says, chunk by chunk, each from a task of its own. `assembly` is
/// bound as such; null for a body that assembles nothing. Fails, for a bug of ours, on an argument without a value.
mlir::LogicalResult callBody(Entry &entry, mlir::LLVM::LLVMFuncOp body, const Chunks &chunks, mlir::Value assembly);

} // namespace spc::codegen
