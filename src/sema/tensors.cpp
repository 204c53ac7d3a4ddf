// What tensors have of each other.
#include "sema/kernel.h"

namespace spc::sema {

TensorId structureOwner(const Kernel &kernel, TensorId tensor) {
  const SharedWith *shared = kernel.tensors[tensor].shared();
  return shared ? structureOwner(kernel, shared->owner) : tensor;
}

std::optional<TensorId> sourceOf(const Tensor &tensor) {
  if (const auto *copy = tensor.as<Converted>())
    return copy->source;
  const auto *view = tensor.as<View>();
  return view ? std::optional(view->source) : std::nullopt;
}

} // namespace spc::sema
