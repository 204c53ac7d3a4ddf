#include "tensor/pack/runtime_tensor.h"

#include "format/levels.h"

#include <algorithm>

namespace spc::tensor {

namespace {

using abi::FieldRole;

runtime::ClosedForm closedForm(const format::ClosedForm &form) {
  return {form.constant, form.slope, form.size};
}

runtime::Level levelOf(const format::Format &format, int k, const std::vector<int64_t> &shape) {
  const auto sizeOf = [&](int dim) { return shape[static_cast<size_t>(dim)]; };
  const format::Level &from = format.levels[static_cast<size_t>(k)];
  const int first = format.firstListed();
  runtime::Level level = {};
  level.kind = format::kindOf(format, k);
  level.dimension = from.dim;
  level.extent = sizeOf(from.dim);
  level.part = from.part;
  level.block = std::max<int64_t>(1, from.block);
  if (from.part == format::Part::Difference) {
    level.minus = from.minus;
    level.minusExtent = sizeOf(from.minus);
  }
  level.width = from.width.value_or(-1);
  level.stride = format.interleaved && k >= first ? format.levelCount() - first : 1;
  level.offset = format.interleaved && k >= first ? k - first : 0;
  level.parentExtent = k > 0 ? sizeOf(format.levels[static_cast<size_t>(k) - 1].dim) : 1;
  level.length = closedForm(from.length);
  level.start = closedForm(from.start);
  level.isUnique = from.unique;
  level.isOrdered = from.ordered;
  return level;
}

int bytesOf(format::IndexType type) {
  constexpr int kBitsOfByte = 8;
  return format::bits(type) / kBitsOfByte;
}

std::vector<int64_t> shapeOf(const PackedArrays &arrays) {
  std::vector<int64_t> shape;
  for (int dim = 0; dim < arrays.format().order(); ++dim)
    shape.push_back(arrays.number(FieldRole::Size, dim));
  return shape;
}

} // namespace

RuntimeTensor::RuntimeTensor(const format::Format &format, sema::ValueType value, const std::vector<int64_t> &shape) {
  for (int k = 0; k < format.levelCount(); ++k)
    levels_.push_back(levelOf(format, k, shape));
  tensor_.order = format.levelCount();
  tensor_.pointerBytes = bytesOf(format.pointers);
  tensor_.indexBytes = bytesOf(format.indices);
  tensor_.valueBytes = sema::bytesOf(value);
  tensor_.levels = levels_.data();
}

RuntimeTensor::RuntimeTensor(const PackedArrays &arrays)
    : RuntimeTensor(arrays.format(), arrays.valueType(), shapeOf(arrays)) {
  const format::Footprint footprint = arrays.footprint();
  tensor_.stored = static_cast<int64_t>(footprint.values);
  tensor_.values = arrays.array(FieldRole::Values);
  hasArrays_ = tensor_.values;
  for (int k = 0; k < arrays.format().levelCount(); ++k) {
    levels_[static_cast<size_t>(k)].count = static_cast<int64_t>(footprint.positions[static_cast<size_t>(k)]);
    setArrays(arrays, k);
  }
}

void RuntimeTensor::setArrays(const PackedArrays &arrays, int k) {
  const format::Format &format = arrays.format();
  runtime::Level &level = levels_[static_cast<size_t>(k)];
  if (level.width < 0)
    level.width = arrays.number(FieldRole::Width, k);
  if (listsCoordinates(level.kind)) {
    const int first = format.firstListed();
    level.indices = format.interleaved ? arrays.array(FieldRole::Entries, first) : arrays.array(FieldRole::Indices, k);
    hasArrays_ = hasArrays_ && level.indices;
  }
  if (hasSegments(level.kind) && k > 0) {
    level.pointers = pointersOf(arrays, k, levels_[static_cast<size_t>(k) - 1].count);
    hasArrays_ = hasArrays_ && level.pointers;
  }
}

/// Null where there are none, or no lengths that add up to such.
void *RuntimeTensor::pointersOf(const PackedArrays &arrays, int k, int64_t parents) {
  if (!arrays.format().levels[static_cast<size_t>(k)].hasLengths())
    return arrays.array(FieldRole::Pointers, k);
  const void *lengths = arrays.array(FieldRole::Lengths, k);
  std::vector<char> &pointers = pointers_.emplace_back(static_cast<size_t>((parents + 1) * tensor_.pointerBytes));
  const bool isWhole = lengths && runtime::spc_rt_scan(lengths, pointers.data(), tensor_.pointerBytes, parents) == 0;
  return isWhole ? pointers.data() : nullptr;
}

} // namespace spc::tensor
