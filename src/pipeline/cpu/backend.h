// Processors of the machine that the entry runs on, one kind or several levels of x86-64 among which an object chooses.
#pragma once

#include "codegen/cpu/target.h"
#include "pipeline/backend.h"
#include "pipeline/passes.h"

namespace spc::pipeline {

/// The target to compile for; nullopt with a diagnostic.
std::optional<codegen::Target> cpuTarget(const codegen::TargetOptions &target, Versions versions,
                                         Diagnostics &diagnostics);

class CpuBackend : public Backend {
public:
  explicit CpuBackend(codegen::Target target) : target_(std::move(target)) {}

  llvm::TargetMachine &machine() const override { return *target_.machine; }
  bool makeLoops(Compilation &compilation) const override;
  bool lower(Compilation &compilation) const override;
  const entry::BodyCalls &calls() const override;
  bool complete(Compilation &compilation, llvm::Module &module) const override;
  std::optional<std::string> emit(llvm::Module &module, const std::vector<Body> &bodies, const Emission &emission,
                                  Diagnostics &diagnostics) const override;

protected:
  /// The passes over the loops of a body, for one kind of processor.
  virtual void addLoops(mlir::OpPassManager &passes, const LoopOptions &options) const;
  /// The passes over the module of all bodies.
  virtual void addLowering(mlir::OpPassManager &passes, const LlvmOptions &options) const;

private:
  bool improve(Compilation &compilation, const codegen::VectorUnit &vectors,
               mlir::ArrayRef<mlir::Operation *> bodies) const;
  bool addLevel(Compilation &compilation, codegen::CpuLevel level, mlir::ArrayRef<mlir::Operation *> bodies) const;

  codegen::Target target_;
};

} // namespace spc::pipeline
