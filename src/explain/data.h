// The operands of a call as far as they are known, and what their arrays take.
#pragma once

#include "explain/stored_tree.h"
#include "sema/kernel.h"
#include "tensor/tensor.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spc::explain {

/// Operands in the storage that a kernel wants. Owns the packed arrays.
class Data {
public:
  /// `kernel` and what is given outlive this.
  Data(const sema::Kernel &kernel, IdVector<sema::ExtentId, int64_t> extents)
      : kernel_(kernel), extents_(std::move(extents)) {}

  /// Packs the entries of a sparse parameter. False, with the reason, where its format cannot hold them.
  bool add(sema::TensorId tensor, const tensor::Coordinates &entries, std::string &error);

  const IdVector<sema::ExtentId, int64_t> &extents() const { return extents_; }
  std::vector<int64_t> shapeOf(const sema::Tensor &tensor) const;

  /// Whose structure a tensor has, packed: its own, its owner's, or that of a copy that is made here as the call makes
  /// it. Null where it is not known.
  const tensor::PackedTensor *packed(sema::TensorId tensor);
  const StoredTree *tree(sema::TensorId tensor);

  /// The bytes of all arrays of a tensor: structure and values; nullopt where its structure is not known.
  std::optional<double> bytes(sema::TensorId tensor);
  /// The values' alone.
  std::optional<double> valueBytes(sema::TensorId tensor);

private:
  double tailOf(sema::TensorId tensor) const;

  const sema::Kernel &kernel_;
  IdVector<sema::ExtentId, int64_t> extents_;
  std::map<sema::TensorId, tensor::PackedTensor> packed_;
  std::map<sema::TensorId, StoredTree> trees_;
};

} // namespace spc::explain
