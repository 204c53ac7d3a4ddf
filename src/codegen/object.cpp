#include "codegen/object.h"

#include "codegen/half_floats.h"
#include "codegen/pass_list.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace spc::codegen {
namespace {

llvm::OptimizationLevel optimizationLevel(int level) {
  switch (level) {
  case 0:
    return llvm::OptimizationLevel::O0;
  case 1:
    return llvm::OptimizationLevel::O1;
  case 2:
    return llvm::OptimizationLevel::O2;
  default:
    return llvm::OptimizationLevel::O3;
  }
}

/// LLVM's own list for the low levels, which neither vectorise nor unroll; a kernel's for the others.
llvm::ModulePassManager passList(const llvm::Module &module, llvm::PassBuilder &builder, int optLevel, bool large) {
  const llvm::OptimizationLevel level = optimizationLevel(optLevel);
  if (optLevel < 1)
    return builder.buildO0DefaultPipeline(level);
  if (optLevel < 2)
    return builder.buildPerModuleDefaultPipeline(level);
  // The thread sanitizer knows no masked accesses and none beyond 16 bytes.
  const bool vectorizes = llvm::none_of(module.functions(), [](const llvm::Function &function) {
    return function.hasFnAttribute(llvm::Attribute::SanitizeThread);
  });
  return kernelPasses({level, vectorizes, large});
}

/// Objects and text must not depend on where the kernel file lies.
void dropFolders(llvm::Module &module) {
  module.setSourceFileName(llvm::sys::path::filename(module.getSourceFileName()));
  module.setModuleIdentifier(module.getSourceFileName());
}

std::string emitText(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

/// Notes that LLVM reported an error, which would end the process by default.
class ErrorFlag : public llvm::DiagnosticHandler {
public:
  explicit ErrorFlag(bool &failed) : failed_(failed) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    failed_ = failed_ || info.getSeverity() == llvm::DS_Error;
    return true;
  }

private:
  bool &failed_;
};

/// Makes the object's functions call each other, also where a library that is loaded before exports the same names: ELF
/// would have calls of what is exported go there.
void bindCalls(llvm::Module &module) {
  if (!module.getTargetTriple().isOSBinFormatELF())
    return;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasExternalLinkage())
      function.setDSOLocal(true);
}

} // namespace

void optimize(llvm::Module &module, llvm::TargetMachine &machine, int optLevel, std::optional<bool> large) {
  setTarget(module, machine);
  expandHalfFloats(module, machine);
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopInterleaving = tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  const llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  passList(module, builder, optLevel, large.value_or(isLarge(module))).run(module, modules);
}

void addUnwindTables(llvm::Module &module) {
  const llvm::Triple &triple = module.getTargetTriple();
  if (triple.isARM() || triple.isThumb()) // whose tables name routines of libgcc
    return;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setUWTableKind(llvm::UWTableKind::Async);
}

void setProducer(llvm::Module &module, const std::string &producer) {
  if (producer.empty())
    return;
  llvm::LLVMContext &context = module.getContext();
  llvm::NamedMDNode *ident = module.getOrInsertNamedMetadata("llvm.ident");
  ident->clearOperands(); // those of what the runtime was compiled with
  ident->addOperand(llvm::MDNode::get(context, llvm::MDString::get(context, producer)));
}

std::string emit(llvm::Module &module, llvm::TargetMachine &machine, OutputKind kind) {
  setTarget(module, machine);
  dropFolders(module);
  bindCalls(module);
  if (kind == OutputKind::LlvmIr)
    return emitText(module);
  bool failed = false;
  llvm::LLVMContext &context = module.getContext();
  std::unique_ptr<llvm::DiagnosticHandler> before = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<ErrorFlag>(failed));
  llvm::SmallString<0> bytes;
  {
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    const auto type =
        kind == OutputKind::Assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
    failed = machine.addPassesToEmitFile(passes, stream, nullptr, type);
    if (!failed)
      passes.run(module);
  }
  context.setDiagnosticHandler(std::move(before));
  return failed ? std::string() : bytes.str().str();
}

} // namespace spc::codegen
