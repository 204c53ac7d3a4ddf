// Everything that depends on where bodies run, from a kernel's loops to machine code. The first header to read for a
// new backend; `cpu/backend.h` is one, and backends.cpp chooses.
#pragma once

#include "pipeline/compiler.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace spc::entry {
class BodyCalls;
}

namespace spc::pipeline {

class Compilation;

/// The loops of a body for one kind of processor.
struct BodyVersion {
  std::string function;    ///< that has them in MLIR's module
  std::string symbol;      ///< and in LLVM's, once it is completed
  std::string processor;   ///< "x86-64-v3"; empty where the target has one
  int64_t vectorBytes = 0; ///< of its registers
};

/// A function with a kernel's loops.
struct Body {
  std::string name;
  std::vector<BodyVersion> versions; ///< once a backend has made loops; the first one's function is `name`
};

/// The stage that LLVM IR is brought to, and for which kernel.
struct Emission {
  const sema::Kernel &kernel;
  const CompileOptions &options;
  Stage stage; ///< Llvm or one that follows
};

/// A backend runs bodies. It knows no kernel and is used for any number, one after the other.
///
/// A kernel passes its functions in their order. Host code, the entry and the runtime, is the same for all backends and
/// never among the bodies while these are lowered: it is added behind lower(), in the LLVM dialect.
class Backend {
public:
  virtual ~Backend() = default;

  /// The machine that host code is compiled for.
  virtual llvm::TargetMachine &machine() const = 0;

  /// Improves the loops of all bodies, whose storage is lowered, and gives each its versions: copies in the module,
  /// with the same arguments. False with a diagnostic (Compilation::run, fail).
  virtual bool makeLoops(Compilation &compilation) const = 0;

  /// Brings bodies, with which the module has nothing but declarations, to functions of the LLVM dialect that the entry
  /// calls, by the same names and with the same binds. False with a diagnostic.
  virtual bool lower(Compilation &compilation) const = 0;

  /// How the entry calls these.
  virtual const entry::BodyCalls &calls() const = 0;

  /// Completes a translated module, entry included: makes callers of a body come to the right version. False with a
  /// diagnostic.
  virtual bool complete(Compilation &compilation, llvm::Module &module) const = 0;

  /// Text or an object of a module that complete() has seen; uses it up. nullopt with a diagnostic.
  virtual std::optional<std::string> emit(llvm::Module &module, const std::vector<Body> &bodies,
                                          const Emission &emission, Diagnostics &diagnostics) const = 0;
};

/// How many versions of its bodies an object has.
enum class Versions {
  One,   ///< whatever the target names: for the least processor
  Named, ///< one for each processor that the target names
  Usual, ///< the same, and where it names none those that its backend has by default
};

/// The backend for a target; nullptr with a diagnostic.
std::unique_ptr<Backend> createBackend(const codegen::TargetOptions &target, Versions versions,
                                       Diagnostics &diagnostics);

/// Whether loops are written for vectors: not where nobody asked for speed, nor under the thread sanitizer, which knows
/// no accesses beyond 16 bytes.
bool usesVectors(const CompileOptions &options);

/// Whether debuggers are to see index variables: at -O0 alone, as that takes stores.
bool keepsIndices(const CompileOptions &options);

} // namespace spc::pipeline
