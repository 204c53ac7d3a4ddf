// Index variables as debuggers know them.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace spc::pipeline {

/// Makes what spc-store-indices has put into the functions of a module in the LLVM dialect local variables of these, of
/// C's type long, with a label behind each store: of i they are `at_i`, `at_i_2` and so on. The functions have debug
/// information.
void declareIndices(mlir::ModuleOp module);

} // namespace spc::pipeline
