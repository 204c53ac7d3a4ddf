#include "host/results.h"

#include "format/levels.h"

namespace spc::host {

namespace {

/// The entries of a tensor of order 1 and above; of a sum those of all parts, from argument `first` on.
tensor::Coordinates entriesOf(const sema::Kernel &kernel, const std::vector<CallArgument> &arguments, size_t first) {
  const auto tensorAt = [&](size_t k) -> const sema::Tensor & { return kernel.tensors[kernel.parameters[k]]; };
  tensor::Coordinates entries = arguments[first].tensor->entries();
  if (tensorAt(first).partOf.empty())
    return entries;
  bool isPadded = format::hasPadding(tensorAt(first).format);
  for (size_t k = first + 1; k < arguments.size() && tensorAt(k).partOf == tensorAt(first).partOf; ++k) {
    const tensor::Coordinates part = arguments[k].tensor->entries();
    isPadded = isPadded || format::hasPadding(tensorAt(k).format);
    for (size_t e = 0; e < part.size(); ++e)
      entries.append(part.coordinates.data() + e * part.shape.size(), part.value(e));
  }
  tensor::sortAndSum(entries, tensorAt(first).type);
  if (isPadded)
    entries.dropZeros();
  return entries;
}

/// An order-0 result as the one entry of a 1 x 1 matrix, or of a .tns file without coordinates.
tensor::Coordinates scalarEntry(tensor::Number value, bool matrix) {
  constexpr int64_t kFirst[] = {0, 0};
  tensor::Coordinates entries;
  if (matrix)
    entries.shape = {1, 1};
  entries.append(kFirst, value);
  return entries;
}

} // namespace

tensor::Coordinates resultOf(const KernelCall &call, size_t parameter, bool toMatrix) {
  if (call.kernel.tensors[call.kernel.parameters[parameter]].order() > 0)
    return entriesOf(call.kernel, call.arguments, parameter);
  return scalarEntry(call.arguments[parameter].number(call.signature.parameters[parameter]), toMatrix);
}

} // namespace spc::host
