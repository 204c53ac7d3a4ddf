#include "codegen/entry_memory.h"

#include "codegen/entry_copies.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::codegen {
namespace {

using LLVM::ICmpPredicate;

/// Bytes of a temporary; leaves with Status::Memory where they overflow.
Value bytesOf(Entry &entry, const sema::Tensor &tensor) {
  EntryBuilder &build = entry.build;
  const Value one = build.constant(1);
  Value empty = build.truth(false);
  for (sema::ExtentId extent : tensor.extents)
    empty = build.either(empty, build.isZero(entry.extents[extent]));
  Value bytes = build.constant(sema::bytesOf(tensor.type));
  Value overflows = build.truth(false);
  for (sema::ExtentId id : tensor.extents) {
    const Value extent = build.select(empty, one, entry.extents[id]);
    const Value limit = LLVM::UDivOp::create(build.ops(), build.constant(INT64_MAX), extent);
    overflows = build.either(overflows, build.compare(ICmpPredicate::ugt, bytes, limit));
    bytes = build.multiply(bytes, extent);
  }
  build.failIf(overflows, Status::Memory);
  return build.select(empty, build.constant(0), bytes);
}

/// A dense array in row-major order of the format's levels.
TensorView allocateTemporary(Entry &entry, Memory &memory, const sema::Tensor &tensor) {
  EntryBuilder &build = entry.build;
  TensorView view;
  if (tensor.order() == 0) {
    view.values = build.stack(llvmType(build, tensor.type), 1);
    return view;
  }
  const Value bytes = bytesOf(entry, tensor);
  view.values =
      LLVM::CallOp::create(build.ops(), memory.allocator(), mlir::ValueRange{entry.context, bytes}).getResult();
  build.failIf(build.both(build.isNull(view.values), build.negate(build.isZero(bytes))), Status::Memory);
  memory.releaseAtExit(view.values);
  view.strides.resize(tensor.extents.size());
  Value stride = build.constant(1);
  for (auto level = tensor.format.levels.rbegin(); level != tensor.format.levels.rend(); ++level) {
    view.strides[level->dim] = stride;
    stride = build.multiply(stride, entry.extents[tensor.extents[level->dim]]);
  }
  return view;
}

} // namespace

void allocateTensors(Entry &entry, Memory &memory) {
  for (const TensorArgument &argument : entry.arguments)
    scanLengths(entry, memory, argument);
  for (const TensorArgument &argument : entry.arguments)
    if (!argument.parameter.isAssembled)
      entry.tensors[argument.parameter.tensor].pointers =
          entry.tensors[structureOwner(entry.kernel, argument.parameter.tensor)].pointers;
  for (size_t t = 0; t < entry.kernel.tensors.size(); ++t)
    if (entry.kernel.tensors[t].role == sema::TensorRole::Temporary)
      entry.tensors[t] = allocateTemporary(entry, memory, entry.kernel.tensors[t]);
  for (size_t t = 0; t < entry.kernel.tensors.size(); ++t)
    if (entry.kernel.tensors[t].role == sema::TensorRole::Converted)
      entry.tensors[t] = copyConverted(entry, memory, entry.kernel.tensors[t]);
}

} // namespace spc::codegen
