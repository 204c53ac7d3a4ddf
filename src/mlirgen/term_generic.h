// One term of a statement as a linalg.generic.
#pragma once

#include "mlirgen/body_values.h"

namespace spc::mlirgen {

/// Builds the generic, or of a merged term the loops, that adds `term` of `statement` to `target`, or puts it there
/// where the statement overwrites, or reduces it into it. Gives the new value of `target`. Its loops are those of the
/// term, in their order. `namesLoops`: a generic's location says what they run over.
mlir::Value buildTermGeneric(const sema::Kernel &kernel, const sema::Statement &statement, const sema::Term &term,
                             mlir::Value target, BodyValues &values, mlir::OpBuilder &builder, mlir::Location location,
                             bool namesLoops);

} // namespace spc::mlirgen
