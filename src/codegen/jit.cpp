#include "codegen/jit.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

namespace spc::codegen {
namespace {

class OrcKernel : public JitKernel {
public:
  OrcKernel(std::unique_ptr<llvm::orc::LLJIT> jit, Invoke entry) : jit_(std::move(jit)), invoke_(entry) {}
  Invoke invoke() const override { return invoke_; }

private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  Invoke invoke_;
};

llvm::Expected<std::unique_ptr<JitKernel>> load(llvm::orc::ThreadSafeModule module, const std::string &function,
                                                llvm::CodeGenOptLevel level) {
  auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine.takeError();
  machine->setCodeGenOptLevel(level);
  // Symbols that the kernel lacks (malloc, libm) are those of this process, which LLJIT searches by default.
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*machine)).create();
  if (!jit)
    return jit.takeError();
  module.withModuleDo([&](llvm::Module &m) { m.setDataLayout((*jit)->getDataLayout()); });
  if (llvm::Error error = (*jit)->addIRModule(std::move(module)))
    return error;
  auto address = (*jit)->lookup(function + "_invoke");
  if (!address)
    return address.takeError();
  const Invoke invoke = address->toPtr<Invoke>();
  return std::make_unique<OrcKernel>(std::move(*jit), invoke);
}

} // namespace

std::unique_ptr<JitKernel> loadJit(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::LLVMContext> context,
                                   const std::string &function, llvm::CodeGenOptLevel level, std::string &error) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto kernel = load(llvm::orc::ThreadSafeModule(std::move(module), std::move(context)), function, level);
  if (kernel)
    return std::move(*kernel);
  error = llvm::toString(kernel.takeError());
  return nullptr;
}

} // namespace spc::codegen
