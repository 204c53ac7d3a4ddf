// One argument of a kernel that is called. Private to kernel_arguments.cpp and kernel_results.cpp.
#pragma once

#include "harness/assembled_output.h"
#include "harness/kernel_arguments.h"
#include "harness/padded_dense.h"
#include "tensor/numbers.h"

#include <cstring>
#include <memory>
#include <optional>
#include <set>

namespace spc::testing {

/// Temporaries that the source text names.
inline bool isNamedTemporary(const sema::Tensor &tensor) {
  return (tensor.is<sema::Temporary>() || tensor.is<sema::Fused>() || tensor.is<sema::Held>()) &&
         tensor.name.front() != '$';
}

/// Temporaries that are computed where they are read: to the evaluators they have the entries that their statement
/// gives them.
inline bool hasOwnEntries(const sema::Tensor &tensor) {
  return tensor.is<sema::Fused>();
}

/// Whether the source text has all elements of a tensor: a temporary that is computed where others have entries is no
/// less whole for that.
inline bool isWholeArray(const sema::Tensor &tensor) {
  const auto *temporary = tensor.as<sema::Temporary>();
  return (tensor.format.isDense() && !hasOwnEntries(tensor)) || (temporary && temporary->isRestricted);
}

struct KernelArguments::Argument {
  const abi::Parameter *parameter;
  const sema::Tensor *tensor;
  std::vector<int64_t> shape;
  std::optional<tensor::PackedTensor> packed;
  std::optional<PaddedDense> padded;
  std::unique_ptr<AssembledOutput> assembled;
  alignas(16) char scalar[16] = {};
  tensor::Coordinates before; ///< in storage order

  bool isScalar() const { return shape.empty(); }
  bool isSparse() const { return !isScalar() && !tensor->format.isDense(); }
  bool isAssembled() const { return tensor->isAssembled(); }

  tensor::Coordinates content() const {
    if (assembled)
      return assembled->content();
    if (!isScalar())
      return packed->unpack();
    tensor::Coordinates one;
    one.append(nullptr, tensor::loadNumber(scalar, tensor->type, 0));
    return one;
  }

  /// As the source text has it.
  const std::string &sourceName() const { return tensor->partOf.empty() ? tensor->name : tensor->partOf; }

  void *pointer() {
    if (isScalar())
      return scalar;
    if (assembled)
      return assembled->cStruct();
    if (parameter->kind == abi::ParameterKind::Values)
      return packed->values();
    return padded ? padded->cStruct() : packed->cStruct();
  }

  /// Puts `value` where blocks and diagonals reach over the edge of the tensor. What dense levels of a symmetric one
  /// store beyond its triangle is inside, and stays 0.
  void spoilOutside(tensor::Number value) {
    if (!isSparse())
      return;
    format::Format whole = tensor->format;
    whole.symmetry = format::Symmetry::None;
    std::vector<uint64_t> fields(abi::structFor(whole, tensor->type).fields.size());
    std::memcpy(fields.data(), packed->cStruct(), 8 * fields.size());
    std::vector<int64_t> inside;
    readerOf(whole, tensor->type, fields, shape).slots(inside);
    const std::set<int64_t> positions(inside.begin(), inside.end());
    for (int64_t slot = 0; slot < packed->valueCount(); ++slot)
      if (!positions.contains(slot))
        tensor::storeNumber(packed->values(), tensor->type, slot, value);
  }

  /// Values of its own in the slots that hold `entries`, zeros in the others, such as padding.
  void fillSlots(const tensor::Coordinates &entries, const std::function<tensor::Number(const int64_t *)> &valueAt) {
    const auto order = static_cast<ptrdiff_t>(shape.size());
    const auto placeOf = [&](const tensor::Coordinates &all, size_t entry) {
      const auto begin = all.coordinates.begin() + static_cast<ptrdiff_t>(entry) * order;
      return std::vector<int64_t>(begin, begin + order);
    };
    std::set<std::vector<int64_t>> unfilled;
    for (size_t entry = 0; entry < entries.size(); ++entry)
      unfilled.insert(placeOf(entries, entry));
    for (int64_t slot = 0; slot < packed->valueCount(); ++slot)
      tensor::storeNumber(packed->values(), tensor->type, slot, {});
    std::vector<int64_t> positions;
    const tensor::Coordinates slots = packed->slots(positions);
    for (size_t slot = 0; slot < slots.size(); ++slot)
      if (const std::vector<int64_t> at = placeOf(slots, slot); unfilled.erase(at) > 0)
        tensor::storeNumber(packed->values(), tensor->type, positions[slot], valueAt(at.data()));
  }
};

} // namespace spc::testing
