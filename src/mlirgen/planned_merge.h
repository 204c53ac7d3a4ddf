// The numeric phase of an elementwise statement, by a plan that says which operands have each entry of the target: one
// loop over the target's entries, without comparisons of coordinates and without branches.
#pragma once

#include "mlirgen/merged_nest.h"

namespace spc::mlirgen {

/// Builds the loops that set the values of `target`, a sparse tensor whose structure is there. `masks` is a buffer of
/// bytes: bit n of number p + 1 says whether the n-th sparse operand has an entry at the target's entry p, its next
/// one; number 0 is 0. Requires: sema::MergePlan::Masks.
void buildPlannedMerge(const MergedTerm &term, mlir::Value target, mlir::Value masks, mlir::OpBuilder &builder,
                       mlir::Location location);

} // namespace spc::mlirgen
