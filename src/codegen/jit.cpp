#include "codegen/jit.h"

#include "runtime/native.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"

namespace spc::codegen {
namespace {

/// A function that was looked up, or null.
Invoke found(llvm::Expected<llvm::orc::ExecutorAddr> address) {
  if (address)
    return address->toPtr<Invoke>();
  llvm::consumeError(address.takeError());
  return nullptr;
}

class OrcKernel : public JitKernel {
public:
  OrcKernel(std::unique_ptr<llvm::orc::LLJIT> jit, std::string function, Invoke entry)
      : jit_(std::move(jit)), function_(std::move(function)), invoke_(entry) {}
  Invoke invoke() const override { return invoke_; }
  Invoke phase(const std::string &suffix) const override { return found(jit_->lookup(function_ + suffix + "_argv")); }

private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::string function_;
  Invoke invoke_;
};

/// Symbols that a kernel lacks (malloc, libm) are those of this process, which LLJIT searches by default.
llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> makeJit(llvm::CodeGenOptLevel level, bool runsInitializers) {
  auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine.takeError();
  machine->setCodeGenOptLevel(level);
  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(*machine));
  if (!runsInitializers)
    builder.setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  return builder.create();
}

/// Modules of a library call this process's runtime.
llvm::Error addRuntime(llvm::orc::JITDylib &library, llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  for (const runtime::NativeFunction &function : runtime::nativeFunctions())
    symbols[jit.mangleAndIntern(function.symbol)] = {llvm::orc::ExecutorAddr::fromPtr(function.address),
                                                     llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  return library.define(llvm::orc::absoluteSymbols(std::move(symbols)));
}

llvm::Expected<std::unique_ptr<JitKernel>> load(llvm::orc::ThreadSafeModule module, const std::string &function,
                                                llvm::CodeGenOptLevel level) {
  auto jit = makeJit(level, /*runsInitializers=*/true);
  if (!jit)
    return jit.takeError();
  module.withModuleDo([&](llvm::Module &m) { m.setDataLayout((*jit)->getDataLayout()); });
  if (llvm::Error error = addRuntime((*jit)->getMainJITDylib(), **jit))
    return error;
  if (llvm::Error error = (*jit)->addIRModule(std::move(module)))
    return error;
  auto address = (*jit)->lookup(function + "_argv");
  if (!address)
    return address.takeError();
  const Invoke invoke = address->toPtr<Invoke>();
  return std::make_unique<OrcKernel>(std::move(*jit), function, invoke);
}

/// A kernel in a library of its own, which goes when the kernel does.
class SessionKernel : public JitKernel {
public:
  SessionKernel(llvm::orc::LLJIT &jit, llvm::orc::JITDylib &library, std::string function, Invoke entry)
      : jit_(jit), library_(library), function_(std::move(function)), invoke_(entry) {}
  ~SessionKernel() override { llvm::cantFail(jit_.getExecutionSession().removeJITDylib(library_)); }
  Invoke invoke() const override { return invoke_; }
  Invoke phase(const std::string &suffix) const override {
    return found(jit_.lookup(library_, function_ + suffix + "_argv"));
  }

private:
  llvm::orc::LLJIT &jit_;
  llvm::orc::JITDylib &library_;
  std::string function_;
  Invoke invoke_;
};

class OrcSession : public JitSession {
public:
  explicit OrcSession(std::unique_ptr<llvm::orc::LLJIT> jit) : jit_(std::move(jit)) {}

  std::unique_ptr<JitKernel> load(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::LLVMContext> context,
                                  const std::string &function, std::string &error) override {
    auto kernel = add(llvm::orc::ThreadSafeModule(std::move(module), std::move(context)), function);
    if (kernel)
      return std::move(*kernel);
    error = llvm::toString(kernel.takeError());
    return nullptr;
  }

private:
  llvm::Expected<std::unique_ptr<JitKernel>> add(llvm::orc::ThreadSafeModule module, const std::string &function) {
    auto library = jit_->createJITDylib("kernel " + std::to_string(++kernels_));
    if (!library)
      return library.takeError();
    library->addToLinkOrder(jit_->getMainJITDylib());
    module.withModuleDo([&](llvm::Module &m) { m.setDataLayout(jit_->getDataLayout()); });
    llvm::Error error = jit_->addIRModule(*library, std::move(module));
    if (!error) {
      auto address = jit_->lookup(*library, function + "_argv");
      if (address)
        return std::make_unique<SessionKernel>(*jit_, *library, function, address->toPtr<Invoke>());
      error = address.takeError();
    }
    llvm::cantFail(jit_->getExecutionSession().removeJITDylib(*library));
    return error;
  }

  std::unique_ptr<llvm::orc::LLJIT> jit_;
  uint64_t kernels_ = 0;
};

} // namespace

std::unique_ptr<JitSession> openJitSession(llvm::CodeGenOptLevel level, std::string &error) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  auto jit = makeJit(level, /*runsInitializers=*/false);
  if (!jit) {
    error = llvm::toString(jit.takeError());
    return nullptr;
  }
  if (llvm::Error failure = addRuntime((*jit)->getMainJITDylib(), **jit)) {
    error = llvm::toString(std::move(failure));
    return nullptr;
  }
  return std::make_unique<OrcSession>(std::move(*jit));
}

void keepCallAlone(llvm::Module &module, const std::string &function) {
  llvm::internalizeModule(module,
                          [&](const llvm::GlobalValue &value) { return value.getName() == function + "_argv"; });
  llvm::ModuleAnalysisManager analyses;
  llvm::PassBuilder().registerModuleAnalyses(analyses);
  llvm::GlobalDCEPass().run(module, analyses);
}

std::unique_ptr<JitKernel> loadJit(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::LLVMContext> context,
                                   const std::string &function, llvm::CodeGenOptLevel level, std::string &error) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  auto kernel = load(llvm::orc::ThreadSafeModule(std::move(module), std::move(context)), function, level);
  if (kernel)
    return std::move(*kernel);
  error = llvm::toString(kernel.takeError());
  return nullptr;
}

} // namespace spc::codegen
