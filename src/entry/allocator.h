// Memory of the entry: the context's hooks, else malloc and free.
#pragma once

#include "entry/tensors.h"

namespace spc::entry {

/// A declaration of function `name`, made once a module.
mlir::LLVM::LLVMFuncOp declareFunction(EntryBuilder &build, const std::string &name, mlir::Type result,
                                       mlir::ArrayRef<mlir::Type> parameters);

/// Memory of one entry: two internal functions that choose between the context's hooks and malloc, made when needed.
class Memory {
public:
  explicit Memory(Entry &entry) : entry_(entry), function_(entry.signature.function) {}

  /// `ptr allocate(ptr context, i64 bytes)`: NULL for 0 bytes and where memory ran out.
  mlir::LLVM::LLVMFuncOp allocator();
  /// `void release(ptr context, ptr memory)`: memory may be NULL.
  mlir::LLVM::LLVMFuncOp releaser();
  void releaseAtExit(mlir::Value memory);
  /// The same where a truth holds.
  void releaseAtExit(mlir::Value memory, mlir::Value isOwn);
  /// The same of all arrays of a tensor.
  void releaseAtExit(const TensorView &view);

private:
  mlir::LLVM::LLVMFuncOp defined(const std::string &name);
  mlir::LLVM::LLVMFuncOp define(const std::string &name, mlir::Type result, mlir::Type parameter);
  /// Branches on whether the context has the memory hook `field`; leaves the builder in the first of the blocks.
  std::pair<mlir::Block *, mlir::Block *> branchOnHook(mlir::LLVM::LLVMFuncOp function, mlir::Value context,
                                                       unsigned field);
  mlir::Value callMalloc(mlir::Value bytes);
  void adviseHugePages(mlir::Value begin, mlir::Value bytes);
  mlir::Value isMappedAlone(mlir::Value memory, mlir::Value bytes);
  mlir::Value makeHuge(mlir::Value memory, mlir::Value bytes);
  void callFree(mlir::Value memory);
  mlir::Value callAlignedAlloc(mlir::Value bytes);
  mlir::Value callStandard(mlir::Value bytes);

  Entry &entry_;
  std::string function_;
  mlir::LLVM::LLVMFuncOp allocator_;
  mlir::LLVM::LLVMFuncOp releaser_;
};

} // namespace spc::entry
