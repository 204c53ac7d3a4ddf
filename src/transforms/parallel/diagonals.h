// Loops over the diagonals of a matrix: over the positions of a root, and below each one over some of the rows.
#pragma once

#include "transforms/parallel/row_loops.h"

namespace spc::transforms {

/// `for p: for i from max(0, ...) to min(m, ...)`, where each i accesses elements of its own in whatever the nest
/// writes. The rows may then be cut: no row waits for another one, and each comes by the same diagonals in the same
/// order.
struct Diagonals {
  mlir::scf::ForOp positions, rows;
  dialect::ExtentAttr extent; ///< of the rows
};

/// The diagonals that a loop at the top of `body` runs over, whose row loops are recorded; nullopt of any other loop.
std::optional<Diagonals> matchDiagonals(mlir::func::FuncOp body, mlir::Operation *op);

} // namespace spc::transforms
