#include "codegen/pass_list.h"

#include "codegen/hoist_addresses.h"
#include "runtime/contract.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/DeadArgumentElimination.h"
#include "llvm/Transforms/IPO/InferFunctionAttrs.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/DivRemPairs.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

namespace spc::codegen {
namespace {

/// Instructions of a function, as it comes from MLIR, above which passes that look far afield take longer than they
/// give: their time grows faster than the function.
constexpr unsigned kMostInFunction = 5000;
constexpr unsigned kMostInModule = 16000; ///< the same of all functions together, those of one processor

/// All passes on functions that loop over entries and are small; few on others.
class ByUse : public llvm::PassInfoMixin<ByUse> {
public:
  ByUse(llvm::FunctionPassManager ofSmall, llvm::FunctionPassManager ofLarge, llvm::FunctionPassManager ofOnce)
      : ofSmall_(std::move(ofSmall)), ofLarge_(std::move(ofLarge)), ofOnce_(std::move(ofOnce)) {}

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
    return passesOf(function).run(function, analyses);
  }

private:
  llvm::FunctionPassManager &passesOf(const llvm::Function &function) {
    if (function.hasOptNone())
      return ofOnce_;
    return function.getInstructionCount() <= kMostInFunction ? ofSmall_ : ofLarge_;
  }

  llvm::FunctionPassManager ofSmall_, ofLarge_, ofOnce_;
};

/// A pass on functions of which it is not said that vectors hold all pairs.
template <typename Pass> class UnlessPaired : public llvm::PassInfoMixin<UnlessPaired<Pass>> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
    return function.hasFnAttribute(runtime::kPairedFunction) ? llvm::PreservedAnalyses::all()
                                                             : Pass().run(function, analyses);
  }
};

/// Early on loops keep a header and a latch each, which later passes look for.
llvm::SimplifyCFGOptions keepingLoops() {
  return llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true);
}

/// Also moves what branches have in common out of them.
llvm::SimplifyCFGOptions joining() {
  return keepingLoops().convertSwitchToArithmetic(true).hoistCommonInsts(true).sinkCommonInsts(true);
}

/// Descriptors come apart, and what several loads and addresses share is computed once.
void addCleanUp(llvm::FunctionPassManager &passes) {
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(keepingLoops()));
  passes.addPass(llvm::EarlyCSEPass(true));
}

void addLoopPasses(llvm::FunctionPassManager &passes, const PassListOptions &options) {
  llvm::LoopPassManager shape, counts;
  shape.addPass(llvm::LoopRotatePass());
  shape.addPass(llvm::LICMPass(llvm::LICMOptions()));
  shape.addPass(llvm::SimpleLoopUnswitchPass(false));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(shape), true));
  passes.addPass(llvm::SimplifyCFGPass(keepingLoops()));
  passes.addPass(llvm::InstCombinePass());
  counts.addPass(llvm::LoopIdiomRecognizePass());
  counts.addPass(llvm::IndVarSimplifyPass());
  counts.addPass(llvm::LoopDeletionPass());
  counts.addPass(llvm::LoopFullUnrollPass(static_cast<int>(options.level.getSpeedupLevel())));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(counts)));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::JumpThreadingPass());
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::SimplifyCFGPass(joining()));
}

void addVectorPasses(llvm::FunctionPassManager &passes, const PassListOptions &options) {
  if (options.vectorizes)
    passes.addPass(llvm::LoopVectorizePass());
  passes.addPass(llvm::InstCombinePass());
  // What the vectoriser leaves of loops with few rounds becomes straight code here.
  passes.addPass(llvm::SimplifyCFGPass(
      joining().needCanonicalLoops(false).forwardSwitchCondToPhi(true).convertSwitchToLookupTable(true)));
  if (options.vectorizes) {
    passes.addPass(UnlessPaired<llvm::SLPVectorizerPass>());
    passes.addPass(llvm::VectorCombinePass());
  }
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(static_cast<int>(options.level.getSpeedupLevel()))));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::DivRemPairsPass());
}

/// Of functions that are too large for the others. The loops are as MLIR's passes left them.
llvm::FunctionPassManager fewPasses() {
  llvm::FunctionPassManager passes;
  addCleanUp(passes);
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::SimplifyCFGPass(joining()));
  return passes;
}

/// Of functions that run once a call, whose checks are then generated as they are written.
llvm::FunctionPassManager passesOfOnce() {
  llvm::FunctionPassManager passes;
  addCleanUp(passes);
  return passes;
}

llvm::FunctionPassManager allPasses(const PassListOptions &options) {
  llvm::FunctionPassManager passes;
  addCleanUp(passes);
  addLoopPasses(passes, options);
  addVectorPasses(passes, options);
  passes.addPass(HoistAddresses());
  passes.addPass(llvm::EarlyCSEPass());
  return passes;
}

} // namespace

bool isLarge(const llvm::Module &module) {
  unsigned count = 0;
  for (const llvm::Function &function : module)
    if (!function.hasFnAttribute("target-cpu")) // those that are compiled for the machine, not for a level of their own
      count += function.getInstructionCount();
  return count > kMostInModule;
}

llvm::ModulePassManager kernelPasses(const PassListOptions &options) {
  llvm::FunctionPassManager passes;
  if (options.isLarge)
    passes = fewPasses();
  else
    passes.addPass(ByUse(allPasses(options), fewPasses(), passesOfOnce()));
  llvm::ModulePassManager list;
  list.addPass(llvm::InferFunctionAttrsPass());
  list.addPass(llvm::DeadArgumentEliminationPass());
  list.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes), true));
  return list;
}

} // namespace spc::codegen
