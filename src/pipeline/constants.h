// The constants of a kernel on their way into its object.
#pragma once

#include "entry/stored_constant.h"
#include "support/diagnostic.h"

#include <optional>

namespace llvm {
class Module;
}

namespace spc::pipeline {

/// Packs a kernel's constants. nullopt with an error reported where a format cannot hold one.
std::optional<entry::StoredConstants> storeConstants(const sema::Kernel &kernel, Diagnostics &diagnostics);

/// Defines the globals that the entry has declared for them: private, read-only data, in the target's order of bytes.
void defineConstants(const sema::Kernel &kernel, const entry::StoredConstants &constants, llvm::Module &module);

} // namespace spc::pipeline
