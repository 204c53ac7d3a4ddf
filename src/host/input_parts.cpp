#include "host/inputs.h"
#include "tensor/pack/parts.h"

#include <utility>

namespace spc::host {

std::vector<int> InputOptions::dividedDims(size_t parameter) const {
  return blocks ? blocks->dims[parameter] : std::vector<int>();
}

std::vector<int64_t> Inputs::shapeOf(const sema::Tensor &tensor) const {
  std::vector<int64_t> shape;
  for (sema::ExtentId extent : tensor.extents)
    shape.push_back(extents[extent]);
  return shape;
}

void splitIntoParts(const sema::Kernel &kernel, size_t first, Inputs &inputs) {
  const auto tensorAt = [&](size_t k) -> const sema::Tensor & { return kernel.tensors[kernel.parameters[k]]; };
  std::vector<format::Format> formats;
  for (size_t k = first; k < kernel.parameters.size() && tensorAt(k).partOf == tensorAt(first).partOf; ++k)
    formats.push_back(tensorAt(k).format);
  std::vector<tensor::Coordinates> parts =
      tensor::splitIntoParts(std::move(*inputs.parameters[first].entries), formats, tensorAt(first).type);
  for (size_t part = 0; part < parts.size(); ++part)
    inputs.parameters[first + part].entries = std::move(parts[part]);
}

} // namespace spc::host
