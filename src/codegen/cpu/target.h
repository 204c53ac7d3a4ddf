// The processors that an object is compiled for, and what loops for each can make use of.
#pragma once

#include "codegen/cpu/cpu_levels.h"
#include "codegen/object.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace spc::codegen {

/// The processors that an object is compiled for.
struct Target {
  std::unique_ptr<llvm::TargetMachine> machine; ///< what the object needs at least
  /// The levels that there are loops for (cpu_levels.h): the machine's and higher ones, ascending. Empty where there
  /// are no loops but the machine's.
  std::vector<CpuLevel> levels;
};

/// The target of one processor or several. With `chooses` these are the baseline, AVX2 (level 3), AVX-512 (level 4) and
/// fast gathers (level 5) where no processor is named and the architecture is x86-64. nullopt with a diagnostic as
/// createTargetMachine() gives them, and on lists of what no object can tell apart.
std::optional<Target> createTarget(const TargetOptions &options, bool chooses, Diagnostics &diagnostics);

/// A machine's vector registers.
struct VectorUnit {
  int64_t bytes = 0;              ///< of one register, as far as the processor works with at once
  int64_t registers = 0;          ///< 0: none
  bool gathersUnderMasks = false; ///< as fast as it loads
};

/// The vector registers of the machine, or of a level of x86-64; where there are none, registers of one element.
VectorUnit vectorUnit(const llvm::TargetMachine &machine, std::optional<CpuLevel> level = std::nullopt);

/// Whether code for the machine can read a clock in a few cycles, wherever it runs (runtime::Trial).
bool hasClock(const llvm::TargetMachine &machine);

} // namespace spc::codegen
