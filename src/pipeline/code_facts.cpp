#include "pipeline/code_facts.h"

#include "dialect/attributes.h"
#include "dialect/dialect.h"
#include "pipeline/compilation.h"
#include "pipeline/context.h"
#include "pipeline/loop_ranges.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>

namespace spc::pipeline {
namespace {

/// What divides a body among threads.
void addChunks(mlir::func::FuncOp body, BodyFacts &facts) {
  const dialect::ChunksAttr chunks = dialect::chunksOf(body);
  if (!chunks)
    return;
  facts.inChunks = true;
  const dialect::BindAttr items = chunks.getItems();
  const std::string name = items.getSymbol().str();
  facts.items = items.getKind() == dialect::BindKind::Count ? "positions at the root of " + name
                : items.getBlock() > 1 ? "blocks of " + std::to_string(items.getBlock()) + " of " + name
                                       : name;
  facts.copies = chunks.getCopies().str();
  for (mlir::StringAttr tensor : chunks.getTensors())
    facts.sharers.push_back(tensor.str());
}

/// What LLVM left of a function: its innermost loops, and what they do with vectors.
class MachineReader {
public:
  explicit MachineReader(MachineFacts &facts) : facts_(facts) {}

  void read(llvm::Function &function) {
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    for (llvm::Loop *loop : loops.getLoopsInPreorder())
      if (loop->isInnermost())
        readLoop(*loop);
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
        facts_.prefetches += call->getIntrinsicID() == llvm::Intrinsic::prefetch ? 1 : 0;
  }

private:
  void readLoop(llvm::Loop &loop) {
    ++facts_.innermost;
    bool computes = false;
    for (llvm::BasicBlock *block : loop.blocks())
      for (llvm::Instruction &instruction : *block)
        computes |= readInstruction(instruction);
    facts_.vectorised += computes ? 1 : 0;
  }

  /// Whether an instruction computes the kernel's values, rather than addresses, as vectors.
  bool readInstruction(const llvm::Instruction &instruction) {
    const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    facts_.gathers |= call && call->getIntrinsicID() == llvm::Intrinsic::masked_gather;
    const auto *type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
    const bool isFused =
        call && (call->getIntrinsicID() == llvm::Intrinsic::fma || call->getIntrinsicID() == llvm::Intrinsic::fmuladd);
    const bool isArithmetic = isFused || instruction.isBinaryOp() || instruction.isUnaryOp();
    if (!type || !isArithmetic || !type->getElementType()->isFloatingPointTy())
      return false;
    const unsigned lanes = type->getNumElements();
    const unsigned bits = lanes * type->getScalarSizeInBits();
    if (bits > widestBits_) {
      widestBits_ = bits;
      facts_.widest = std::to_string(lanes) + " x f" + std::to_string(type->getScalarSizeInBits());
    }
    return true;
  }

  MachineFacts &facts_;
  unsigned widestBits_ = 0;
};

/// The bodies of the kernel and what MLIR's passes did to each, before LLVM.
std::vector<BodyFacts> readBodies(Compilation &compilation, const sema::Kernel &kernel) {
  std::vector<BodyFacts> bodies;
  for (size_t step = 0; step < kernel.steps.size(); ++step) {
    const std::string name = sema::bodyName(kernel, step);
    const auto known = std::find_if(compilation.bodies().begin(), compilation.bodies().end(),
                                    [&](const Body &body) { return body.name == name; });
    if (known == compilation.bodies().end())
      continue;
    BodyFacts facts;
    facts.step = step;
    auto first = compilation.module().lookupSymbol<mlir::func::FuncOp>(name);
    addChunks(first, facts);
    for (const BodyVersion &version : known->versions) {
      auto body = compilation.module().lookupSymbol<mlir::func::FuncOp>(version.function);
      MachineFacts machine;
      machine.processor = version.processor;
      machine.vectorBytes = version.vectorBytes;
      machine.loops = loopsOf(body);
      body.walk([&](dialect::BeginTrialOp) { facts.hasTrials = true; });
      body.walk([&](dialect::LocateOp) { facts.usesWorkspace = true; });
      facts.machines.push_back(std::move(machine));
    }
    bodies.push_back(std::move(facts));
  }
  return bodies;
}

} // namespace

std::optional<std::vector<BodyFacts>> describeCode(const sema::Kernel &kernel, const CompileOptions &options,
                                                   Diagnostics &diagnostics) {
  const Versions versions = options.target.optLevel > 1 ? Versions::Usual : Versions::Named;
  const std::unique_ptr<Backend> backend = createBackend(options.target, versions, diagnostics);
  if (!backend)
    return std::nullopt;
  const std::unique_ptr<mlir::MLIRContext> context = createContext();
  Compilation compilation(kernel, options, *backend, *context, diagnostics);
  if (!compilation.lowerTo(Stage::Loops))
    return std::nullopt;
  std::vector<BodyFacts> bodies = readBodies(compilation, kernel);
  llvm::LLVMContext llvmContext;
  const std::unique_ptr<llvm::Module> module = compilation.translate(llvmContext);
  if (!module)
    return std::nullopt;
  codegen::optimize(*module, backend->machine(), options.target.optLevel);
  for (BodyFacts &facts : bodies) {
    const auto body = std::find_if(compilation.bodies().begin(), compilation.bodies().end(),
                                   [&](const Body &one) { return one.name == sema::bodyName(kernel, facts.step); });
    for (size_t version = 0; version < facts.machines.size(); ++version)
      if (llvm::Function *function = module->getFunction(body->versions[version].symbol);
          function && !function->isDeclaration())
        MachineReader(facts.machines[version]).read(*function);
  }
  return bodies;
}

} // namespace spc::pipeline
