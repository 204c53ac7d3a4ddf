// What tensors have of each other.
#include "format/levels.h"
#include "sema/kernel.h"

namespace spc::sema {

TensorId structureOwner(const KernelHead &kernel, TensorId tensor) {
  const SharedWith *shared = kernel.tensors[tensor].shared();
  return shared ? structureOwner(kernel, shared->owner) : tensor;
}

bool holdsPadding(const KernelHead &kernel, TensorId tensor) {
  const Tensor &own = kernel.tensors[tensor];
  const auto *copy = own.as<Converted>();
  return copy ? !copy->isCanonical && !copy->dropsPadding && holdsPadding(kernel, copy->source)
              : !own.format.isDense() && format::hasPadding(own.format);
}

int structureLevels(const KernelHead &kernel, TensorId tensor) {
  return kernel.tensors[structureOwner(kernel, tensor)].format.levelCount();
}

std::vector<size_t> tailDims(const KernelHead &kernel, TensorId tensor) {
  const format::Format &format = kernel.tensors[tensor].format;
  std::vector<size_t> dims;
  for (int k = structureLevels(kernel, tensor); k < format.levelCount() && !format.isDense(); ++k)
    dims.push_back(static_cast<size_t>(format.levels[static_cast<size_t>(k)].dim));
  return dims;
}

std::optional<TensorId> sourceOf(const Tensor &tensor) {
  if (const auto *copy = tensor.as<Converted>())
    return copy->source;
  const auto *view = tensor.as<View>();
  return view ? std::optional(view->source) : std::nullopt;
}

bool isConstant(const KernelHead &kernel, TensorId tensor) {
  const auto *copy = kernel.tensors[tensor].as<Converted>();
  const std::vector<format::Level> &levels = kernel.tensors[tensor].format.levels;
  const bool isLookedUp = !levels.empty() && levels.front().isFound;
  return copy ? !isLookedUp && isConstant(kernel, copy->source) : kernel.tensors[tensor].is<Constant>();
}

std::vector<TensorId> partsOf(const KernelHead &kernel, TensorId first) {
  const std::string &whole = kernel.tensors[first].partOf;
  std::vector<TensorId> parts;
  for (TensorId id : kernel.tensors.ids())
    if (id == first || (!whole.empty() && kernel.tensors[id].partOf == whole))
      parts.push_back(id);
  return parts;
}

} // namespace spc::sema
