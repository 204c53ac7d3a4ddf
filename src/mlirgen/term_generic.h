// One term of a statement as a linalg.generic.
#pragma once

#include "mlirgen/body_values.h"
#include "sema/two_phases.h"

namespace spc::mlirgen {

/// The numeric phase of an elementwise term, and what its plan has noted (planned_merge.h, planned_sums.h).
struct ByPlan {
  mlir::func::FuncOp function;
  mlir::Value target; ///< a sparse tensor whose structure is there
  mlir::Value noted;
  sema::MergePlan kind;
};

/// Sets the target's values.
void buildTermByPlan(const sema::Kernel &kernel, const sema::Statement &statement, const sema::Term &term,
                     const ByPlan &plan, BodyValues &values, mlir::OpBuilder &builder, mlir::Location location);

/// Builds the generic, or of a merged term the loops, that adds `term` of `statement` to `target`, or puts it there
/// where the statement overwrites, or reduces it into it. Gives the new value of `target`. Its loops are those of the
/// term, in their order, and it has their place (spc.place).
mlir::Value buildTermGeneric(const sema::Kernel &kernel, const sema::Statement &statement, const sema::Term &term,
                             mlir::Value target, BodyValues &values, mlir::OpBuilder &builder, mlir::Location location);

} // namespace spc::mlirgen
