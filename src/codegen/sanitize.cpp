#include "codegen/sanitize.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

namespace spc::codegen {
namespace {

constexpr DiagnosticKind kUnsupportedSanitizer{"unsupported-sanitizer", Severity::Error};

/// Where the libraries of both exist: shadow memory lies at an address that depends on the system.
bool hasShadowMemory(const llvm::Triple &triple) {
  return triple.isOSLinux() && triple.isArch64Bit() && (triple.isX86() || triple.isAArch64() || triple.isRISCV64());
}

/// The thread sanitizer's library intercepts memcpy and its like under their own names too; libraries of gcc 12 and
/// clang 14 know no others.
void callLibraryNames(llvm::Module &module) {
  for (const std::string name : {"memcpy", "memmove", "memset"}) {
    llvm::Function *own = module.getFunction("__tsan_" + name);
    if (!own)
      continue;
    own->addFnAttr(llvm::Attribute::NoBuiltin);
    if (llvm::Function *library = module.getFunction(name)) {
      own->replaceAllUsesWith(library);
      own->eraseFromParent();
    } else {
      own->setName(name);
    }
  }
}

} // namespace

bool supportsSanitizers(const Sanitizers &sanitizers, const llvm::TargetMachine &machine, Diagnostics &diagnostics) {
  const llvm::Triple &triple = machine.getTargetTriple();
  if ((!sanitizers.address && !sanitizers.thread) || hasShadowMemory(triple))
    return true;
  diagnostics
      .report(kUnsupportedSanitizer, sanitizers.at,
              std::string("--sanitize=") + (sanitizers.address ? "address" : "thread") + " is not available for " +
                  triple.str())
      .advise("compile for Linux on x86_64, aarch64 or riscv64");
  return false;
}

void prepareForSanitizers(llvm::Module &module, const Sanitizers &sanitizers) {
  if (!sanitizers.any())
    return;
  for (llvm::Function &function : module.functions()) {
    if (function.isDeclaration())
      continue;
    if (sanitizers.address)
      function.addFnAttr(llvm::Attribute::SanitizeAddress);
    if (sanitizers.thread)
      function.addFnAttr(llvm::Attribute::SanitizeThread);
    // Reports walk the stack.
    function.addFnAttr("frame-pointer", "all");
    function.setUWTableKind(llvm::UWTableKind::Default);
  }
  if (sanitizers.undefined)
    addPointerChecks(module);
}

void instrument(llvm::Module &module, const Sanitizers &sanitizers) {
  if (!sanitizers.address && !sanitizers.thread)
    return;
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (sanitizers.address)
    passes.addPass(llvm::AddressSanitizerPass(llvm::AddressSanitizerOptions()));
  if (sanitizers.thread) {
    // The thread sanitizer knows no accesses beyond 16 bytes, and the runtime has some.
    llvm::ScalarizerPassOptions scalars;
    scalars.ScalarizeLoadStore = true;
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::ScalarizerPass(scalars)));
    passes.addPass(llvm::ModuleThreadSanitizerPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::ThreadSanitizerPass()));
  }
  passes.run(module, modules);
  callLibraryNames(module);
}

} // namespace spc::codegen
