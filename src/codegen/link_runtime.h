// Linking the runtime's helpers into a kernel.
#pragma once

#include "support/diagnostic.h"

#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace spc::codegen {

/// Why a kernel calls the runtime, for a target that has none.
struct RuntimeReason {
  std::string what;    ///< what the kernel does: "copies an operand"
  std::string instead; ///< what the user could do instead, as advice
  Span where;
};

/// How machine code is generated of the runtime.
enum class RuntimeCode {
  Fast,
  Quick, ///< without optimising: where each access is watched, nobody measures
};

/// Whether there is a runtime for a machine.
bool hasRuntime(const llvm::TargetMachine &machine);

/// Links what the module calls of the runtime (src/runtime) into it, as internal functions that compile for the
/// module's own processor. Does nothing, at no cost, where it calls none. To be run on a translated module whose triple
/// is set. The runtime was optimised when spc was built: after optimize() it costs code generation alone.
/// False with a diagnostic that says the reason where the target's architecture has no runtime.
bool linkRuntime(llvm::Module &module, const RuntimeReason &reason, Diagnostics &diagnostics,
                 RuntimeCode code = RuntimeCode::Fast);

/// Does what linkRuntime() does to the callers in a part of a module, where another part has the runtime: short
/// functions become part of them, all others may be declared alone. False with a diagnostic.
bool linkShort(llvm::Module &module, Diagnostics &diagnostics);

} // namespace spc::codegen
