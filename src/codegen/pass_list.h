// LLVM's passes for kernels.
#pragma once

#include "codegen/object.h"

#include "llvm/IR/PassManager.h"
#include "llvm/Passes/OptimizationLevel.h"

namespace spc::codegen {

/// The choices that the pass list depends on.
struct PassListOptions {
  llvm::OptimizationLevel level = llvm::OptimizationLevel::O3; ///< O2 or O3
  bool vectorizes = true;
  bool isLarge = false; ///< for all functions the passes that functions have which are large by themselves
};

/// LLVM's passes, in order, that find something in kernels; their loops are those of LLVM's own list, in three quarters
/// of the time. That list is for programs of many functions and calls, and repeats what a kernel's few loops need once.
llvm::ModulePassManager kernelPasses(const PassListOptions &options);

} // namespace spc::codegen
