// Innermost loops that append to a run, and how much they may append. Private to this folder.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace spc::transforms {

/// Loops of one block, from the first one to the last one, in whose iterations nothing else appends.
struct AppendingLoops {
  /// Positions that they step through, never back: from the first value, as the loops begin, up to the second one.
  using Range = std::pair<mlir::Value, mlir::Value>;

  mlir::Operation *first, *last;
  /// Each known where `first` stands, as often as it is stepped through: their lengths' sum bounds the iterations.
  llvm::SmallVector<Range> ranges;
  llvm::SmallVector<mlir::memref::StoreOp> stores;
};

/// Groups stores, of which each iteration of the loop around does one at most, by their loops. Left out are those in
/// loops that do not step through what a sparse operand stores, where a bound would be far off.
llvm::SmallVector<AppendingLoops> findAppendingLoops(llvm::ArrayRef<mlir::memref::StoreOp> stores);

} // namespace spc::transforms
