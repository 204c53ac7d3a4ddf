// One kernel on its way through MLIR.
#pragma once

#include "entry/stored_constant.h"
#include "pipeline/backend.h"

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

/// One compilation: owns the MLIR module, and turns MLIR's own diagnostics into ours.
class Compilation {
public:
  Compilation(const sema::Kernel &kernel, const CompileOptions &options, const Backend &backend,
              mlir::MLIRContext &context, Diagnostics &diagnostics)
      : kernel_(kernel), options_(options), backend_(backend), diagnostics_(diagnostics), context_(context),
        handler_(&context_, [this](mlir::Diagnostic &diagnostic) { collect(diagnostic); }) {}

  /// Brings the module to `stage`, which comes before Llvm. False with a diagnostic on failure.
  bool lowerTo(Stage stage);

  /// The module as text, with the places in the kernel that operations come from where these are wanted.
  std::string text();

  /// The module, brought to some stage.
  mlir::ModuleOp module() const { return *module_; }

  const sema::Kernel &kernel() const { return kernel_; }
  const CompileOptions &options() const { return options_; }

  /// The bodies of a module brought to Loops, to which the backend adds versions.
  std::vector<Body> &bodies() { return bodies_; }

  /// Lowers a module brought to Loops on to LLVM IR, entry included. nullptr with a diagnostic on failure.
  std::unique_ptr<llvm::Module> translate(llvm::LLVMContext &llvmContext);

  /// Runs passes over each of the operations, and verifies what comes of it. `keepsPlaces`: loops have to keep their
  /// places in the plan, or go, which is asked where each pass is verified. False with a diagnostic.
  bool run(mlir::PassManager &passes, mlir::ArrayRef<mlir::Operation *> operations, bool keepsPlaces = false);

  /// Reports a bug of ours, with what MLIR has said of it; false.
  bool fail(const std::string &what);

private:
  using PassList = llvm::function_ref<void(mlir::OpPassManager &)>;
  bool run(PassList addPasses);
  void findBodies();
  bool readsBack();
  bool checkParallel();
  bool checkArguments();
  bool addHostCode(const entry::StoredConstants &constants);
  void collect(mlir::Diagnostic &diagnostic);

  const sema::Kernel &kernel_;
  const CompileOptions &options_;
  const Backend &backend_;
  Diagnostics &diagnostics_;
  mlir::MLIRContext &context_;
  mlir::ScopedDiagnosticHandler handler_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::vector<Body> bodies_; ///< that loops were made for
  std::string messages_;
};

} // namespace spc::pipeline
