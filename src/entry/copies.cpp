#include "entry/copies.h"

#include "entry/checks.h"
#include "entry/counts.h"
#include "entry/descriptors.h"
#include "entry/runtime_parts.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
TensorView copyConverted(Entry &entry, Memory &memory, const sema::Tensor &tensor) {
  EntryBuilder &build = entry.build;
  Descriptors descriptors(entry);
  const Value allocator = descriptors.allocator(memory);
  const sema::Tensor &from = entry.kernel.tensors[tensor.as<sema::Converted>()->source];
  const Value workers = descriptors.workers();
  const Value source = descriptors.describe(from, entry.tensors[tensor.as<sema::Converted>()->source]);
  const Value copy = descriptors.describe(tensor, {});
  const Value withValues = build.constant(entry.phase != runtime::Phase::Symbolic);
  build.failUnlessOk(build.call(converterFor(from, tensor), {allocator, workers, source, copy, withValues}));
  TensorView view = descriptors.readPacked(tensor, copy);
  if (tensor.order() == 1)
    view.strides = {build.constant(1)};
  for (const std::vector<Value> &arrays : {view.pointers, view.indices})
    for (Value array : arrays)
      if (array)
        memory.releaseAtExit(array);
  memory.releaseAtExit(view.values);
  return view;
}

void scanLengths(Entry &entry, Memory &memory, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const sema::Tensor &tensor = entry.kernel.tensors[argument.parameter.tensor];
  TensorView &view = entry.tensors[argument.parameter.tensor];
  if (!argument.givesStructure)
    return;
  const int64_t width = format::bits(tensor.format.pointers) / 8;
  for (size_t k = 0; k < tensor.format.levels.size(); ++k) {
    if (tensor.format.levels[k].extent != format::Extent::Lengths)
      continue;
    const Value parents = argument.entries[k];
    const Value count = LLVM::AddOp::create(build.ops(), parents, build.constant(1));
    const Value bytes = build.multiply(count, build.constant(width));
    const Value pointers =
        LLVM::CallOp::create(build.ops(), memory.allocator(), mlir::ValueRange{entry.context, bytes}).getResult();
    build.failIf(build.isNull(pointers), Status::Memory);
    memory.releaseAtExit(pointers);
    build.failUnlessOk(
        build.call(runtime::functions::scan, {view.lengths[k], pointers, build.constant(width), parents}));
    view.pointers[k] = pointers;
    checkLastPointer(entry, tensor, view, k, argument.entries);
  }
}

} // namespace spc::entry
