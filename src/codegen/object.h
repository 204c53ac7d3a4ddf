// LLVM IR to objects and assembly: target machine, optimisation, emission.
#pragma once

#include "support/diagnostic.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace spc::codegen {

/// What to compile for.
struct TargetOptions {
  std::string triple; ///< empty: the host's
  std::string cpu;    ///< empty: the architecture's baseline; "native": the host's, with its features
  int optLevel = 3;   ///< 0 to 3
};

/// The form in which machine code leaves.
enum class OutputKind { LlvmIr, Assembly, Object };

/// A machine's vector registers.
struct VectorUnit {
  int64_t bytes = 0;     ///< of one register, as far as the processor works with at once
  int64_t registers = 0; ///< 0: none
};

/// The vector registers of the machine; where it has none, registers of one element.
VectorUnit vectorUnit(const llvm::TargetMachine &machine);

/// The target machine (position-independent code), or nullptr with a diagnostic (unknown triple or cpu, with the
/// nearest name; native for a foreign triple).
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const TargetOptions &options, Diagnostics &diagnostics);

/// Sets the machine's triple, data layout and flags on a module. optimize() and emit() do so too.
void setTarget(llvm::Module &module, const llvm::TargetMachine &machine);

/// Runs LLVM's -O<level> pipeline for the machine over the module, 16-bit floats expanded first (half_floats.h).
void optimize(llvm::Module &module, llvm::TargetMachine &machine, int optLevel);

/// The module as text IR, assembly or an object's bytes; the same bytes for the same module, with no folder names.
/// Empty when LLVM's code generator refuses the module: a bug of ours.
std::string emit(llvm::Module &module, llvm::TargetMachine &machine, OutputKind kind);

} // namespace spc::codegen
