// The numeric phase of an elementwise sum, by a plan of where each operand's entries lie among the target's: a loop
// over the entries of each addend's operand, without comparisons of coordinates and without branches.
#pragma once

#include "mlirgen/merged_nest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace spc::mlirgen {

/// Builds the loops that set the values of `target`, a sparse tensor whose structure is there, in `function`, which
/// gets arguments for the first and the last row of a chunk. `places` is a buffer of 32-bit places: by entry of the
/// first addend's operand, then of the second one's, and so on. Requires: sema::MergePlan::Places.
void buildPlannedSums(const MergedTerm &term, mlir::func::FuncOp function, mlir::Value target, mlir::Value places,
                      mlir::OpBuilder &builder, mlir::Location location);

} // namespace spc::mlirgen
