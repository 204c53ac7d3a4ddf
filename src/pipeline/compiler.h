// The compiler as a function: checked kernel in, any stage's text, an object or running code out.
// The only header of the back end that the driver and the tests include; it needs no MLIR header.
#pragma once

#include "codegen/jit.h"
#include "codegen/object.h"
#include "codegen/sanitize.h"
#include "sema/kernel.h"
#include "support/diagnostic.h"

#include <memory>
#include <optional>
#include <string>

namespace spc::pipeline {

/// The stages that --emit shows after the syntax tree.
enum class Stage { Linalg, Sparse, Loops, Llvm, Assembly, Object };

/// How to compile a checked kernel.
struct CompileOptions {
  codegen::TargetOptions target;
  codegen::Sanitizers sanitizers;
  bool debugInfo = false;      ///< -g: line tables that point into the kernel file; at -O0 index variables, too
  bool printLocations = false; ///< MLIR's text has the places in the kernel that operations come from
  std::string contents;        ///< of an object: what hides its symbols, see abi::ExportedNames; empty: nothing
  std::string producer;        ///< what objects say that they were made by
  bool timePasses = false;     ///< --time-passes: a report on standard error
  bool verifyEach = false;     ///< MLIR's verifier runs after each pass, else after each group of them
  /// How many threads may compile an object's levels side by side, this one included: it is the same object for any
  /// number.
  int threads = 1;
};

/// Whether kernels can be compiled for a target and with sanitizers; with a diagnostic where they cannot.
bool supports(const codegen::TargetOptions &target, const codegen::Sanitizers &sanitizers, Diagnostics &diagnostics);

/// The kernel at `stage`: MLIR or LLVM text, assembly, or an object's bytes. nullopt with a diagnostic on failure
/// (a wrong target, or Severity::Internal for a bug of ours: an operation that no pass lowered, a verifier's refusal).
std::optional<std::string> compile(const sema::Kernel &kernel, Stage stage, const CompileOptions &options,
                                   Diagnostics &diagnostics);

/// The kernel compiled into memory for the host's processor; `optLevel` 0 to 3. `codeHash`, where wanted, is the same
/// for kernels whose code is the same. `verifyEach`: as in CompileOptions.
std::unique_ptr<codegen::JitKernel> compileToMemory(const sema::Kernel &kernel, int optLevel, Diagnostics &diagnostics,
                                                    uint64_t *codeHash = nullptr, bool verifyEach = false);

/// Compiles kernels into memory one after the other, in a third of the time of compileToMemory() where `optLevel` is 0:
/// MLIR's context and the code generator are made once, and kernels whose code is the same share it, but for code that
/// remembers its calls. For tests that compile many: MLIR's verifier runs after each pass. Kernels must not outlive it.
class Workshop {
public:
  explicit Workshop(int optLevel = 0);
  ~Workshop();
  /// nullptr with a diagnostic, as compileToMemory().
  std::shared_ptr<codegen::JitKernel> compile(const sema::Kernel &kernel, Diagnostics &diagnostics);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace spc::pipeline
