#include "codegen/link_runtime.h"

#include "runtime/bitcode.h"
#include "runtime/contract.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <string>
#include <vector>

namespace spc::codegen {
namespace {

constexpr DiagnosticKind kRuntimeUnavailable{"runtime-unavailable", Severity::Error};
constexpr DiagnosticKind kRuntimeBroken{"runtime-broken", Severity::Internal};

constexpr llvm::StringLiteral kCPrefix = runtime::kCPrefix;
constexpr llvm::StringLiteral kSymbolPrefix = runtime::kSymbolPrefix;

bool isCall(const llvm::Function &function) {
  return function.isDeclaration() && function.getName().starts_with(kSymbolPrefix);
}

/// Whether the module uses any function of the runtime. Declarations that nothing uses are removed: a declaration is
/// enough for the linker to add a function.
bool callsRuntime(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module.functions()))
    if (isCall(function) && function.use_empty())
      function.eraseFromParent();
  return llvm::any_of(module.functions(), isCall);
}

/// Drops what ties the runtime to the system that it was compiled for, so that the kernel's target applies.
void neutralise(llvm::Module &runtime, const llvm::Triple &triple, const llvm::DataLayout &layout, RuntimeCode code) {
  runtime.setTargetTriple(triple);
  runtime.setDataLayout(layout);
  for (const char *metadata : {"llvm.module.flags", "llvm.ident", "llvm.errno.tbaa"})
    if (llvm::NamedMDNode *node = runtime.getNamedMetadata(metadata))
      runtime.eraseNamedMetadata(node);
  for (llvm::Function &function : runtime.functions()) {
    for (const char *attribute : {"target-cpu", "target-features", "tune-cpu", "frame-pointer", "no-trapping-math",
                                  "stack-protector-buffer-size", "min-legal-vector-width"})
      function.removeFnAttr(attribute);
    function.removeFnAttr(llvm::Attribute::UWTable);
    // What is not marked (runtime/hot.h) waits for memory: code is generated for size.
    if (function.hasFnAttribute(llvm::Attribute::Hot))
      function.removeFnAttr(llvm::Attribute::Hot); // it would have a section of its own
    else if (!function.isDeclaration() && code == RuntimeCode::Fast)
      function.addFnAttr(llvm::Attribute::OptimizeForSize);
    if (code == RuntimeCode::Quick && !function.isDeclaration() &&
        !function.hasFnAttribute(llvm::Attribute::AlwaysInline)) {
      function.addFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::OptimizeNone);
    }
    if (function.getName().starts_with(kCPrefix))
      function.setName(kSymbolPrefix + function.getName().drop_front(kCPrefix.size()));
  }
}

void reportUnavailable(const llvm::Module &module, const RuntimeReason &reason, Diagnostics &diagnostics) {
  diagnostics
      .report(kRuntimeUnavailable, reason.where,
              "this kernel " + reason.what + ", which is not available for " + module.getTargetTriple().str())
      .advise(reason.instead + ", or compile for x86_64, aarch64, riscv64 or wasm32");
}

/// The functions that the runtime defines, but those that are internal already: exports, and instances of templates.
std::vector<std::string> definitionsOf(const llvm::Module &runtime) {
  std::vector<std::string> names;
  for (const llvm::Function &function : runtime.functions())
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      names.push_back(function.getName().str());
  return names;
}

/// Kernels are optimised before the runtime is linked, but for what is marked as short.
void inlineShort(llvm::Module &module) {
  for (llvm::Function &function : module.functions())
    if (function.hasFnAttribute(llvm::Attribute::AlwaysInline))
      for (llvm::User *user : llvm::make_early_inc_range(function.users()))
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(user)) {
          llvm::InlineFunctionInfo info;
          llvm::InlineFunction(*call, info);
        }
}

/// Loops call the function that makes room where they hardly ever need it: it leaves their registers alone, at its own
/// cost.
void preserveRegisters(llvm::Module &module) {
  const llvm::Triple &triple = module.getTargetTriple();
  llvm::Function *grow = module.getFunction(runtime::functions::run_grow.symbol);
  if (!grow || !(triple.getArch() == llvm::Triple::x86_64 || triple.getArch() == llvm::Triple::aarch64))
    return;
  grow->setCallingConv(llvm::CallingConv::PreserveMost);
  for (llvm::User *user : grow->users())
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(user))
      call->setCallingConv(llvm::CallingConv::PreserveMost);
}

} // namespace

bool hasRuntime(const llvm::TargetMachine &machine) {
  const llvm::Triple &triple = machine.getTargetTriple();
  const unsigned pointerBytes = machine.createDataLayout().getPointerSize();
  return pointerBytes == (triple.isArch64Bit() ? 8U : 4U) &&
         !runtime::bitcodeFor(llvm::Triple::getArchTypeName(triple.getArch()).str()).empty();
}

bool linkRuntime(llvm::Module &module, const RuntimeReason &reason, Diagnostics &diagnostics, RuntimeCode code) {
  if (!callsRuntime(module))
    return true;
  const std::string_view bitcode =
      runtime::bitcodeFor(llvm::Triple::getArchTypeName(module.getTargetTriple().getArch()).str());
  if (bitcode.empty()) {
    reportUnavailable(module, reason, diagnostics);
    return false;
  }
  // Only those functions are read that the kernel needs.
  auto parsed = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef({bitcode.data(), bitcode.size()}, "runtime"),
                                           module.getContext());
  if (!parsed) {
    diagnostics.report(kRuntimeBroken, {}, "the runtime cannot be read: " + llvm::toString(parsed.takeError()));
    return false;
  }
  // An ABI of the architecture with narrower pointers lays the runtime's structs out differently.
  if ((*parsed)->getDataLayout().getPointerSize() != module.getDataLayout().getPointerSize()) {
    reportUnavailable(module, reason, diagnostics);
    return false;
  }
  neutralise(**parsed, module.getTargetTriple(), module.getDataLayout(), code);
  const std::vector<std::string> names = definitionsOf(**parsed);
  if (llvm::Linker::linkModules(module, std::move(*parsed), llvm::Linker::LinkOnlyNeeded)) {
    diagnostics.report(kRuntimeBroken, {}, "the runtime cannot be linked into the kernel");
    return false;
  }
  for (const std::string &name : names)
    if (llvm::Function *function = module.getFunction(name)) {
      // In a group, a kernel's copy would be discarded in favour of another's, which may be compiled otherwise.
      function->setComdat(nullptr);
      function->setLinkage(llvm::GlobalValue::InternalLinkage);
      function->setDSOLocal(true);
    }
  inlineShort(module);
  preserveRegisters(module);
  return true;
}

bool linkShort(llvm::Module &module, Diagnostics &diagnostics) {
  for (const runtime::Function &function : runtime::kShortFunctions)
    if (module.getFunction(function.symbol))
      return linkRuntime(module, {}, diagnostics);
  for (llvm::Function &function : module.functions())
    if (isCall(function))
      function.setDSOLocal(true); // as it will be in the same object
  preserveRegisters(module);
  return true;
}

} // namespace spc::codegen
