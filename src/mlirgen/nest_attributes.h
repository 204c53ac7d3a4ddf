// The names of a term's loops by its index variables, for debuggers.
#pragma once

#include "sema/kernel.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"

namespace spc::mlirgen {

/// `location`, which says besides what the loops made for `term` run over: an array with an entry a loop of the
/// iteration space, in which each variable that the loop is a part of has an array of its name, what the loop's
/// coordinate is multiplied by, and how many loops are parts of it. `places`: by loop of the term its place in the
/// iteration space, or -1.
mlir::Location withLoopNames(mlir::Location location, const sema::Term &term, llvm::ArrayRef<int> places);

} // namespace spc::mlirgen
