// Objects that hold loops for several levels of x86-64, and choose among them when they run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace spc::codegen {

/// A level of x86-64, as its psABI counts them: 1, the baseline, to 4; and 5, which are processors of level 4 that
/// gather fast (runtime/cpu_level.h).
using CpuLevel = int32_t;

/// The level whose vectors have 512 bits.
inline constexpr CpuLevel kAvx512 = 4;

/// The level whose loops gather under masks, with the instructions of level 4.
inline constexpr CpuLevel kFastGathers = 5;

/// The processor of this level: "x86-64-v3", "x86-64-v4 that gathers fast".
std::string processorOf(CpuLevel level);

/// The level of what processorOf() gives; nullopt of all else.
std::optional<CpuLevel> levelNamed(std::string_view processor);

/// The end of the names of functions for this level: ".v3".
std::string suffixOf(CpuLevel level);

/// Makes a function be compiled for a level, whatever the machine is. It is in a module that knows its target.
void setLevel(llvm::Function &function, CpuLevel level);

/// Puts a function in the place of `bodies[0]`, which is then called `renamed`, that calls the body for the highest
/// level that the processor has: `levels` are those of the bodies, from the lowest, which every processor has, to the
/// highest, and 1 where that is the baseline. The bodies have the same type, and callers call the first one.
///
/// The level of the processor is found out once a program, at the first call, and kept in `spc_x86_64_level`, which the
/// objects of a program share: 1 to 5, or 0 as long as nobody asked. The module has its target (setTarget); it calls
/// the runtime, to be linked afterwards.
void addChoice(const std::vector<CpuLevel> &levels, const std::vector<llvm::Function *> &bodies,
               const std::string &renamed);

} // namespace spc::codegen
