// How a plan stores a program's tensors: where entries of results are missing, it decides what later ones are.
#include "reference/reference.h"

#include "format/levels.h"

namespace spc::reference {

namespace {

const std::string &nameInText(const sema::Tensor &tensor) {
  return tensor.partOf.empty() ? tensor.name : tensor.partOf;
}

Storage storageOf(const sema::Kernel &kernel, const sema::Tensor &tensor) {
  const auto *temporary = tensor.as<sema::Temporary>();
  // What is not stored as the text has it has the entries that its statement gives it.
  const bool hasOwnEntries = tensor.is<sema::Fused>() || (temporary && temporary->isRestricted);
  Storage storage{!tensor.format.isDense() || !tensor.partOf.empty() || hasOwnEntries, tensor.fill};
  if (const sema::SharedWith *shared = tensor.shared(); shared && !hasOwnEntries) {
    const sema::Tensor &owner = kernel.tensors[shared->owner];
    const std::optional<sema::TensorId> source = sema::sourceOf(owner);
    storage.owner = nameInText(source ? kernel.tensors[*source] : owner);
    storage.dims = format::correspondingDims(owner.format, tensor.format);
  }
  return storage;
}

} // namespace

Storages storagesOf(const sema::Kernel &kernel) {
  Storages storages;
  for (const sema::Tensor &tensor : kernel.tensors)
    storages.emplace(nameInText(tensor), storageOf(kernel, tensor));
  return storages;
}

Tensor emptyTensor(const sema::Tensor &tensor, const std::vector<int64_t> &shape) {
  const bool isSparse = !tensor.format.isDense() || !tensor.partOf.empty();
  Tensor empty(shape, tensor.type, isSparse, tensor.fill);
  if (isSparse && format::hasPadding(tensor.format))
    empty.setPadded();
  return empty;
}

} // namespace spc::reference
