#include "pipeline/compiler.h"

#include "pipeline/compilation.h"
#include "pipeline/context.h"
#include "pipeline/emission.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Target/TargetMachine.h"

#include <deque>

namespace spc::pipeline {
namespace {

constexpr DiagnosticKind kInternalError{"internal-error", Severity::Internal};

/// The LLVM module as MLIR leaves it, or nullptr with a diagnostic. MLIR's memory is free again for LLVM. `bodies`,
/// where wanted, are those that it has.
std::unique_ptr<llvm::Module> translateToLlvm(const sema::Kernel &kernel, const CompileOptions &options,
                                              const Backend &backend, llvm::LLVMContext &llvmContext,
                                              Diagnostics &diagnostics, std::vector<Body> *bodies = nullptr) {
  const std::unique_ptr<mlir::MLIRContext> context = createContext();
  Compilation compilation(kernel, options, backend, *context, diagnostics);
  if (!compilation.lowerTo(Stage::Loops))
    return nullptr;
  std::unique_ptr<llvm::Module> module = compilation.translate(llvmContext);
  if (bodies)
    *bodies = std::move(compilation.bodies());
  return module;
}

uint64_t hashOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return llvm::xxh3_64bits(text);
}

} // namespace

bool supports(const codegen::TargetOptions &target, const codegen::Sanitizers &sanitizers, Diagnostics &diagnostics) {
  const std::unique_ptr<Backend> backend = createBackend(target, Versions::Named, diagnostics);
  return backend && codegen::supportsSanitizers(sanitizers, backend->machine(), diagnostics);
}

std::optional<std::string> compile(const sema::Kernel &kernel, Stage stage, const CompileOptions &options,
                                   Diagnostics &diagnostics) {
  const bool chooses = options.target.optLevel > 1 && !options.sanitizers.any();
  const Versions versions = stage < Stage::Llvm ? Versions::One : chooses ? Versions::Usual : Versions::Named;
  const std::unique_ptr<Backend> backend = createBackend(options.target, versions, diagnostics);
  if (!backend)
    return std::nullopt;
  if (stage < Stage::Llvm) {
    const std::unique_ptr<mlir::MLIRContext> context = createContext();
    Compilation compilation(kernel, options, *backend, *context, diagnostics);
    if (!compilation.lowerTo(stage))
      return std::nullopt;
    return compilation.text();
  }
  if (!codegen::supportsSanitizers(options.sanitizers, backend->machine(), diagnostics))
    return std::nullopt;
  llvm::LLVMContext llvmContext;
  std::vector<Body> bodies;
  std::unique_ptr<llvm::Module> module = translateToLlvm(kernel, options, *backend, llvmContext, diagnostics, &bodies);
  if (!module)
    return std::nullopt;
  return backend->emit(*module, bodies, {kernel, options, stage}, diagnostics);
}

std::unique_ptr<codegen::JitKernel> compileToMemory(const sema::Kernel &kernel, int optLevel, Diagnostics &diagnostics,
                                                    uint64_t *codeHash, bool verifyEach) {
  CompileOptions options;
  options.target.cpu = "native";
  options.target.optLevel = optLevel;
  options.verifyEach = verifyEach;
  const std::unique_ptr<Backend> backend = createBackend(options.target, Versions::Named, diagnostics);
  if (!backend)
    return nullptr;
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module = translateToLlvm(kernel, options, *backend, *llvmContext, diagnostics);
  if (!module)
    return nullptr;
  codegen::keepCallAlone(*module, kernel.function);
  // Where code is not to be fast, the runtime that this process has saves half of the time.
  if (optLevel == 0)
    codegen::optimize(*module, backend->machine(), optLevel);
  else if (!finish(*module, backend->machine(), kernel, options, diagnostics))
    return nullptr;
  if (codeHash)
    *codeHash = hashOf(*module);
  std::string error;
  auto jit = codegen::loadJit(std::move(module), std::move(llvmContext), kernel.function,
                              backend->machine().getOptLevel(), error);
  if (!jit)
    diagnostics.report(kInternalError, {}, "the compiled kernel could not be loaded: " + error);
  return jit;
}

struct Workshop::State {
  /// What MLIR makes unique is never freed: after so many kernels there is a new context.
  static constexpr int kKernelsOfContext = 256;
  CompileOptions options;
  std::unique_ptr<mlir::MLIRContext> context;
  int kernels = 0;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<codegen::JitSession> session;
  /// The last optimised kernels, by what LLVM was given of them: the newest is the last one.
  std::deque<std::pair<std::string, std::shared_ptr<codegen::JitKernel>>> recent;
};

namespace {

/// How many kernels are looked through for the same code: most that come again come soon.
constexpr size_t kRecent = 16;

/// The module as text; empty where code that has run is another than code that has not, or takes less than its text
/// does.
std::string textOf(const llvm::Module &module, int optLevel) {
  std::string text;
  if (optLevel > 0 && llvm::all_of(module.globals(), [](const auto &variable) { return variable.isConstant(); })) {
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
  }
  return text;
}

} // namespace

Workshop::Workshop(int optLevel) : state_(std::make_unique<State>()) {
  state_->options.target.cpu = "native";
  state_->options.target.optLevel = optLevel;
  state_->options.verifyEach = true;
}
Workshop::~Workshop() = default;

std::shared_ptr<codegen::JitKernel> Workshop::compile(const sema::Kernel &kernel, Diagnostics &diagnostics) {
  const CompileOptions &options = state_->options;
  std::string error;
  if (!state_->backend)
    state_->backend = createBackend(options.target, Versions::Named, diagnostics);
  if (state_->backend && !state_->session)
    state_->session = codegen::openJitSession(state_->backend->machine().getOptLevel(), error);
  if (state_->kernels++ % State::kKernelsOfContext == 0)
    state_->context = createContext();
  const auto fail = [&] {
    diagnostics.report(kInternalError, {}, "the compiled kernel could not be loaded: " + error);
    return nullptr;
  };
  if (!state_->session)
    return fail();
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  Compilation compilation(kernel, options, *state_->backend, *state_->context, diagnostics);
  if (!compilation.lowerTo(Stage::Loops))
    return nullptr;
  auto module = compilation.translate(*llvmContext);
  if (!module)
    return nullptr;
  std::string text = textOf(*module, options.target.optLevel);
  for (const auto &[other, code] : state_->recent)
    if (!text.empty() && other == text)
      return code;
  codegen::optimize(*module, state_->backend->machine(), options.target.optLevel);
  std::shared_ptr<codegen::JitKernel> code =
      state_->session->load(std::move(module), std::move(llvmContext), kernel.function, error);
  if (!code)
    return fail();
  if (!text.empty())
    state_->recent.emplace_back(std::move(text), code);
  if (state_->recent.size() > kRecent)
    state_->recent.pop_front();
  return code;
}

} // namespace spc::pipeline
