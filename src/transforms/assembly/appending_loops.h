// Innermost loops that append to a run, and how much they may append. Private to this folder.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace spc::transforms {

/// Loops of one block. Between the first one and the last one nothing else appends.
struct AppendingLoops {
  /// Positions that are stepped through in order, from the first value up to the second one.
  using Range = std::pair<mlir::Value, mlir::Value>;

  mlir::Operation *first, *last;
  /// All ranges, known where `first` stands. The sum of their lengths bounds the number of iterations: a range that is
  /// stepped through several times is there as often.
  llvm::SmallVector<Range> ranges;
  llvm::SmallVector<mlir::memref::StoreOp> stores;
};

/// Groups stores by the loops around them. Stores in loops that do not step through the entries of a sparse operand,
/// where a bound would be far off, are left out. Requires: an iteration of the innermost loop around stores at most
/// once.
llvm::SmallVector<AppendingLoops> findAppendingLoops(llvm::ArrayRef<mlir::memref::StoreOp> stores);

} // namespace spc::transforms
