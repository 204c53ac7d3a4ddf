// In-memory execution of a compiled kernel (LLVM ORC), for `spc run` and the tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
enum class CodeGenOptLevel;
} // namespace llvm

namespace spc::codegen {

/// The untyped function that entry/entry.h adds: the context, then one pointer an argument. Returns an spc_status.
using Invoke = int32_t (*)(const void *context, void **arguments);

/// Owns the machine code of one kernel.
class JitKernel {
public:
  virtual ~JitKernel() = default;
  virtual Invoke invoke() const = 0;
  /// That of one of its phases, "_symbolic" or "_numeric"; null where it has none, or none was kept.
  virtual Invoke phase(const std::string &suffix) const = 0;
};

/// Leaves nothing in a module but the function that loadJit() gives as invoke(), and what it calls: the phases of a
/// call and their plans, which take as long to compile, are for callers in C. To be run before the module is optimised.
void keepCallAlone(llvm::Module &module, const std::string &function);

/// Loads an already optimised module; `level` is for what remains, the generation of code. Where the runtime was not
/// linked into it, it calls this process's. nullptr, with the reason in `error`, when ORC refuses it.
std::unique_ptr<JitKernel> loadJit(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::LLVMContext> context,
                                   const std::string &function, llvm::CodeGenOptLevel level, std::string &error);

/// Loads the kernels of a process that compiles many, such as a fuzzer: the machinery is made once. Kernels must
/// not outlive the session.
class JitSession {
public:
  virtual ~JitSession() = default;
  /// Loads a module as loadJit() does.
  virtual std::unique_ptr<JitKernel> load(std::unique_ptr<llvm::Module> module,
                                          std::unique_ptr<llvm::LLVMContext> context, const std::string &function,
                                          std::string &error) = 0;
};

/// nullptr, with the reason in `error`, where ORC refuses.
std::unique_ptr<JitSession> openJitSession(llvm::CodeGenOptLevel level, std::string &error);

} // namespace spc::codegen
