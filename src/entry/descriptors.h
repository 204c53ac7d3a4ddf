// The runtime's descriptors of tensors, built in the entry's frame.
#pragma once

#include "entry/allocator.h"
#include "runtime/runtime.h"

#include <map>

namespace spc::entry {

/// The runtime's descriptors, in the layout of runtime/contract.def.
class Descriptors {
public:
  explicit Descriptors(Entry &entry);

  /// The runtime's Allocator on the context's hooks.
  mlir::Value allocator(Memory &memory);
  /// A tensor that is made with the allocator, which notes how many bytes it has refused.
  Place placeFor(const sema::Tensor &tensor) const;

  /// The runtime's Workers on the context's threads.
  mlir::Value workers();

  /// A tensor, with the arrays of `view` where it has them. `dims` gives its dimensions other numbers.
  mlir::Value describe(const sema::Tensor &tensor, const TensorView &view, const std::vector<int> &dims = {});

  /// The same of one of the kernel's tensors as it is now, once. To be called first where each later call comes after
  /// it.
  mlir::Value describeOnce(sema::TensorId tensor);

  /// Makes a described tensor's root one whose rows are looked up by `table`.
  void setTable(mlir::Value object, mlir::Value table);

  /// The view of an assembled tensor that the runtime has packed.
  TensorView readPacked(const sema::Tensor &tensor, mlir::Value object);

private:
  void describeLevel(const sema::Tensor &tensor, const TensorView &view, const std::vector<int> &dims, int k,
                     mlir::Value object);
  /// Stores a closed form into the slots from `slot` on.
  void storeForm(mlir::Value object, unsigned slot, const format::ClosedForm &form);

  mlir::Value levelAt(mlir::Value levels, size_t k) { return build_.element(level_, levels, static_cast<int64_t>(k)); }

  Entry &entry_;
  EntryBuilder &build_;
  std::map<sema::TensorId, mlir::Value> described_;
  Struct allocator_;
  Struct workers_;
  Struct level_;
  Struct tensor_;
  mlir::Value refused_; ///< the address of what the allocator has refused
};

} // namespace spc::entry
