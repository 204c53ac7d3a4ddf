// Loops that merge two lists and do something where both have an entry, as MLIR's sparsifier writes them.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <array>
#include <optional>

namespace spc::transforms {

/// One of the two segments that a merge steps through.
struct MergedSegment {
  unsigned number = 0;         ///< of the carried position
  mlir::Value begin, end;      ///< positions
  mlir::Value coordinate = {}; ///< at the position, in the merge's body: an element of an index array
};

/// A merge of two segments that hands nothing on but where both have an entry.
struct Intersection {
  mlir::scf::WhileOp loop;
  std::array<MergedSegment, 2> segments;
  mlir::scf::IfOp both; ///< what is done where both have an entry
  mlir::Value least;    ///< the less of the two coordinates

  mlir::Value positionOf(const MergedSegment &segment) { return loop.getAfterArguments()[segment.number]; }

  /// What the values that the merge carries besides positions begin with.
  llvm::SmallVector<mlir::Value> carriedInits();
  /// Which of the merge's results are these values, in the same order.
  llvm::SmallVector<mlir::OpResult> carriedResults();

  /// Clones what is done where both have an entry to where `ops` stands, with `known` for the merge's values, to which
  /// it adds. Returns what it hands on.
  llvm::SmallVector<mlir::Value> cloneBoth(mlir::ImplicitLocOpBuilder &ops, mlir::IRMapping &known);
};

/// What `loop` intersects. nullopt of any other loop; where what is done for both needs more than positions, their
/// coordinates and what is computed outside; and where somebody asks how far the merge came.
std::optional<Intersection> intersectionOf(mlir::scf::WhileOp loop);

/// The segment's coordinate at another position.
mlir::Value coordinateAt(mlir::ImplicitLocOpBuilder &ops, const MergedSegment &segment, mlir::Value position);

/// Where a position is looked for.
struct Halved {
  mlir::Value begin, length;
};

/// Halves an ordered segment again and again, without branches on coordinates, to `few` entries or fewer: the last one
/// whose coordinate `isBefore` is among them, or the first of all. `ops` then stands behind the loop.
Halved halve(mlir::ImplicitLocOpBuilder &ops, const MergedSegment &segment, int64_t few,
             llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::Value)> isBefore);

/// A branch that hands `otherwise` on where the condition does not hold. Its other block is empty, for insideOf().
mlir::scf::IfOp branchOn(mlir::ImplicitLocOpBuilder &ops, mlir::Value condition, mlir::ValueRange otherwise);

/// A builder at the end of the block where the condition holds, in front of a terminator that is there.
mlir::ImplicitLocOpBuilder insideOf(mlir::ImplicitLocOpBuilder &ops, mlir::scf::IfOp branch);

} // namespace spc::transforms
