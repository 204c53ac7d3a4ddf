// From LLVM IR to text, an object or memory, as all backends do it for host code.
#pragma once

#include "pipeline/backend.h"

namespace spc::pipeline {

/// Optimises a module and links the runtime into it, sanitizers' checks included; false with a diagnostic.
bool finish(llvm::Module &module, llvm::TargetMachine &machine, const sema::Kernel &kernel,
            const CompileOptions &options, Diagnostics &diagnostics);

/// Finishes a module, and emits it as a whole. nullopt with a diagnostic.
std::optional<std::string> emitWhole(llvm::Module &module, llvm::TargetMachine &machine, const Emission &emission,
                                     Diagnostics &diagnostics);

} // namespace spc::pipeline
