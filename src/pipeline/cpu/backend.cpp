#include "pipeline/cpu/backend.h"

#include "entry/call.h"
#include "entry/entry.h"
#include "pipeline/compilation.h"
#include "pipeline/cpu/avx512.h"
#include "pipeline/cpu/side_by_side.h"
#include "pipeline/cpu/versions.h"
#include "pipeline/emission.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace spc::pipeline {

using mlir::func::FuncOp;

std::optional<codegen::Target> cpuTarget(const codegen::TargetOptions &target, Versions versions,
                                         Diagnostics &diagnostics) {
  std::optional<codegen::Target> found = codegen::createTarget(target, versions == Versions::Usual, diagnostics);
  if (found && versions == Versions::One)
    found->levels.clear();
  return found;
}

void CpuBackend::addLoops(mlir::OpPassManager &passes, const LoopOptions &options) const {
  addProcessorLoops(passes, options);
}

void CpuBackend::addLowering(mlir::OpPassManager &passes, const LlvmOptions &options) const {
  addLlvmLowering(passes, options);
}

/// Improves the loops of bodies for processors with these vectors.
bool CpuBackend::improve(Compilation &compilation, const codegen::VectorUnit &vectors,
                         mlir::ArrayRef<mlir::Operation *> bodies) const {
  const bool hasVectors = usesVectors(compilation.options());
  LoopOptions loops;
  loops.strictFp = compilation.kernel().strictFp;
  loops.vectorBytes = hasVectors ? vectors.bytes : 0;
  loops.registers = hasVectors ? vectors.registers : 0;
  loops.maskedGathers = hasVectors && vectors.gathersUnderMasks;
  loops.trials = codegen::hasClock(machine());
  mlir::PassManager passes(compilation.module().getContext(), FuncOp::getOperationName());
  addLoops(passes, loops);
  return compilation.run(passes, bodies);
}

/// Whether a body that is made for a level is faster than that for the level below.
static bool gainsFrom(codegen::CpuLevel level, FuncOp body, int64_t registerBytes) {
  switch (level) {
  case codegen::kFastGathers:
    return gathersUnderMasks(body);
  case codegen::kAvx512:
    return gainsFromAvx512(body, registerBytes);
  default:
    return true;
  }
}

/// Adds a copy of each body for a level, of those that gain by it.
bool CpuBackend::addLevel(Compilation &compilation, codegen::CpuLevel level,
                          mlir::ArrayRef<mlir::Operation *> bodies) const {
  const codegen::VectorUnit vectors = codegen::vectorUnit(machine(), level);
  mlir::SmallVector<mlir::Operation *> copies;
  for (mlir::Operation *body : bodies) {
    auto copy = mlir::cast<FuncOp>(body->clone());
    copy.setSymName(copy.getSymName().str() + codegen::suffixOf(level));
    compilation.module().push_back(copy);
    copies.push_back(copy);
  }
  if (!improve(compilation, vectors, copies))
    return false;
  for (auto [body, copy] : llvm::zip_equal(compilation.bodies(), copies)) {
    const std::string function = mlir::cast<FuncOp>(copy).getSymName().str();
    if (gainsFrom(level, mlir::cast<FuncOp>(copy), vectors.bytes))
      body.versions.push_back({function, entry::bodySymbol(function), codegen::processorOf(level), vectors.bytes});
    else
      copy->erase();
  }
  return true;
}

/// The loops of each body for the target's machine, and beside them those for each further level.
bool CpuBackend::makeLoops(Compilation &compilation) const {
  const codegen::VectorUnit vectors = codegen::vectorUnit(machine());
  const std::vector<codegen::CpuLevel> &levels = target_.levels;
  const std::string processor = levels.empty() ? "" : codegen::processorOf(levels.front());
  mlir::SmallVector<mlir::Operation *> originals;
  for (Body &body : compilation.bodies()) {
    originals.push_back(compilation.module().lookupSymbol(body.name));
    body.versions = {{body.name, entry::bodySymbol(body.name), processor, vectors.bytes}};
  }
  for (size_t k = 1; k < levels.size(); ++k)
    if (!addLevel(compilation, levels[k], originals))
      return false;
  for (Body &body : compilation.bodies())
    if (body.versions.size() > 1) // what has the body's own symbol chooses
      body.versions.front().symbol = entry::bodySymbol(body.name + codegen::suffixOf(levels.front()));
  return improve(compilation, vectors, originals);
}

bool CpuBackend::lower(Compilation &compilation) const {
  LlvmOptions lowering;
  lowering.hoist = usesVectors(compilation.options());
  lowering.storesIndices = keepsIndices(compilation.options());
  mlir::PassManager passes(compilation.module().getContext());
  addLowering(passes, lowering);
  return compilation.run(passes, {compilation.module().getOperation()});
}

const entry::BodyCalls &CpuBackend::calls() const {
  return entry::callsInChunks();
}

bool CpuBackend::complete(Compilation &compilation, llvm::Module &module) const {
  const std::string incomplete = addChoices(module, compilation.bodies());
  if (!incomplete.empty())
    return compilation.fail("the loops of '" + incomplete + "' are missing for a processor");
  sortBodies(module, compilation.bodies());
  return true;
}

std::optional<std::string> CpuBackend::emit(llvm::Module &module, const std::vector<Body> &bodies,
                                            const Emission &emission, Diagnostics &diagnostics) const {
  const std::vector<codegen::LevelPart> parts = partsOf(bodies);
  if (emission.stage == Stage::Object && isParted(module, parts, emission.options))
    if (std::string object = emitParts(module, parts, emission.options, machine()); !object.empty())
      return object;
  return emitWhole(module, machine(), emission, diagnostics);
}

} // namespace spc::pipeline
