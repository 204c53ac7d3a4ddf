#include "explain/data.h"

#include "abi/signature.h"
#include "format/levels.h"
#include "tensor/level_coordinates.h"

#include <algorithm>
#include <numeric>

namespace spc::explain {
namespace {

constexpr int kBitsOfByte = 8;

double elementsOf(const std::vector<int64_t> &shape) {
  double elements = 1;
  for (int64_t size : shape)
    elements *= static_cast<double>(size);
  return elements;
}

} // namespace

bool Data::add(sema::TensorId tensor, const tensor::Coordinates &entries, std::string &error) {
  const sema::Tensor &own = kernel_.tensors[tensor];
  std::optional<tensor::PackedTensor> packed = tensor::PackedTensor::pack(entries, own.format, own.type, error);
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
  const auto *copy = kernel_.tensors[owner].as<sema::Converted>();
  if (!copy)
    return nullptr;
  tensor::Coordinates entries;
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
  std::string error;
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
  return stored ? std::optional(arrayBytes(*stored, own.type)) : std::nullopt;
}

std::optional<double> Data::valueBytes(sema::TensorId tensor) {
  const sema::Tensor &own = kernel_.tensors[tensor];
  if (own.format.isDense())
    return bytes(tensor);
  const tensor::PackedTensor *stored = packed(tensor);
  return stored ? std::optional(static_cast<double>(stored->valueCount()) * sema::bytesOf(own.type)) : std::nullopt;
}

double arrayBytes(const tensor::PackedTensor &packed, sema::ValueType type) {
  const format::Format &format = packed.format();
  double bytes = static_cast<double>(packed.valueCount()) * sema::bytesOf(type);
  for (const abi::Field &field : abi::structFor(format, type).fields) {
    if (field.type != abi::FieldType::Pointers && field.type != abi::FieldType::Indices)
      continue;
    const format::IndexType index = field.type == abi::FieldType::Pointers ? format.pointers : format.indices;
    bytes += static_cast<double>(packed.elements(field.role, field.index).size()) * format::bits(index) / kBitsOfByte;
  }
  return bytes;
}

double predictedValues(const tensor::Coordinates &entries, const format::Format &format) {
  const tensor::Coordinates places = tensor::toLevels(entries, format);
  const size_t count = places.shape.size();
  const auto at = [&](size_t entry) { return places.coordinates.data() + entry * count; };
  std::vector<size_t> order(places.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::lexicographical_compare(at(a), at(a) + count, at(b), at(b) + count);
  });
  // By level: the distinct prefixes that end there, and the most of them that one parent has.
  std::vector<double> distinct(count), widest(count), width(count);
  for (size_t e = 0; e < order.size(); ++e) {
    const size_t same =
        e == 0 ? 0
               : static_cast<size_t>(std::mismatch(at(order[e]), at(order[e]) + count, at(order[e - 1])).first -
                                     at(order[e]));
    for (size_t k = same; k < count; ++k) {
      ++distinct[k];
      width[k] = k == same ? width[k] + 1 : 1;
      widest[k] = std::max(widest[k], width[k]);
    }
  }
  double positions = 1;
  for (size_t k = 0; k < count; ++k) {
    switch (format::kindOf(format, static_cast<int>(k))) {
    case format::LevelKind::Compressed:
    case format::LevelKind::Singleton:
      positions = distinct[k];
      break;
    case format::LevelKind::FixedWidth:
      positions *= format.levels[k].width ? static_cast<double>(*format.levels[k].width) : widest[k];
      break;
    case format::LevelKind::Dense:
    case format::LevelKind::RaggedDense: // these three at most
    case format::LevelKind::ClosedDense:
    case format::LevelKind::ClosedCompressed:
      positions *= static_cast<double>(places.shape[k]);
      break;
    }
  }
  return positions;
}

} // namespace spc::explain
