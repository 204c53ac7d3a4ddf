// The entry's arguments: each tensor's sizes, strides, counts and arrays as values.
#pragma once

#include "abi/signature.h"
#include "dialect/attributes.h"
#include "entry/builder.h"
#include "entry/stored_constant.h"
#include "runtime/runtime.h"
#include "sema/kernel.h"

#include <map>
#include <vector>

namespace spc::entry {

/// A tensor's fields. A null Value where the tensor has no such field.
struct TensorView {
  std::vector<mlir::Value> sizes;   ///< by dimension
  std::vector<mlir::Value> strides; ///< by dimension; dense tensors
  mlir::Value stored;
  std::vector<mlir::Value> counts;   ///< by level: entries of a level with segments
  std::vector<mlir::Value> widths;   ///< by level, where it is a run-time number
  std::vector<mlir::Value> pointers; ///< by level; of lengths what they add up to
  std::vector<mlir::Value> lengths;  ///< by level
  std::vector<mlir::Value> indices;  ///< by level
  mlir::Value entries;               ///< interleaved coordinates
  mlir::Value rows;                  ///< by which the rows of a copy are looked up, or NULL
  mlir::Value values;
};

/// One parameter of kind Tensor or Values: its struct, and the fields as the caller passed them. There is no struct of
/// kind Values, of which the values are all that is passed.
struct TensorArgument {
  const abi::Parameter &parameter;
  mlir::Value object;
  Struct type;

  TensorView passed;
  std::vector<mlir::Value> entries; ///< of a structure that the caller passed, as countEntries() gives them

  bool hasStruct() const { return parameter.kind == abi::ParameterKind::Tensor; }
  /// Whether the caller passes a structure: not that of an output which shares one or gets one.
  bool givesStructure = false;
};

/// The argument and the dimension that an extent comes from; null where its number is fixed.
struct ExtentSource {
  const abi::Parameter *parameter = nullptr;
  size_t dimension = 0;
};

class BodyCalls;

/// The entry as far as it has been built.
struct Entry {
  const sema::Kernel &kernel;
  const abi::Signature &signature;
  EntryBuilder &build;
  mlir::Value context;
  runtime::Phase phase = runtime::Phase::Assemble; ///< of a kernel that assembles
  mlir::Value plan;                                ///< of a phase: the caller's spc_plan, or NULL
  mlir::Value alternative;                         ///< the number of the one that the call takes, if there are some
  mlir::Value recomputes;                          ///< whether the call runs the recomputation, once it is known
  mlir::Value merge;                               ///< the bytes of a plan that a body goes by
  const BodyCalls *calls = nullptr;                ///< of what calls bodies
  const StoredConstants *constants = nullptr;      ///< of what has tensors
  std::vector<TensorArgument> arguments;
  IdVector<sema::ExtentId, mlir::Value> extents;
  IdVector<sema::ExtentId, ExtentSource> extentSources;
  IdVector<sema::TensorId, TensorView> tensors; ///< what the body gets
  std::map<sema::TensorId, mlir::Value> held;   ///< of what a sweep holds: the bytes of all rows
};

/// The function argument of parameter `index`; the context comes first.
inline unsigned argumentOf(size_t parameter) {
  return static_cast<unsigned>(parameter) + 1;
}

/// A view of a tensor in a format with room for what dimensions and levels have.
TensorView emptyView(const format::Format &format);

/// Sets the counts of levels that are no fields: the stored values are a multiple of them.
void setCounts(EntryBuilder &build, const format::Format &format, TensorView &view);

/// The place for a struct's field in a view. Requires: the view's vectors have room for all dimensions and levels.
mlir::Value &slot(TensorView &view, const abi::Field &field);

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

/// The sum and a product of a number and values, of which there is one at least; an end of the range where it lies
/// beyond.
mlir::Value addProduct(EntryBuilder &build, mlir::Value sum, int64_t factor, llvm::ArrayRef<mlir::Value> values);

/// A size that follows from others, all of which are bound; an end of the range where it lies beyond.
mlir::Value sumOf(Entry &entry, const sema::ExtentSum &sum);

/// After checkSizes: sets the tensors that are parameters, with the number of values that sizes imply where the struct
/// does not say it. Outputs that share a pattern get the structure of the operand. Leaves with SPC_ERROR_COUNT where a
/// level has more entries than memory can hold.
void bindParameters(Entry &entry);

/// Completes the structs of outputs that share a pattern, once the entry has all tensors.
void fillStructures(Entry &entry);

/// The tensor of that name. Requires: there is one.
const sema::Tensor &tensorNamed(const sema::Kernel &kernel, llvm::StringRef name);

/// One of the kernel's tensors as the entry knows it.
inline const TensorView &viewOf(const Entry &entry, const sema::Tensor &tensor) {
  return entry.tensors[sema::TensorId(&tensor - entry.kernel.tensors.data())];
}

/// The number of blocks of `block` that cover an extent.
mlir::Value blocksOf(EntryBuilder &build, mlir::Value extent, int64_t block);

/// The coordinates of a level: of a dense one all that it stores.
mlir::Value levelExtent(Entry &entry, const sema::Tensor &tensor, const format::Level &level);

/// Every value that the body may ask for, by its bind (docs/why.md, "The body's arguments").
using Binds = llvm::DenseMap<dialect::BindAttr, mlir::Value>;
Binds allBinds(Entry &entry);

} // namespace spc::entry
