// Loops over runs: the segments that MLIR's sparsifier finds in a level that repeats coordinates, as COO's rows do.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace spc::transforms {

/// A loop over runs of entries whose coordinate is the same:
/// `while (p = begin, last = the end of the first run; p < limit) { …; for q in p to last: …; …; p = last, last = … }`
/// All of a run but its entries are loads, stores and arithmetic, which depend on the run by its coordinate alone.
struct Runs {
  mlir::scf::WhileOp loop, firstSearch;
  mlir::Value limit, position, last;
  mlir::scf::WhileOp search;       ///< for the next run's end
  mlir::memref::LoadOp coordinate; ///< of the run
  mlir::scf::ForOp entries;
  llvm::SmallVector<mlir::Operation *> place; ///< what the coordinate is loaded from and by, in order

  mlir::Block &body() { return *loop.getAfterBody(); }
  /// Whether an operation in the body plays no part but in the search for the next run's end.
  bool isOfSearch(mlir::Operation *op) const;
  /// Whether an operation asks if the run has any entries, as each run has.
  bool asksForEntries(mlir::Operation *op) const;
};

/// The loop over runs that `loop` is, or nullopt.
std::optional<Runs> matchRuns(mlir::scf::WhileOp loop);

/// Writes the load of the coordinate of the entry at a position.
mlir::Value coordinateAt(mlir::ImplicitLocOpBuilder &ops, Runs &runs, mlir::Value position);

/// Whether it can be foreseen if entries so many places apart have one coordinate: most have, or none. Samples of
/// the whole list say so, wherever in it the loop begins and ends; what is short is soon known. Null where nothing says
/// how many entries there are.
mlir::Value canForeseeRuns(mlir::ImplicitLocOpBuilder &ops, Runs &runs, int64_t apart);

} // namespace spc::transforms
