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
} // namespace llvm

namespace spc::codegen {

/// What to compile for.
struct TargetOptions {
  std::string triple; ///< empty: the host's
  /// Empty: the architecture's baseline, or several processors by default (createTarget); "native": the host's, with
  /// its features; levels of x86-64 with commas between, for createTarget() alone.
  std::string cpu;
  int optLevel = 3;   ///< 0 to 3
  Span tripleAt = {}; ///< where diagnostics say that they were given
  Span cpuAt = {};
};

/// A level of x86-64, as its psABI counts them: 1, the baseline, to 4.
using CpuLevel = int32_t;

/// What an object is compiled for.
struct Target {
  std::unique_ptr<llvm::TargetMachine> machine; ///< what the object needs at least
  /// The levels that there are loops for (cpu_levels.h): the machine's and higher ones, ascending. Empty where there
  /// are no loops but the machine's.
  std::vector<CpuLevel> levels;
};

/// The form in which machine code leaves.
enum class OutputKind { LlvmIr, Assembly, Object };

/// A machine's vector registers.
struct VectorUnit {
  int64_t bytes = 0;     ///< of one register, as far as the processor works with at once
  int64_t registers = 0; ///< 0: none
};

/// The vector registers of the machine, or of a level of x86-64; where there are none, registers of one element.
VectorUnit vectorUnit(const llvm::TargetMachine &machine, std::optional<CpuLevel> level = std::nullopt);

/// Whether code for the machine can read a clock in a few cycles, wherever it runs (runtime::Trial).
bool hasClock(const llvm::TargetMachine &machine);

/// The target machine (position-independent code) of one processor, or nullptr with a diagnostic (unknown triple or
/// cpu, with the nearest name; native for a foreign triple).
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const TargetOptions &options, Diagnostics &diagnostics);

/// One more of the same kind: machines are for one thread each.
std::unique_ptr<llvm::TargetMachine> copyMachine(const llvm::TargetMachine &machine);

/// The same, of one processor or several. With `chooses`, where no processor is named and the architecture is x86-64:
/// the baseline, AVX2 (level 3) and AVX-512 (level 4). nullopt with a diagnostic also on lists of what no object can
/// tell apart.
std::optional<Target> createTarget(const TargetOptions &options, bool chooses, Diagnostics &diagnostics);

/// Sets the machine's triple, data layout and flags on a module. optimize() and emit() do so too.
void setTarget(llvm::Module &module, const llvm::TargetMachine &machine);

/// Runs LLVM's -O<level> pipeline for the machine, or the level that a function has (setLevel), over the module, 16-bit
/// floats expanded first (half_floats.h). `large`: isLarge() of what the module is a part of; none: it is whole.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, int optLevel, std::optional<bool> large = {});

/// Whether a module has so many instructions that passes which look far afield take longer than they give.
bool isLarge(const llvm::Module &module);

/// Has objects describe their frames (.eh_frame and the like), so that debuggers, profilers and backtrace() see through
/// them.
void addUnwindTables(llvm::Module &module);

/// Names what made the object, in .comment or where the container has it.
void setProducer(llvm::Module &module, const std::string &producer);

/// The module as text IR, assembly or an object's bytes; the same bytes for the same module, with no folder names.
/// Empty when LLVM's code generator refuses the module: a bug of ours.
std::string emit(llvm::Module &module, llvm::TargetMachine &machine, OutputKind kind);

} // namespace spc::codegen
