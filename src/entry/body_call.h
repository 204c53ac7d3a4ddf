// The arguments of a body's call.
#pragma once

#include "entry/call.h"

namespace spc::entry {

/// The arguments of a body, by position, and which of them say what a chunk is; -1 where none does.
struct BodyCall {
  mlir::SmallVector<mlir::Value> arguments; ///< null at `begin`, `end` and `chunk`
  int begin = -1, end = -1, chunk = -1, copied = -1;
  mlir::SmallVector<mlir::Value, 1> positions; ///< what has arrays that the body takes: releasePositions()
};

/// Sets each argument of a body as its spc.bind says; `chunks` and `assembly` are as for BodyCalls::call(). Fails, for
/// a bug of ours, on an argument without a value.
mlir::LogicalResult bindArguments(Entry &entry, Memory &memory, mlir::LLVM::LLVMFuncOp body, const Chunks &chunks,
                                  mlir::Value assembly, BodyCall &call);

/// Releases what the body's calls have allocated, behind the last one.
void releasePositions(Entry &entry, const BodyCall &call);

} // namespace spc::entry
