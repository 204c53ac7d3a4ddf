#include "codegen/cpu/cpu_levels.h"

#include "codegen/object.h"
#include "runtime/contract.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <algorithm>

namespace spc::codegen {
namespace {

constexpr char kLevelSymbol[] = "spc_x86_64_level";

/// Hidden, so that the objects of a program or of a library have one in common, and no other program can reach it.
llvm::GlobalVariable *levelVariable(llvm::Module &module) {
  if (llvm::GlobalVariable *known = module.getNamedGlobal(kLevelSymbol))
    return known;
  auto *type = llvm::Type::getInt32Ty(module.getContext());
  auto *variable = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::LinkOnceODRLinkage,
                                            llvm::ConstantInt::get(type, 0), kLevelSymbol);
  variable->setVisibility(llvm::GlobalValue::HiddenVisibility);
  variable->setDSOLocal(true);
  variable->setAlignment(llvm::Align(4));
  if (module.getTargetTriple().supportsCOMDAT())
    variable->setComdat(module.getOrInsertComdat(kLevelSymbol));
  return variable;
}

/// An internal function with the type of `body`.
llvm::Function *addLike(const llvm::Function &body, const std::string &name, llvm::Module &module) {
  auto *function = llvm::Function::Create(body.getFunctionType(), llvm::GlobalValue::InternalLinkage, name, module);
  function->setDSOLocal(true);
  function->setDoesNotThrow();
  function->addFnAttr(llvm::Attribute::NoInline);
  return function;
}

/// Ends the function with a jump to `target`: a tail call takes the arguments along where they are, however many. In
/// the first block, since else code is made that moves those in memory.
void jumpTo(llvm::IRBuilder<> &builder, llvm::Value *target) {
  llvm::Function &function = *builder.GetInsertBlock()->getParent();
  llvm::SmallVector<llvm::Value *> arguments;
  for (llvm::Argument &argument : function.args())
    arguments.push_back(&argument);
  llvm::CallInst *call = builder.CreateCall(function.getFunctionType(), target, arguments);
  call->setTailCallKind(llvm::CallInst::TCK_MustTail);
  function.getReturnType()->isVoidTy() ? builder.CreateRetVoid() : builder.CreateRet(call);
}

/// The first call comes here; apart from the others, which then need no registers of their own.
void fillFinder(llvm::Function &finder, llvm::Function &choice, llvm::GlobalVariable *variable) {
  llvm::Module &module = *finder.getParent();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", &finder));
  finder.addFnAttr(llvm::Attribute::Cold);
  const auto find = module.getOrInsertFunction(runtime::functions::cpu_level.symbol, builder.getInt32Ty());
  builder.CreateAlignedStore(builder.CreateCall(find), variable, llvm::Align(4))
      ->setAtomic(llvm::AtomicOrdering::Monotonic);
  jumpTo(builder, &choice);
}

} // namespace

std::string processorOf(CpuLevel level) {
  if (level == kFastGathers)
    return processorOf(kAvx512) + " that gathers fast";
  return level == 1 ? "x86-64" : "x86-64-v" + std::to_string(level);
}

std::string suffixOf(CpuLevel level) {
  return ".v" + std::to_string(level);
}

std::optional<CpuLevel> levelNamed(std::string_view processor) {
  for (CpuLevel level = 1; level <= kFastGathers; ++level)
    if (processor == processorOf(level))
      return level;
  return std::nullopt;
}

void setLevel(llvm::Function &function, CpuLevel level) {
  const std::string tuning = tuningOf(function.getParent()->getTargetTriple());
  function.addFnAttr("target-cpu", processorOf(std::min(level, kAvx512)));
  if (!tuning.empty())
    function.addFnAttr("target-features", tuning);
}

void addChoice(const std::vector<CpuLevel> &levels, const std::vector<llvm::Function *> &bodies,
               const std::string &renamed) {
  llvm::Function &baseline = *bodies.front();
  llvm::Module &module = *baseline.getParent();
  const std::string name = baseline.getName().str();
  baseline.setName(renamed);
  llvm::Function *choice = addLike(baseline, name, module), *finder = addLike(baseline, name + ".find", module);
  baseline.replaceAllUsesWith(choice);
  llvm::GlobalVariable *variable = levelVariable(module);
  fillFinder(*finder, *choice, variable);

  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", choice));
  llvm::LoadInst *level = builder.CreateAlignedLoad(builder.getInt32Ty(), variable, llvm::Align(4));
  level->setAtomic(llvm::AtomicOrdering::Monotonic);
  llvm::Value *chosen = finder;
  for (size_t k = 0; k < bodies.size(); ++k) {
    const CpuLevel least = k == 0 ? 1 : levels[k];
    chosen = builder.CreateSelect(builder.CreateICmpSGE(level, builder.getInt32(least)), bodies[k], chosen);
  }
  jumpTo(builder, chosen);
}

} // namespace spc::codegen
