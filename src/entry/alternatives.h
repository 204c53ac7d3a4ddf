// The alternatives of a kernel: a call chooses one by its sizes.
#pragma once

#include "entry/tensors.h"
#include "sema/shared_bodies.h"

namespace spc::entry {

/// Sets the entry's `alternative` by the rule of sema/alternatives.h, where the kernel has some. To be called when the
/// parameters are bound.
void chooseAlternative(Entry &entry);

/// Sets the entry's `recomputes` by what the steps before the recomputation have counted.
void askForRecomputation(Entry &entry);

/// Whether the call uses a tensor: null where each call does.
mlir::Value isUsed(Entry &entry, const sema::Tensor &tensor);

/// Makes a body that another step lends find the tensors and extents of the step that borrows it, as long as this
/// lives.
class BorrowedBody {
public:
  BorrowedBody(Entry &entry, const std::optional<sema::LentBody> &lent);
  ~BorrowedBody();
  BorrowedBody(const BorrowedBody &) = delete;
  BorrowedBody &operator=(const BorrowedBody &) = delete;

private:
  Entry &entry_;
  IdVector<sema::TensorId, TensorView> tensors_; ///< those of the entry, where there is a lender
  IdVector<sema::ExtentId, mlir::Value> extents_;
};

/// Whether the call takes an alternative.
mlir::Value isTaken(Entry &entry, size_t alternative);

} // namespace spc::entry
