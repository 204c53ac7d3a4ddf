// Levels of x86-64 compiled side by side.
#pragma once

#include "codegen/cpu/level_parts.h"
#include "pipeline/compiler.h"

#include <string>
#include <vector>

namespace spc::pipeline {

/// Whether an object's parts are compiled apart: an ELF object of several, whose line tables do not tie them together.
bool isParted(const llvm::Module &module, const std::vector<codegen::LevelPart> &parts, const CompileOptions &options);

/// The object of a module that LLVM has not optimised yet, its parts compiled by `options.threads` threads. Empty where
/// a part cannot be compiled. Requires: isParted().
std::string emitParts(const llvm::Module &module, const std::vector<codegen::LevelPart> &parts,
                      const CompileOptions &options, const llvm::TargetMachine &machine);

} // namespace spc::pipeline
