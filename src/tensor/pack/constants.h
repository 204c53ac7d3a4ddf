// The constants of kernels, packed as their formats say when a kernel is compiled.
#pragma once

#include "tensor/tensor.h"

#include <map>
#include <string>

namespace spc::tensor {

/// What a constant holds, or a part of one that is stored as a sum. Requires: the tensor is a constant.
Coordinates entriesOfConstant(const sema::KernelHead &kernel, sema::TensorId id);

/// Packs the constants of a kernel, and the copies of them that it reads, each once.
class ConstantPacker {
public:
  /// The kernel outlives it.
  explicit ConstantPacker(const sema::Kernel &kernel) : kernel_(kernel) {}

  /// nullptr, with the reason in `error`, where its format cannot hold it. Requires: sema::isConstant(), an order of at
  /// least 1.
  const PackedTensor *packed(sema::TensorId id, std::string &error);

private:
  bool addCopy(sema::TensorId id, Coordinates &entries, std::string &error);

  const sema::Kernel &kernel_;
  std::map<sema::TensorId, PackedTensor> packed_;
};

/// Why a constant cannot be stored as its format says; empty where it can. A format may be a sum of parts.
std::string whyNotPacked(const sema::KernelHead &kernel, sema::TensorId id);

} // namespace spc::tensor
