// Checked kernel to linalg.generic with sparse encodings.
//
// The module holds one function a step of the kernel (sema/kernel.h; none for conversions), its *body*, named as
// sema::bodyName says; where the kernel has phases, a second one under sema::patternBodyName, and where it merges by
// plan a third under sema::plannedBodyName. The arguments of a body are, in this order:
//   every tensor that the step uses, of order >= 1 or written (parameters, temporaries, converted copies), as
//     tensor<...xT> (dense by dimension; pattern-sharing outputs by level) or tensor<...xT, #sparse> (sparse operands,
//     by level);
//   every scalar operand, as T;
//   extents that terms count with and no tensor's type has, as index, bound by name (spc.bind).
// Each of the first two kinds has the attribute spc.tensor (dialect/SpcAttributes.td), which says what it is. An
// assembled output is one dense tensor by dimension for each of the statement's terms, with a run in it. The function
// returns the final value of each written tensor. Its own attributes: spc.pattern_only, of a body that computes the
// pattern alone, spc.as_written, of bodies that are to round alike, spc.schedule, what the user's schedule leaves to
// passes and to the entry, spc.division, how workers may divide it, and spc.nests, what is known of the terms' loops:
// the linalg.generic of each term, or its loops where they are there already, have their place in these (spc.place).
#pragma once

#include "sema/kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace spc::mlirgen {

/// Builds the module for `kernel`. The context must have the dialects of pipeline::createContext loaded.
mlir::OwningOpRef<mlir::ModuleOp> generate(const sema::Kernel &kernel, mlir::MLIRContext &context);

} // namespace spc::mlirgen
