// One kernel on its way through MLIR.
#pragma once

#include "codegen/level_parts.h"
#include "codegen/object.h"
#include "pipeline/compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace spc::pipeline {

/// A function with a kernel's loops, and the levels of x86-64 that it is there for; none where it is there once.
struct Body {
  std::string name;
  std::vector<codegen::CpuLevel> levels;
};

/// One compilation: owns the MLIR module, and turns MLIR's own diagnostics into ours.
class Compilation {
public:
  Compilation(const sema::Kernel &kernel, mlir::MLIRContext &context, Diagnostics &diagnostics)
      : kernel_(kernel), diagnostics_(diagnostics), context_(context),
        handler_(&context_, [this](mlir::Diagnostic &diagnostic) { collect(diagnostic); }) {}

  /// Brings the module to `stage`, which comes before Llvm. False with a diagnostic on failure.
  bool lowerTo(Stage stage, const CompileOptions &options, const codegen::Target &target);

  /// With the places in the kernel that operations come from, where these are wanted.
  std::string text(bool printLocations);

  /// The module, brought to some stage.
  mlir::ModuleOp module() const { return *module_; }

  /// Of a module brought to Loops: its bodies.
  const std::vector<Body> &bodies() const { return bodies_; }

  /// Of a module that was translated: the bodies for each level, from the lowest, where any has several, and all else.
  std::vector<codegen::LevelPart> parts() const;

  /// Lowers a module brought to Loops on to LLVM IR, entry included. nullptr with a diagnostic on failure.
  std::unique_ptr<llvm::Module> translate(const CompileOptions &options, const codegen::Target &target,
                                          llvm::LLVMContext &llvmContext);

private:
  using PassList = llvm::function_ref<void(mlir::OpPassManager &)>;
  bool run(const CompileOptions &options, PassList addPasses);
  bool run(const CompileOptions &options, mlir::PassManager &passes, mlir::ArrayRef<mlir::Operation *> operations);
  bool makeLoops(const CompileOptions &options, const codegen::Target &target);
  bool addLevel(const CompileOptions &options, const llvm::TargetMachine &machine, codegen::CpuLevel level,
                mlir::ArrayRef<mlir::Operation *> bodies);
  bool improve(const CompileOptions &options, const llvm::TargetMachine &machine, const codegen::VectorUnit &vectors,
               mlir::ArrayRef<mlir::Operation *> bodies);
  bool addChoices(llvm::Module &module);
  void sortBodies(llvm::Module &module) const;
  bool checkParallel();
  bool checkArguments();
  void collect(mlir::Diagnostic &diagnostic);
  bool fail(const std::string &what);

  const sema::Kernel &kernel_;
  Diagnostics &diagnostics_;
  mlir::MLIRContext &context_;
  mlir::ScopedDiagnosticHandler handler_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::vector<Body> bodies_; ///< that loops were made for
  std::string messages_;
};

} // namespace spc::pipeline
