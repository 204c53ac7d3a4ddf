// The MLIR context a kernel is compiled in.
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace spc::pipeline {

/// A single-threaded context with the dialects of every stage loaded, and their conversions to LLVM registered.
std::unique_ptr<mlir::MLIRContext> createContext();

} // namespace spc::pipeline
