#include "tensor/pack/constants.h"

#include "format/levels.h"
#include "tensor/pack/parts.h"

#include <algorithm>
#include <new>

namespace spc::tensor {
namespace {

Coordinates coordinatesOf(const language::ConstantEntries &entries) {
  return {entries.shape, entries.coordinates, entries.values, entries.imaginary, entries.rests};
}

std::vector<format::Format> formatsOf(const sema::KernelHead &kernel, const std::vector<sema::TensorId> &parts) {
  std::vector<format::Format> formats;
  for (sema::TensorId part : parts)
    formats.push_back(kernel.tensors[part].format);
  return formats;
}

} // namespace

Coordinates entriesOfConstant(const sema::KernelHead &kernel, sema::TensorId id) {
  const sema::Tensor &tensor = kernel.tensors[id];
  Coordinates entries = coordinatesOf(*tensor.as<sema::Constant>()->entries);
  if (tensor.partOf.empty())
    return entries;
  const std::vector<sema::TensorId> parts = sema::partsOf(kernel, id);
  return splitIntoParts(std::move(entries), formatsOf(kernel, parts), tensor.type)[static_cast<size_t>(tensor.part)];
}

const PackedTensor *ConstantPacker::packed(sema::TensorId id, std::string &error) {
  if (const auto known = packed_.find(id); known != packed_.end())
    return &known->second;
  const sema::Tensor &tensor = kernel_.tensors[id];
  Coordinates entries;
  if (tensor.is<sema::Constant>())
    entries = entriesOfConstant(kernel_, id);
  else if (!addCopy(id, entries, error))
    return nullptr;
  std::optional<PackedTensor> packed = PackedTensor::pack(std::move(entries), tensor.format, tensor.type, error);
  return packed ? &packed_.emplace(id, std::move(*packed)).first->second : nullptr;
}

/// The entries of what a copy is made of; padding is none, as in a copy that a call makes.
bool ConstantPacker::addCopy(sema::TensorId id, Coordinates &entries, std::string &error) {
  const auto &copy = *kernel_.tensors[id].as<sema::Converted>();
  const std::vector<sema::TensorId> parts =
      copy.isCanonical ? sema::partsOf(kernel_, copy.source) : std::vector{copy.source};
  const bool isPadded = std::any_of(parts.begin(), parts.end(), [&](sema::TensorId part) {
    return format::hasPadding(kernel_.tensors[part].format);
  });
  for (sema::TensorId part : parts) {
    const PackedTensor *source = packed(part, error);
    if (!source)
      return false;
    const Coordinates own = source->unpack();
    const bool dropsZeros = isPadded && (copy.isCanonical || copy.dropsPadding);
    entries.shape = own.shape;
    for (size_t e = 0; e < own.size(); ++e)
      if (!dropsZeros || !(own.value(e) == Number()))
        entries.append(own.coordinates.data() + e * own.shape.size(), own.value(e));
  }
  return true;
}

std::string whyNotPacked(const sema::KernelHead &kernel, sema::TensorId id) {
  const sema::Tensor &tensor = kernel.tensors[id];
  if (tensor.order() == 0 || tensor.format.isDense()) // whose values are known to be of its type
    return "";
  std::string error;
  Coordinates entries = entriesOfConstant(kernel, id);
  if (!tensor.format.isSum())
    return PackedTensor::pack(std::move(entries), tensor.format, tensor.type, error) ? "" : error;
  const std::vector<Coordinates> parts = splitIntoParts(std::move(entries), tensor.format.parts, tensor.type);
  for (size_t k = 0; k < parts.size(); ++k)
    if (!PackedTensor::pack(parts[k], tensor.format.parts[k], tensor.type, error))
      return error;
  return "";
}

} // namespace spc::tensor
