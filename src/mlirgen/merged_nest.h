// One term of a statement as loops that walk all of its sparse operands at once.
//
// MLIR's sparsifier makes a loop of its own for every set of operands that may have entries left, 2^n for a union of n.
// Here each index has one loop. Each operand has a cursor in it; where the cursor is not at the loop's coordinate, the
// operand is missing. The loop goes on as long as the term's domain may have a place in what is left.
#pragma once

#include "mlirgen/term_body.h"

namespace spc::mlirgen {

/// A merged term, and the values that its loops are made of.
struct MergedTerm {
  const TermBody &body;
  llvm::ArrayRef<mlir::Value> tensors; ///< by operand number; null for scalars
  llvm::ArrayRef<mlir::Value> extents; ///< by loop; null where it has no place
};

/// Builds the loops that add the term to `target`, or reduce it into it. Gives the new value of `target`. Requires: the
/// term has a domain, and its sparse operands have dense and compressed levels alone.
mlir::Value buildMergedNest(const MergedTerm &term, mlir::Value target, mlir::OpBuilder &builder,
                            mlir::Location location);

} // namespace spc::mlirgen
