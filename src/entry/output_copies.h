// Copies of a dense output to which chunks of a body add apart from each other, and their sum.
#pragma once

#include "entry/allocator.h"

namespace spc::entry {

/// Bytes: memory of two tasks that is so far apart shares no cache lines, nor the next ones that are fetched with them.
inline constexpr int64_t kApart = 128;

/// One copy for each chunk but the first one, whose copy is the output itself.
struct OutputCopies {
  mlir::Value memory; ///< NULL where there was none
  mlir::Value bytes;  ///< from one copy to the next
};

/// Starts an internal function `void name(ptr closure, i64 index)` and leaves the builder in it.
mlir::LLVM::LLVMFuncOp defineTask(EntryBuilder &build, const std::string &name);

/// Calls `task(closure, index)` for each index below `tasks` through the context's parallel-for.
void runTasks(Entry &entry, mlir::Value hook, mlir::Value tasks, mlir::LLVM::LLVMFuncOp task, mlir::Value closure);

/// The number of chunks that pays for the work: setting the copies to zero and adding them up must cost little beside
/// it. It is what memory allows where `work` is null, and 0 where the output's elements are not contiguous.
mlir::Value mostCopies(Entry &entry, const sema::Tensor &output, mlir::Value work);

/// Allocates copies for all chunks but the first.
OutputCopies allocateCopies(Entry &entry, Memory &memory, const sema::Tensor &output, mlir::Value chunks);

/// Adds the copies to the output, element by element in the order of the chunks; in parallel where that pays. `name` is
/// that of the function whose copies they are.
void addCopies(Entry &entry, const std::string &name, const sema::Tensor &output, const OutputCopies &copies,
               mlir::Value hook, mlir::Value chunks);

void releaseCopies(Entry &entry, Memory &memory, const OutputCopies &copies);

} // namespace spc::entry
