// Tensors as the runtime describes them. Private to this folder.
#pragma once

#include "runtime/runtime.h"
#include "tensor/pack/packed_arrays.h"

#include <vector>

namespace spc::tensor {

/// A sparse tensor's levels and arrays, which it does not own.
class RuntimeTensor {
public:
  /// One that has no arrays; widths that the format leaves open are.
  RuntimeTensor(const format::Format &format, sema::ValueType value, const std::vector<int64_t> &shape);

  /// A packed one.
  explicit RuntimeTensor(const PackedArrays &arrays);

  RuntimeTensor(const RuntimeTensor &) = delete;
  RuntimeTensor &operator=(const RuntimeTensor &) = delete;

  /// Whether the struct has every array that is to be read, as it does once a kernel has set them; else there are no
  /// entries.
  bool hasArrays() const { return hasArrays_; }

  /// Valid as long as this lives.
  runtime::Tensor &tensor() { return tensor_; }

private:
  void setArrays(const PackedArrays &arrays, int k);
  void *pointersOf(const PackedArrays &arrays, int k, int64_t parents);

  std::vector<runtime::Level> levels_;
  std::vector<std::vector<char>> pointers_; ///< of levels that have lengths
  runtime::Tensor tensor_ = {};
  bool hasArrays_ = false;
};

} // namespace spc::tensor
