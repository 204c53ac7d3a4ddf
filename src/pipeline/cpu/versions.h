// Bodies with versions for several levels of x86-64, in LLVM's module.
#pragma once

#include "codegen/cpu/level_parts.h"
#include "pipeline/backend.h"

#include <vector>

namespace spc::pipeline {

/// The levels that the versions of a body are for, from the lowest one; empty where it has one version.
std::vector<codegen::CpuLevel> levelsOf(const Body &body);

/// The bodies for each level, from the lowest, where any has several, and all else.
std::vector<codegen::LevelPart> partsOf(const std::vector<Body> &bodies);

/// Makes callers of each body come to the one for the processor, where there are several. Gives the name of a body of
/// which a version is missing; empty where all is well.
std::string addChoices(llvm::Module &module, const std::vector<Body> &bodies);

/// Puts the bodies in the order of partsOf(), in which they are in an object that is compiled in parts.
void sortBodies(llvm::Module &module, const std::vector<Body> &bodies);

} // namespace spc::pipeline
