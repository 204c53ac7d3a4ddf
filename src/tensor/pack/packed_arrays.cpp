#include "tensor/pack/packed_arrays.h"

#include "runtime/levels/walk.h"
#include "support/memory.h"

#include <algorithm>
#include <cstring>
#include <malloc.h>
#include <new>

namespace spc::tensor {

using abi::FieldRole;
using abi::FieldType;

PackedArrays::PackedArrays(const format::Format &format, sema::ValueType value, const std::vector<int64_t> &shape)
    : type_(abi::structFor(format, value)), slots_(type_.fields.size()), lengths_(type_.fields.size()) {
  for (size_t d = 0; d < shape.size(); ++d)
    setNumber(FieldRole::Size, static_cast<int>(d), shape[d]);
}

int64_t PackedArrays::number(FieldRole role, int index) const {
  int slot = type_.find(role, index);
  return slot < 0 ? 0 : static_cast<int64_t>(slots_[slot]);
}

void PackedArrays::setNumber(FieldRole role, int index, int64_t value) {
  if (int slot = type_.find(role, index); slot >= 0)
    slots_[slot] = static_cast<uint64_t>(value);
}

void *PackedArrays::array(FieldRole role, int index) const {
  int slot = type_.find(role, index);
  return slot < 0 ? nullptr : reinterpret_cast<void *>(static_cast<uintptr_t>(slots_[slot]));
}

void *PackedArrays::allocate(FieldRole role, int index, int64_t count) {
  return allocateWith(zeroedLines, role, index, count);
}

void *PackedArrays::allocateUnset(FieldRole role, int index, int64_t count) {
  return allocateWith(unsetLines, role, index, count);
}

void *PackedArrays::allocateWith(void *(*make)(size_t bytes), FieldRole role, int index, int64_t count) {
  if (count == 0)
    return nullptr;
  int slot = type_.find(role, index);
  size_t size = elementSize(type_.fields[slot].type);
  size_t bytes = 0;
  void *array = __builtin_mul_overflow(static_cast<size_t>(count), size, &bytes) ? nullptr : make(bytes);
  if (!array)
    throw std::bad_alloc();
  owned_.emplace_back(array);
  slots_[slot] = reinterpret_cast<uintptr_t>(array);
  lengths_[slot] = count;
  return array;
}

void PackedArrays::shorten(FieldRole role, int index, int64_t count) {
  const int slot = type_.find(role, index);
  void *array = this->array(role, index);
  const auto owner = std::find_if(owned_.begin(), owned_.end(), [&](const auto &own) { return own.get() == array; });
  if (slot < 0 || count >= lengths_[slot] || owner == owned_.end())
    return;
  void *shorter = std::realloc(owner->release(), static_cast<size_t>(count) * elementSize(type_.fields[slot].type));
  owner->reset(shorter ? shorter : array);
  slots_[slot] = reinterpret_cast<uintptr_t>(owner->get());
  lengths_[slot] = count;
}

std::vector<double> PackedArrays::elements(FieldRole role, int index) const {
  const int slot = type_.find(role, index);
  const auto bytes = slot < 0 ? 0 : static_cast<int64_t>(elementSize(type_.fields[slot].type));
  std::vector<double> result;
  for (int64_t at = 0; slot >= 0 && at < lengths_[slot]; ++at) {
    if (type_.fields[slot].type == FieldType::Values)
      result.push_back(loadValue(array(role, index), at).real);
    else
      result.push_back(static_cast<double>(runtime::load(array(role, index), bytes, at)));
  }
  return result;
}

std::string_view PackedArrays::bytes(FieldRole role, int index) const {
  const int slot = type_.find(role, index);
  const auto *array = static_cast<const char *>(this->array(role, index));
  return slot < 0 || !array
             ? std::string_view()
             : std::string_view(array, static_cast<size_t>(lengths_[slot]) * elementSize(type_.fields[slot].type));
}

void PackedArrays::borrowStructure(const PackedArrays &owner) {
  for (size_t slot = 0; slot < slots_.size(); ++slot)
    if (type_.fields[slot].role != FieldRole::Values)
      slots_[slot] = owner.slots_[slot];
}

void PackedArrays::adopt() {
  for (auto &array : owned_)
    (void)array.release();
  owned_.clear();
  for (size_t slot = 0; slot < slots_.size(); ++slot)
    if (type_.fields[slot].type != FieldType::Int64)
      owned_.emplace_back(reinterpret_cast<void *>(static_cast<uintptr_t>(slots_[slot])));
}

void PackedArrays::free() {
  owned_.clear();
  for (size_t slot = 0; slot < slots_.size(); ++slot)
    if (type_.fields[slot].type != FieldType::Int64)
      slots_[slot] = 0;
}

std::vector<MemoryRange> PackedArrays::ranges() const {
  std::vector<MemoryRange> ranges;
  for (const MallocedArray &array : owned_)
    if (array)
      ranges.push_back({array.get(), malloc_usable_size(array.get())});
  return ranges;
}

void PackedArrays::copyArrays(TwinArrays &twins) {
  for (MallocedArray &array : owned_) {
    if (!array)
      continue;
    const size_t bytes = malloc_usable_size(array.get());
    MallocedArray copy(unsetLines(bytes));
    if (!copy)
      throw std::bad_alloc();
    std::memcpy(copy.get(), array.get(), bytes);
    twins.push_back({std::move(array), copy.get()});
    array = std::move(copy);
  }
}

void PackedArrays::swapArrays(TwinArrays &twins) {
  for (MallocedArray &array : owned_)
    for (TwinArray &twin : twins)
      if (array && array.get() == twin.inUse) {
        std::swap(array, twin.spare);
        twin.inUse = array.get();
        break;
      }
}

void PackedArrays::followArrays(const TwinArrays &twins) {
  for (size_t slot = 0; slot < slots_.size(); ++slot)
    for (const TwinArray &twin : twins)
      if (type_.fields[slot].type != FieldType::Int64 &&
          slots_[slot] == reinterpret_cast<uintptr_t>(twin.spare.get())) {
        slots_[slot] = reinterpret_cast<uintptr_t>(twin.inUse);
        break;
      }
}

size_t PackedArrays::elementSize(FieldType type) const {
  switch (type) {
  case FieldType::Int64:
    break;
  case FieldType::Pointers:
    return static_cast<size_t>(format::bits(format().pointers)) / 8;
  case FieldType::Indices:
    return static_cast<size_t>(format::bits(format().indices)) / 8;
  case FieldType::Values:
    return static_cast<size_t>(sema::bytesOf(type_.value));
  }
  return sizeof(int64_t);
}

void PackedArrays::setStrides() {
  if (!format().isDense())
    return;
  uint64_t stride = 1; // wraps only where a tensor without elements has large extents
  for (int k = format().order() - 1; k >= 0; --k) {
    int dim = format().levels[k].dim;
    setNumber(FieldRole::Stride, dim, static_cast<int64_t>(stride));
    stride *= static_cast<uint64_t>(std::max<int64_t>(number(FieldRole::Size, dim), 1));
  }
}

} // namespace spc::tensor
