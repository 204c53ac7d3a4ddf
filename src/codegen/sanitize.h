// Sanitizers: a kernel's code that watches itself, runtime functions included, as clang's -fsanitize= has it.
#pragma once

#include "support/diagnostic.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace spc::codegen {

/// The faults to watch for.
struct Sanitizers {
  bool address = false;   ///< accesses outside of memory that the program has; not together with `thread`
  bool thread = false;    ///< data races
  bool undefined = false; ///< accesses through null or misaligned pointers
  Span at = {};           ///< where diagnostics say that they were asked for

  bool any() const { return address || thread || undefined; }
};

/// False with a diagnostic where there is no such sanitizer for the machine's target.
bool supportsSanitizers(const Sanitizers &sanitizers, const llvm::TargetMachine &machine, Diagnostics &diagnostics);

/// Tells the optimiser that the code will be watched, and adds the checks of `undefined`. To be run before optimize(),
/// when the runtime is linked.
void prepareForSanitizers(llvm::Module &module, const Sanitizers &sanitizers);

/// Instruments the accesses and atomic operations of every function. The object then needs the sanitizers' runtime
/// libraries. To be run after optimize() and releaseRuntime().
void instrument(llvm::Module &module, const Sanitizers &sanitizers);

/// Adds a call of the undefined-behaviour sanitizer's runtime before each load and store whose pointer is null or not
/// aligned as the access says. To be run before the optimiser, which may take both for impossible.
void addPointerChecks(llvm::Module &module);

} // namespace spc::codegen
