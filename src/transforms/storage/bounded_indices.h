// The indices of a body that are sums of loop variables and may leave their extent.
#pragma once

#include "transforms/util/affine_sums.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace spc::transforms {

/// A sum at which `access` reads or writes a dimension of a dense tensor's buffer, or the root level of a sparse
/// argument; it must stay in [0, extent).
struct BoundedIndex {
  mlir::Operation *access;
  int64_t dim; ///< 0 for a root level
  AffineSum sum;
  mlir::Value extent;
};

/// Enumerates the sums of a body. An attribute on the access marks those that are taken care of; clones of the access
/// carry it along.
class BoundedIndices {
public:
  explicit BoundedIndices(mlir::func::FuncOp body) : body_(body) {}

  /// The first sum that is not marked; nullopt when there is none. Loop nests before it are not looked at again.
  /// Failure, with an error reported, where an index has an unknown shape.
  mlir::FailureOr<std::optional<BoundedIndex>> next();

  /// Marks every access in `scope` at the same sum of the same extent.
  void mark(const BoundedIndex &bounded, mlir::Operation *scope);

  /// Removes the marks.
  void forgetMarks();

private:
  using Indices = llvm::SmallVector<BoundedIndex>;
  mlir::FailureOr<std::optional<BoundedIndex>> firstIn(mlir::Operation *nest);
  mlir::Operation *followingNest();
  mlir::FailureOr<Indices> sumsOf(mlir::Operation *op);
  mlir::FailureOr<Indices> sumsOfBuffer(mlir::Operation *access, mlir::BlockArgument buffer, mlir::ValueRange indices);
  mlir::FailureOr<Indices> sumsOfRoot(mlir::Operation *access, mlir::Operation *array, mlir::Value index);
  mlir::Value rootIndex(unsigned argument, unsigned level, mlir::Value position);

  mlir::func::FuncOp body_;
  mlir::Operation *done_ = nullptr; ///< the last operation of the body in which, as in all before it, no sum is left
};

/// Whether a loop variable or a coordinate is known not to be negative.
bool isNonNegative(mlir::Value value);

/// Whether a sum is known not to be negative.
bool isNonNegative(const AffineSum &sum);

} // namespace spc::transforms
