// A module with loops for several levels of x86-64 (cpu_levels.h) in parts, which can be compiled apart from each other
// and are one object again (assemble.h).
#pragma once

#include "codegen/cpu/cpu_levels.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace spc::codegen {

/// The bodies for one level, or all else that a module has: the entry, the choice among bodies and the runtime.
struct LevelPart {
  std::optional<CpuLevel> level;      ///< none: the machine's own
  std::vector<std::string> functions; ///< of a level: its bodies; empty for all else
};

/// Whether the bodies in the parts use nothing that the module itself defines, so that they can be compiled apart.
bool canPart(const llvm::Module &module, const std::vector<LevelPart> &parts);

/// Part `k` of a module, given as bitcode, of which optimize() and linkRuntime() have not run: what is in other parts
/// is declared. The part that is all else is linked with the runtime's functions for any of them. nullptr on damaged
/// bitcode.
std::unique_ptr<llvm::Module> readPart(llvm::StringRef bitcode, const std::vector<LevelPart> &parts, size_t k,
                                       llvm::LLVMContext &context);

/// A body's part keeps of the runtime what became part of the body alone. To be called after these have run.
void closePart(llvm::Module &module, const LevelPart &part);

/// The assembly of part `k`, emitted from a module that was closed, as it stands in one text with that of the others:
/// labels that the assembler forgets have names of their own, and what is said once a text is said by one part.
std::string partText(const std::string &assembly, const std::vector<LevelPart> &parts, size_t k);

} // namespace spc::codegen
