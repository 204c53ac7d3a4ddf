#include "entry/memory.h"

#include "entry/alternatives.h"
#include "entry/call.h"
#include "entry/checked.h"
#include "entry/copies.h"
#include "entry/places.h"
#include "entry/ties.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

using LLVM::ICmpPredicate;

/// The product of counts of a temporary, 0 where the call does without it; leaves with Status::Memory where the bytes
/// of as many elements overflow.
Value elementsOf(Entry &entry, const sema::Tensor &tensor, llvm::ArrayRef<Value> counts) {
  EntryBuilder &build = entry.build;
  const Value one = build.constant(1);
  const Value used = isUsed(entry, tensor);
  Value empty = used ? build.negate(used) : build.truth(false);
  for (Value count : counts)
    empty = build.either(empty, build.isZero(count));
  Value elements = one;
  Value limit = build.constant(INT64_MAX / sema::bytesOf(tensor.type));
  Value overflows = build.truth(false);
  for (Value count : counts) {
    const Value factor = build.select(empty, one, count);
    overflows = build.either(overflows, build.compare(ICmpPredicate::ugt, factor, limit));
    limit = LLVM::UDivOp::create(build.ops(), limit, factor);
    elements = build.multiply(elements, factor);
  }
  build.failIf(overflows, Status::Memory, placeOf(entry, tensor));
  return build.select(empty, build.constant(0), elements);
}

/// Memory for the elements of a temporary that every way out releases; leaves with Status::Memory where there is none.
/// Of what a sweep holds that allocates a piece.
Value allocate(Entry &entry, Memory &memory, sema::TensorId id, Value elements) {
  EntryBuilder &build = entry.build;
  const sema::Tensor &tensor = entry.kernel.tensors[id];
  const Value bytes = build.multiply(elements, build.constant(sema::bytesOf(tensor.type)));
  if (const sema::Sweep *sweep = sema::holderOf(entry.kernel, id); sweep && runsTogether(entry, *sweep)) {
    entry.held[id] = bytes;
    return build.null();
  }
  const Value array =
      LLVM::CallOp::create(build.ops(), memory.allocator(), mlir::ValueRange{entry.context, bytes}).getResult();
  build.failIf(build.both(build.isNull(array), build.negate(build.isZero(bytes))), Status::Memory,
               placeOf(entry, tensor, bytes));
  memory.releaseAtExit(array);
  return array;
}

/// The structure of a pattern's owner, with values of its own: for each entry as many as the tail has.
TensorView allocateShared(Entry &entry, Memory &memory, sema::TensorId id) {
  const sema::Tensor &tensor = entry.kernel.tensors[id];
  TensorView view = entry.tensors[sema::structureOwner(entry.kernel, id)];
  llvm::SmallVector<Value> counts{view.stored};
  for (size_t dim : sema::tailDims(entry.kernel, id))
    counts.push_back(entry.extents[tensor.extents[dim]]);
  view.stored = elementsOf(entry, tensor, counts);
  view.values = allocate(entry, memory, id, view.stored);
  return view;
}

/// A dense array in row-major order of the format's levels.
TensorView allocateDense(Entry &entry, Memory &memory, sema::TensorId id) {
  EntryBuilder &build = entry.build;
  const sema::Tensor &tensor = entry.kernel.tensors[id];
  TensorView view;
  if (tensor.order() == 0) {
    view.values = build.stack(llvmType(build, tensor.type), 1);
    return view;
  }
  llvm::SmallVector<Value> extents;
  for (sema::ExtentId extent : tensor.extents)
    extents.push_back(entry.extents[extent]);
  const Value elements = elementsOf(entry, tensor, extents);
  view.values = allocate(entry, memory, id, elements);
  view.strides.resize(tensor.extents.size());
  Value stride = build.constant(1);
  for (auto level = tensor.format.levels.rbegin(); level != tensor.format.levels.rend(); ++level) {
    view.strides[level->dim] = stride;
    stride = build.multiply(stride, entry.extents[tensor.extents[level->dim]]);
  }
  return view;
}

TensorView allocateTemporary(Entry &entry, Memory &memory, sema::TensorId id) {
  return entry.kernel.tensors[id].shared() ? allocateShared(entry, memory, id) : allocateDense(entry, memory, id);
}

/// Allocates those that share the structure of a copy, or all others.
void allocateTemporaries(Entry &entry, Memory &memory, bool ofCopies) {
  const sema::Kernel &kernel = entry.kernel;
  for (sema::TensorId t : kernel.tensors.ids()) {
    const sema::Tensor &tensor = kernel.tensors[t];
    const sema::Tensor &owner = kernel.tensors[sema::structureOwner(kernel, t)];
    const bool isOfCopy = owner.is<sema::Converted>() || owner.is<sema::Tie>();
    if (tensor.is<sema::Temporary>() && !tensor.isAssembled() && !tensor.isOfRecomputation && isOfCopy == ofCopies)
      entry.tensors[t] = allocateTemporary(entry, memory, t);
  }
}

/// Whether a step makes the copy.
bool isMadeLater(const Entry &entry, sema::TensorId copy) {
  return llvm::any_of(entry.kernel.steps, [&](const sema::Step &step) {
    const auto *refresh = std::get_if<sema::RefreshCopy>(&step);
    return refresh && refresh->copy == copy;
  });
}

/// A pointer into its source's elements, and strides in terms of the source's.
TensorView viewInto(Entry &entry, const sema::View &into, int order) {
  EntryBuilder &build = entry.build;
  const sema::Tensor &source = entry.kernel.tensors[into.source];
  const TensorView &elements = entry.tensors[into.source];
  TensorView view;
  view.strides.resize(static_cast<size_t>(order));
  Value first = build.constant(0);
  for (int dim = 0; dim < source.order(); ++dim) {
    // The struct's own innermost stride may be anything where it does not matter.
    const bool isInnermost = dim == source.format.levels.back().dim;
    const Value stride = isInnermost ? build.constant(1) : elements.strides[dim];
    const sema::Window &window = into.windows[dim];
    first = build.add(first, build.multiply(stride, build.constant(window.constant)));
    for (const sema::Window::Multiple &term : window.terms) {
      const Value scaled = build.multiply(stride, build.constant(term.scale));
      Value &sum = view.strides[term.dim];
      sum = sum ? build.add(sum, scaled) : scaled;
    }
  }
  view.values = build.element(llvmType(build, source.type), elements.values, first);
  return view;
}

} // namespace

bool runsTogether(Entry &entry, const sema::Sweep &sweep) {
  return entry.phase == runtime::Phase::Assemble && entry.calls->mayRunTogether(entry, sweep);
}

void allocateTensors(Entry &entry, Memory &memory) {
  for (const TensorArgument &argument : entry.arguments)
    scanLengths(entry, memory, argument);
  if (entry.kernel.checked)
    checkContents(entry);
  for (const TensorArgument &argument : entry.arguments)
    if (!argument.parameter.isAssembled)
      entry.tensors[argument.parameter.tensor].pointers =
          entry.tensors[sema::structureOwner(entry.kernel, argument.parameter.tensor)].pointers;
  allocateTemporaries(entry, memory, /*ofCopies=*/false);
  for (sema::TensorId t : entry.kernel.tensors.ids())
    if (const sema::Tensor &tensor = entry.kernel.tensors[t]; tensor.is<sema::Tie>() && !isMadeLater(entry, t))
      entry.tensors[t] = isNeeded(entry, t) ? makeTie(entry, memory, t) : tieWithoutLists(entry, tensor);
  for (sema::TensorId t : entry.kernel.tensors.ids())
    if (const sema::Tensor &tensor = entry.kernel.tensors[t];
        tensor.is<sema::Converted>() && !tensor.isOfRecomputation && !isMadeLater(entry, t))
      entry.tensors[t] = copyConverted(entry, memory, tensor);
  allocateTemporaries(entry, memory, /*ofCopies=*/true);
  for (sema::TensorId t : entry.kernel.tensors.ids())
    if (const auto *view = entry.kernel.tensors[t].as<sema::View>())
      entry.tensors[t] = viewInto(entry, *view, entry.kernel.tensors[t].order());
}

void allocateForRecomputation(Entry &entry, Memory &memory) {
  const sema::Kernel &kernel = entry.kernel;
  for (sema::TensorId t : kernel.tensors.ids())
    if (kernel.tensors[t].isOfRecomputation && kernel.tensors[t].is<sema::Converted>())
      entry.tensors[t] = copyConverted(entry, memory, kernel.tensors[t]);
  for (sema::TensorId t : kernel.tensors.ids())
    if (kernel.tensors[t].isOfRecomputation && kernel.tensors[t].is<sema::Temporary>())
      entry.tensors[t] = allocateTemporary(entry, memory, t);
}

} // namespace spc::entry
