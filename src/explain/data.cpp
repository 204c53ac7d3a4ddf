#include "explain/data.h"

#include "format/levels.h"
#include "runtime/contract.h"
#include "sema/amounts.h"
#include "tensor/pack/constants.h"

#include <algorithm>

namespace spc::explain {
namespace {

double elementsOf(const std::vector<int64_t> &shape) {
  double elements = 1;
  for (int64_t size : shape)
    elements *= static_cast<double>(size);
  return elements;
}

/// The format in which a call has so many entries: of rows that are looked up it may list those that have some.
format::Format formatOf(const sema::Tensor &tensor, const tensor::Coordinates &entries) {
  format::Format format = tensor.format;
  if (format.levels.empty() || !format.levels.front().isFound)
    return format;
  format::Level &root = format.levels.front();
  root.isFound = false;
  if (runtime::listsFoundRows(entries.shape[static_cast<size_t>(root.dim)], static_cast<int64_t>(entries.size())))
    root = {.dim = root.dim, .storage = format::Storage::Compressed, .extent = format::Extent::Ragged};
  return format;
}

/// The entries of a tie; `valueOf` gives amounts. What a tensor of indices holds is not looked at: as many, one column
/// after the other.
tensor::Coordinates entriesOf(const sema::Tie &tie, const std::vector<int64_t> &shape,
                              const std::function<int64_t(const sema::Amount &)> &valueOf) {
  tensor::Coordinates entries;
  entries.shape = shape;
  const size_t rows = shape.size() - 1;
  int64_t count = 1;
  for (size_t dim = 0; dim < rows; ++dim)
    count *= shape[dim];
  const int64_t constant = valueOf(tie.constant);
  std::vector<int64_t> scales;
  for (const sema::Amount &scale : tie.rowScales)
    scales.push_back(valueOf(scale));
  std::vector<int64_t> at(shape.size());
  for (int64_t row = 0; row < count; ++row) {
    int64_t rest = row, sum = constant;
    for (size_t dim = rows; dim-- > 0; rest /= shape[dim]) {
      at[dim] = rest % shape[dim];
      sum += tie.source ? 0 : scales[dim] * at[dim];
    }
    if (tie.source && shape[rows] > 0)
      sum = row % shape[rows] * tie.columnScale;
    at[rows] = sum / tie.columnScale;
    if (sum % tie.columnScale == 0 && at[rows] >= 0 && at[rows] < shape[rows])
      entries.append(at.data(), tensor::Number{1});
  }
  return entries;
}

} // namespace

bool Data::add(sema::TensorId tensor, const tensor::Coordinates &entries, std::string &error) {
  const sema::Tensor &own = kernel_.tensors[tensor];
  std::optional<tensor::PackedTensor> packed =
      tensor::PackedTensor::pack(entries, formatOf(own, entries), own.type, error);
  if (packed)
    packed_.emplace(tensor, std::move(*packed));
  return packed.has_value();
}

std::vector<int64_t> Data::shapeOf(const sema::Tensor &tensor) const {
  std::vector<int64_t> shape;
  for (sema::ExtentId extent : tensor.extents)
    shape.push_back(extents_[extent]);
  return shape;
}

const tensor::PackedTensor *Data::packed(sema::TensorId tensor) {
  const sema::TensorId owner = sema::structureOwner(kernel_, tensor);
  if (const auto known = packed_.find(owner); known != packed_.end())
    return &known->second;
  tensor::Coordinates entries;
  std::string error;
  if (kernel_.tensors[owner].is<sema::Constant>())
    return add(owner, tensor::entriesOfConstant(kernel_, owner), error) ? &packed_.at(owner) : nullptr;
  const auto *copy = kernel_.tensors[owner].as<sema::Converted>();
  const auto *tie = kernel_.tensors[owner].as<sema::Tie>();
  if (!copy && !tie)
    return nullptr;
  if (tie) {
    entries = entriesOf(*tie, shapeOf(kernel_.tensors[owner]), [&](const sema::Amount &amount) {
      return sema::valueOf(amount, [&](sema::TensorId scalar) {
        if (const auto *constant = kernel_.tensors[scalar].as<sema::Constant>())
          return static_cast<int64_t>(constant->entries->values.front());
        const auto *size = kernel_.tensors[scalar].as<sema::Size>();
        return size ? extents_[size->extent] : 0; // what else a call passes is not known here
      });
    });
    return add(owner, entries, error) ? &packed_.at(owner) : nullptr;
  }
  const std::vector<sema::TensorId> parts = sema::partsOf(kernel_, copy->source);
  const bool isPadded = std::any_of(parts.begin(), parts.end(), [&](sema::TensorId part) {
    return format::hasPadding(kernel_.tensors[part].format);
  });
  for (sema::TensorId part : parts) {
    const tensor::PackedTensor *source = packed(part);
    if (!source)
      return nullptr;
    const tensor::Coordinates own = source->unpack();
    entries.shape = own.shape;
    const bool dropsZeros = (copy->isCanonical || copy->dropsPadding) && isPadded;
    for (size_t e = 0; e < own.size(); ++e)
      if (!dropsZeros || !(own.value(e) == tensor::Number()))
        entries.append(own.coordinates.data() + e * own.shape.size(), own.value(e));
  }
  return add(owner, entries, error) ? &packed_.at(owner) : nullptr;
}

const StoredTree *Data::tree(sema::TensorId tensor) {
  const sema::TensorId owner = sema::structureOwner(kernel_, tensor);
  if (const auto known = trees_.find(owner); known != trees_.end())
    return &known->second;
  const tensor::PackedTensor *stored = packed(owner);
  return stored ? &trees_.emplace(owner, StoredTree(*stored)).first->second : nullptr;
}

std::optional<double> Data::bytes(sema::TensorId tensor) {
  const sema::Tensor &own = kernel_.tensors[tensor];
  if (own.format.isDense())
    return elementsOf(shapeOf(own)) * sema::bytesOf(own.type);
  const tensor::PackedTensor *stored = packed(tensor);
  if (!stored)
    return std::nullopt;
  const double values = static_cast<double>(stored->valueCount()) * sema::bytesOf(own.type);
  return stored->footprint().bytes + values * (tailOf(tensor) - 1);
}

/// How many values a tensor has for each entry of its structure.
double Data::tailOf(sema::TensorId tensor) const {
  const sema::Tensor &own = kernel_.tensors[tensor];
  double values = 1;
  for (size_t dim : sema::tailDims(kernel_, tensor))
    values *= static_cast<double>(extents_[own.extents[dim]]);
  return values;
}

std::optional<double> Data::valueBytes(sema::TensorId tensor) {
  const sema::Tensor &own = kernel_.tensors[tensor];
  if (own.format.isDense())
    return bytes(tensor);
  const tensor::PackedTensor *stored = packed(tensor);
  return stored ? std::optional(static_cast<double>(stored->valueCount()) * tailOf(tensor) * sema::bytesOf(own.type))
                : std::nullopt;
}

} // namespace spc::explain
