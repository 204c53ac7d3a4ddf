// Deciding whether to prefetch for a loop over rows: by its entries, and by trying it out.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace spc::transforms {

/// A range of positions of one level.
struct Range {
  mlir::Value begin, end;
};

/// Whether to prefetch, and the last position that an array of the entries has; there is one where it is possible.
struct PrefetchDecision {
  mlir::Value isWorth, last, isPossible;
};

/// The loop over rows that a loop over a segment is inside of, and how it gets there.
struct Segments {
  mlir::scf::ForOp root; ///< over rows
  mlir::scf::ForOp next; ///< the loop inside of it on the way to the segment, or the segment's own
  /// The array that says where each parent's entries begin, or the number of entries that each parent has, of the
  /// levels from the one below the root's loop down to the segment's.
  llvm::SmallVector<mlir::Value> pointers;
};

/// Climbs from a loop over a segment to that over rows; nullopt where the ends of segments are neither read from
/// pointers nor multiples of a width.
std::optional<Segments> segmentsOf(mlir::scf::ForOp segment);

/// Whether a loop does what another one, which does several iterations at once, leaves of a segment.
bool isRest(mlir::scf::ForOp segment);

/// The position at which the entries of parent `at` begin, by what Segments have of their level.
mlir::Value beginOf(mlir::ImplicitLocOpBuilder &ops, mlir::Value pointers, mlir::Value at);

/// Reads an element of an index array, as an index.
mlir::Value readIndex(mlir::ImplicitLocOpBuilder &ops, mlir::Value array, mlir::Value at);

/// Decides as `then` does where the condition holds; elsewhere against prefetching.
PrefetchDecision decideIf(mlir::ImplicitLocOpBuilder &ops, mlir::Value condition,
                          llvm::function_ref<PrefetchDecision()> then);

/// Decides by the segments that `pointers` lead to from a range of rows: not to prefetch where there are less than
/// `fewest` segments or no entries (levels without entries may have no pointers at all), else as `isWorth` says, which
/// gets the range of segments and the position of the last entry.
PrefetchDecision lookAtEntries(mlir::ImplicitLocOpBuilder &ops, llvm::ArrayRef<mlir::Value> pointers, Range rows,
                               int64_t fewest, llvm::function_ref<mlir::Value(Range, mlir::Value)> isWorth);

/// The argument of the body that is its trial, where `root` is a loop over all of the body's rows, or over those of
/// them that a root lists; else null.
mlir::Value trialOf(mlir::func::FuncOp body, mlir::scf::ForOp root);

/// Cuts the root's loop into pieces, each of which begins and ends as one of the trial. Returns whether the piece
/// prefetches: as the trial says, in calls that try nothing out as `usual` says.
mlir::Value cutIntoPieces(mlir::ImplicitLocOpBuilder &ops, mlir::scf::ForOp root, mlir::Value trial,
                          llvm::ArrayRef<mlir::Value> pointers, const PrefetchDecision &usual);

/// Leaves the loop in one branch of a choice, and puts a copy of it, as it is, into the other one.
void keepCopyUnless(mlir::Value condition, mlir::scf::ForOp loop);

} // namespace spc::transforms
