// The MLIR context a kernel is compiled in.
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace spc::pipeline {

/// The dialects of every stage, with their conversions to LLVM and their translations.
void registerDialects(mlir::DialectRegistry &registry);

/// A single-threaded context with the dialects of every stage loaded.
std::unique_ptr<mlir::MLIRContext> createContext();

} // namespace spc::pipeline
