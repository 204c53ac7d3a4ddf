// Linking the runtime's helpers into a kernel.
#pragma once

#include "support/diagnostic.h"

namespace llvm {
class Module;
}

namespace spc::codegen {

/// Links what the module calls of the runtime (src/runtime) into it, as internal functions that compile for the
/// module's own processor. Does nothing, at no cost, where it calls none. To be run on a translated module whose triple
/// is set, before optimize().
/// False with a diagnostic where the target's architecture has no runtime.
bool linkRuntime(llvm::Module &module, Diagnostics &diagnostics);

/// After optimize(): most of the runtime was exempt from it, though not from code generation.
void releaseRuntime(llvm::Module &module);

} // namespace spc::codegen
