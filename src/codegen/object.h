// LLVM IR to objects and assembly: target machine, optimisation, emission.
#pragma once

#include "support/diagnostic.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
class Triple;
} // namespace llvm

namespace spc::codegen {

/// The target to compile for.
struct TargetOptions {
  std::string triple; ///< empty: the host's
  /// Empty: the architecture's baseline, or several processors by default; "native": the host's, with its features;
  /// levels of x86-64 with commas between, which createTargetMachine() does not take (cpu/target.h).
  std::string cpu;
  int optLevel = 3;   ///< 0 to 3
  Span tripleAt = {}; ///< where diagnostics say that they were given
  Span cpuAt = {};
};

/// The form in which machine code leaves.
enum class OutputKind { LlvmIr, Assembly, Object };

/// The target machine (position-independent code) of one processor, or nullptr with a diagnostic (unknown triple or
/// cpu, with the nearest name; native for a foreign triple).
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const TargetOptions &options, Diagnostics &diagnostics);

/// One more of the same kind: machines are for one thread each.
std::unique_ptr<llvm::TargetMachine> copyMachine(const llvm::TargetMachine &machine);

/// The features by which code for a target's processors differs from what LLVM makes of their names alone; empty: none.
/// Vectors are as wide as the registers: LLVM makes most of Intel's processors prefer halves of them.
std::string tuningOf(const llvm::Triple &triple);

/// Sets the machine's triple, data layout and flags on a module. optimize() and emit() do so too.
void setTarget(llvm::Module &module, const llvm::TargetMachine &machine);

/// Runs LLVM's -O<level> pipeline for the machine, or the level that a function has (setLevel), over the module, 16-bit
/// floats expanded first (half_floats.h). `large`: isLarge() of what the module is a part of; none: it is whole.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, int optLevel, std::optional<bool> large = {});

/// Whether a module has so many instructions that passes which look far afield take longer than they give.
bool isLarge(const llvm::Module &module);

/// Makes objects describe their frames (.eh_frame and the like), so that debuggers, profilers and backtrace() see
/// through them.
void addUnwindTables(llvm::Module &module);

/// Names what made the object, in .comment or where the container has it.
void setProducer(llvm::Module &module, const std::string &producer);

/// The module as text IR, assembly or an object's bytes; the same bytes for the same module, with no folder names.
/// Empty when LLVM's code generator refuses the module: a bug of ours.
std::string emit(llvm::Module &module, llvm::TargetMachine &machine, OutputKind kind);

} // namespace spc::codegen
