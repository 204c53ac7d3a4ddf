// Conversions of 16-bit floats without a support library.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace spc::codegen {

/// Replaces conversions between half or bfloat and wider floats by integer arithmetic on their bits, wherever the
/// machine, or the level that a function is compiled for, has no instruction for them: LLVM would call compiler-rt
/// (`__truncsfhf2` …), which programs that link a kernel's object may lack. Rounds to nearest even, once, with
/// subnormals, infinities and NaNs as hardware has them. Loops with them vectorise. To be run before optimisation,
/// which would turn arithmetic between conversions into arithmetic on halves. Functions must not take or return such
/// types (entry.h passes their bits).
void expandHalfFloats(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace spc::codegen
