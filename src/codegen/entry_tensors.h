// What the entry knows of its arguments: each tensor's sizes, strides, counts and arrays as values.
#pragma once

#include "abi/signature.h"
#include "codegen/entry_builder.h"
#include "sema/kernel.h"

#include "llvm/ADT/StringMap.h"

#include <vector>

namespace spc::codegen {

/// A tensor's fields. A null Value where the tensor has no such field.
struct TensorView {
  std::vector<mlir::Value> sizes;   ///< by dimension
  std::vector<mlir::Value> strides; ///< by dimension; dense tensors
  mlir::Value count;                ///< entries at a compressed root
  mlir::Value stored;
  std::vector<mlir::Value> pointers; ///< by level
  std::vector<mlir::Value> indices;  ///< by level
  mlir::Value values;
};

/// One parameter of kind Tensor: its struct, and the fields as the caller passed them.
struct TensorArgument {
  const abi::Parameter &parameter;
  mlir::Value object;
  Struct type;
  TensorView passed;
};

/// The entry as far as it has been built.
struct Entry {
  const sema::Kernel &kernel;
  const abi::Signature &signature;
  EntryBuilder &build;
  mlir::Value context;
  std::vector<TensorArgument> arguments;
  std::vector<mlir::Value> extents; ///< by ExtentId
  std::vector<TensorView> tensors;  ///< by TensorId: what the body gets
};

/// The function argument of parameter `index`; the context comes first.
inline unsigned argumentOf(size_t parameter) {
  return static_cast<unsigned>(parameter) + 1;
}

/// The LLVM struct of a C struct.
Struct llvmStruct(EntryBuilder &build, const abi::StructType &type);

/// The element type of a value type.
mlir::Type llvmType(EntryBuilder &build, sema::ValueType type);

/// Loads every field of every struct argument into `arguments`. The struct pointers are known not to be NULL.
void loadArguments(Entry &entry);

/// Chooses where each extent's value comes from: its number, else the first argument that has it (an output that shares
/// a pattern only where nothing else does, since its sizes may be yet unset).
/// Fails, for a bug of ours, on an extent that no parameter has.
mlir::LogicalResult bindExtents(Entry &entry);

/// Sets the tensors that are parameters. Outputs that share a pattern get the structure of the operand.
void bindParameters(Entry &entry);

/// Every value that the body may ask for, by its bind (docs/architecture.md, "The body's arguments").
llvm::StringMap<mlir::Value> allBinds(const Entry &entry);

} // namespace spc::codegen
