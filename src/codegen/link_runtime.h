// Linking the runtime's helpers into a kernel.
#pragma once

#include "support/diagnostic.h"

namespace llvm {
class Module;
}

namespace spc::codegen {

/// Links what the module calls of the runtime (src/runtime) into it, as internal functions that compile for the
/// module's own processor. Does nothing, at no cost, where it calls none. To be run on a translated module whose triple
/// is set. The runtime was optimised when spc was built: after optimize() it costs code generation alone.
/// False with a diagnostic at `place`, what the kernel calls it for, where the target's architecture has no runtime.
bool linkRuntime(llvm::Module &module, Span place, Diagnostics &diagnostics);

} // namespace spc::codegen
