// The constructors of our passes; what each does, and why LLVM or MLIR would not, is in Passes.td.
#pragma once

#include "dialect/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace spc::transforms {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "transforms/Passes.h.inc"

} // namespace spc::transforms
