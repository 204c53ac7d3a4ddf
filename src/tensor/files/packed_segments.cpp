#include "tensor/files/packed_segments.h"

#include "format/levels.h"

namespace spc::tensor {

namespace {

using abi::FieldRole;
using format::IndexType;
using format::LevelKind;
using sema::ValueType;

/// Calls `use` with an array of integers as what it is an array of.
template <typename Use> bool withElements(const void *array, IndexType type, const Use &use) {
  switch (type) {
  case IndexType::U8:
    return use(static_cast<const uint8_t *>(array));
  case IndexType::U16:
    return use(static_cast<const uint16_t *>(array));
  case IndexType::I32:
    return use(static_cast<const int32_t *>(array));
  case IndexType::I64:
    return use(static_cast<const int64_t *>(array));
  }
  return false;
}

/// Whether pointers ascend from 0 to `count`, and the coordinates in each segment ascend below `extent`.
template <typename Pointer, typename Index>
bool ascends(const Pointer *pointers, int64_t segments, const Index *indices, int64_t count, int64_t extent) {
  if (pointers[0] != 0 || static_cast<int64_t>(pointers[segments]) != count)
    return false;
  for (int64_t segment = 0; segment < segments; ++segment) {
    const auto begin = static_cast<int64_t>(pointers[segment]), end = static_cast<int64_t>(pointers[segment + 1]);
    if (end < begin || end > count)
      return false;
    int64_t last = -1;
    bool isAscending = true;
    for (int64_t at = begin; at < end; ++at) {
      const auto next = static_cast<int64_t>(indices[at]);
      isAscending &= next > last;
      last = next;
    }
    if (!isAscending || last >= extent)
      return false;
  }
  return true;
}

} // namespace

ValueType valueTypeOf(IndexType type) {
  switch (type) {
  case IndexType::U8:
    return ValueType::U8;
  case IndexType::U16:
    return ValueType::U16;
  case IndexType::I32:
    return ValueType::I32;
  case IndexType::I64:
    return ValueType::I64;
  }
  return ValueType::I64;
}

std::optional<size_t> segmentsMajor(const format::Format &format) {
  const bool hasSegments = !format.isSum() && format.order() == 2 && format.levelCount() == 2 && !format.interleaved &&
                           format.symmetry == format::Symmetry::None && format::kindOf(format, 0) == LevelKind::Dense &&
                           format.levels[0].part == format::Part::Whole &&
                           format::kindOf(format, 1) == LevelKind::Compressed && !format.levels[1].hasLengths() &&
                           format.levels[1].part == format::Part::Whole;
  return hasSegments ? std::optional(static_cast<size_t>(format.levels[0].dim)) : std::nullopt;
}

bool hasOrderedSegments(const PackedArrays &arrays) {
  const format::Format &format = arrays.format();
  const void *pointers = arrays.array(FieldRole::Pointers, 1), *indices = arrays.array(FieldRole::Indices, 1);
  const int64_t segments = arrays.number(FieldRole::Size, format.levels[0].dim),
                extent = arrays.number(FieldRole::Size, format.levels[1].dim), count = arrays.valueCount;
  if (!pointers || (count > 0 && !indices))
    return false;
  return withElements(pointers, format.pointers, [&](const auto *begins) {
    return withElements(indices, format.indices,
                        [&](const auto *listed) { return ascends(begins, segments, listed, count, extent); });
  });
}

std::optional<PackedTensor> packSegments(const SegmentArrays &matrix, const PackTarget &target) {
  const std::optional<size_t> major = segmentsMajor(target.format);
  const int64_t segments = matrix.shape[matrix.major], count = matrix.values.count;
  if (major != matrix.major || matrix.pointers.count - 1 != segments || matrix.indices.count != count ||
      count > format::largest(target.format.pointers))
    return std::nullopt;
  PackedArrays arrays(target.format, target.type, matrix.shape);
  const auto take = [&](FieldRole role, int level, const NumpyArray &from, ValueType type) {
    return !from.store(0, from.count, type, arrays.allocateUnset(role, level, from.count));
  };
  arrays.valueCount = count;
  arrays.setNumber(FieldRole::Count, 1, count);
  arrays.setNumber(FieldRole::Stored, 0, count);
  if (!take(FieldRole::Pointers, 1, matrix.pointers, valueTypeOf(target.format.pointers)) ||
      !take(FieldRole::Indices, 1, matrix.indices, valueTypeOf(target.format.indices)) || !hasOrderedSegments(arrays) ||
      !take(FieldRole::Values, 0, matrix.values, target.type))
    return std::nullopt;
  return PackedTensor::owning(std::move(arrays));
}

} // namespace spc::tensor
