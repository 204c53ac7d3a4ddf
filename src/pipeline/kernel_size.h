// How much code a kernel becomes, counted before it is made. Private to this folder.
#pragma once

#include "sema/kernel.h"
#include "support/diagnostic.h"

#include "mlir/IR/BuiltinOps.h"

namespace spc::pipeline {

/// Reports a kernel that would become more code than can be compiled in a few seconds; false then. `module`: its loops,
/// as the sparsifier leaves them.
bool checkSize(mlir::ModuleOp module, const sema::Kernel &kernel, Diagnostics &diagnostics);

} // namespace spc::pipeline
