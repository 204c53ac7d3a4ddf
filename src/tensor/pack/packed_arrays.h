// The arrays of a packed tensor and the C struct that points to them.
#pragma once

#include "abi/signature.h"
#include "format/footprint.h"
#include "support/memory.h"
#include "tensor/numbers.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace spc::tensor {

static_assert(sizeof(void *) == 8, "every field of a C struct takes one slot of 8 bytes");

/// A C struct of the calling convention, written and read by the role of its fields.
class PackedArrays {
public:
  /// A struct with these sizes and otherwise zeros and NULLs.
  PackedArrays(const format::Format &format, sema::ValueType value, const std::vector<int64_t> &shape);

  const format::Format &format() const { return type_.format; }
  sema::ValueType valueType() const { return type_.value; }
  void *cStruct() { return slots_.data(); }

  /// An integer field; 0 where the struct has none of that role.
  int64_t number(abi::FieldRole role, int index = 0) const;
  void setNumber(abi::FieldRole role, int index, int64_t value);

  /// An array field's pointer as the struct has it now.
  void *array(abi::FieldRole role, int index = 0) const;

  /// Makes the array of a field: `count` zeros owned by this; NULL for none. Throws std::bad_alloc.
  void *allocate(abi::FieldRole role, int index, int64_t count);

  /// The same of elements that hold anything, all of which are about to be set.
  void *allocateUnset(abi::FieldRole role, int index, int64_t count);

  /// Keeps the first `count` elements of an array made by allocate(), which may move.
  void shorten(abi::FieldRole role, int index, int64_t count);

  /// The elements of an array made by allocate(); real parts of values.
  std::vector<double> elements(abi::FieldRole role, int index) const;

  /// The bytes of an array made by allocate(); empty where it is NULL.
  std::string_view bytes(abi::FieldRole role, int index) const;

  /// Copies every field but the values from a struct of the same format.
  void borrowStructure(const PackedArrays &owner);

  /// Takes over the arrays that the struct has now, to free them, and forgets those that it had before.
  void adopt();

  /// Frees the arrays: the struct has none.
  void free();

  /// The footprint of the struct's arrays, by its numbers.
  format::Footprint footprint() const;

  /// The memory of the arrays that are freed with this.
  std::vector<MemoryRange> ranges() const;

  /// These do as PackedTensor's.
  void copyArrays(TwinArrays &twins);
  void swapArrays(TwinArrays &twins);
  void followArrays(const TwinArrays &twins);

  /// Sets the strides of a dense tensor by its levels; other structs have none.
  void setStrides();

  /// One element of the values.
  Number loadValue(const void *array, int64_t at) const { return loadNumber(array, type_.value, at); }
  bool storeValue(void *array, int64_t at, Number value) const { return storeNumber(array, type_.value, at, value); }

  int64_t valueCount = 0;

private:
  size_t elementSize(abi::FieldType type) const;
  void *allocateWith(void *(*make)(size_t bytes), abi::FieldRole role, int index, int64_t count);

  abi::StructType type_;
  std::vector<uint64_t> slots_;
  std::vector<int64_t> lengths_; ///< by slot: elements of the array it owns
  std::vector<MallocedArray> owned_;
};

struct PackedTensor::State {
  PackedArrays arrays;
};

} // namespace spc::tensor
