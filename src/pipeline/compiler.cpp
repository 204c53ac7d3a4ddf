#include "pipeline/compiler.h"

#include "codegen/level_parts.h"
#include "codegen/link_runtime.h"
#include "pipeline/compilation.h"
#include "pipeline/context.h"
#include "pipeline/side_by_side.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Target/TargetMachine.h"

namespace spc::pipeline {
namespace {

constexpr DiagnosticKind kInternalError{"internal-error", Severity::Internal};

/// What to say where the target has no runtime.
codegen::RuntimeReason runtimeReason(const sema::Kernel &kernel) {
  const std::optional<sema::RuntimeUse> use = sema::runtimeUse(kernel);
  if (!use && kernel.checked)
    return {"checks what arrays hold", "leave out --checked", {}};
  if (!use)
    return {};
  switch (use->why) {
  case sema::RuntimeUse::Why::Assembles:
    return {"assembles a sparse output", "store the output densely", use->where};
  case sema::RuntimeUse::Why::CopiesOperand:
    return {"copies an operand into another storage", "store the operand in the order in which the kernel reads it",
            use->where};
  case sema::RuntimeUse::Why::AddsLengths:
    return {"adds lengths up into pointers", "store the operand with an offsets array", use->where};
  }
  llvm_unreachable("every reason is listed");
}

/// The LLVM module for `target` as MLIR leaves it, or nullptr with a diagnostic. MLIR's memory is free again for LLVM.
/// `parts`: what of it can be compiled apart.
std::unique_ptr<llvm::Module> translateToLlvm(const sema::Kernel &kernel, const CompileOptions &options,
                                              const codegen::Target &target, llvm::LLVMContext &llvmContext,
                                              std::vector<codegen::LevelPart> &parts, Diagnostics &diagnostics) {
  const std::unique_ptr<mlir::MLIRContext> context = createContext();
  Compilation compilation(kernel, *context, diagnostics);
  if (!compilation.lowerTo(Stage::Loops, options, target))
    return nullptr;
  std::unique_ptr<llvm::Module> module = compilation.translate(options, target, llvmContext);
  parts = compilation.parts();
  return module;
}

/// Optimises the module and links the runtime into it; false with a diagnostic.
bool finish(llvm::Module &module, const sema::Kernel &kernel, const CompileOptions &options,
            const codegen::Target &target, Diagnostics &diagnostics) {
  // Checks are put into the runtime, too, before it is optimised; without them it is optimised already.
  const bool linksFirst = options.sanitizers.any();
  const auto link = [&] { return codegen::linkRuntime(module, runtimeReason(kernel), diagnostics); };
  if (linksFirst && !link())
    return false;
  codegen::prepareForSanitizers(module, options.sanitizers);
  codegen::optimize(module, *target.machine, options.target.optLevel);
  if (!linksFirst && !link())
    return false;
  codegen::instrument(module, options.sanitizers);
  return true;
}

uint64_t hashOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return llvm::xxh3_64bits(text);
}

codegen::OutputKind outputKind(Stage stage) {
  switch (stage) {
  case Stage::Assembly:
    return codegen::OutputKind::Assembly;
  case Stage::Object:
    return codegen::OutputKind::Object;
  default:
    return codegen::OutputKind::LlvmIr;
  }
}

} // namespace

bool supports(const codegen::TargetOptions &target, const codegen::Sanitizers &sanitizers, Diagnostics &diagnostics) {
  const std::optional<codegen::Target> found = codegen::createTarget(target, false, diagnostics);
  return found && codegen::supportsSanitizers(sanitizers, *found->machine, diagnostics);
}

std::optional<std::string> compile(const sema::Kernel &kernel, Stage stage, const CompileOptions &options,
                                   Diagnostics &diagnostics) {
  const bool chooses = options.target.optLevel > 1 && !options.sanitizers.any();
  std::optional<codegen::Target> target = codegen::createTarget(options.target, chooses, diagnostics);
  if (!target)
    return std::nullopt;
  if (stage < Stage::Llvm) {
    target->levels.clear();
    const std::unique_ptr<mlir::MLIRContext> context = createContext();
    Compilation compilation(kernel, *context, diagnostics);
    if (!compilation.lowerTo(stage, options, *target))
      return std::nullopt;
    return compilation.text(options.printLocations);
  }
  if (!codegen::supportsSanitizers(options.sanitizers, *target->machine, diagnostics))
    return std::nullopt;
  llvm::LLVMContext llvmContext;
  std::vector<codegen::LevelPart> parts;
  std::unique_ptr<llvm::Module> module = translateToLlvm(kernel, options, *target, llvmContext, parts, diagnostics);
  if (!module)
    return std::nullopt;
  if (stage == Stage::Object && isParted(*module, parts, options))
    if (std::string object = emitParts(*module, parts, options, *target); !object.empty())
      return object;
  if (!finish(*module, kernel, options, *target, diagnostics))
    return std::nullopt;
  codegen::addUnwindTables(*module);
  codegen::setProducer(*module, options.producer);
  std::string output = codegen::emit(*module, *target->machine, outputKind(stage));
  if (output.empty()) {
    diagnostics.report(kInternalError, {}, "LLVM cannot emit code for this target");
    return std::nullopt;
  }
  return output;
}

std::unique_ptr<codegen::JitKernel> compileToMemory(const sema::Kernel &kernel, int optLevel, Diagnostics &diagnostics,
                                                    uint64_t *codeHash, bool verifyEach) {
  CompileOptions options;
  options.target.cpu = "native";
  options.target.optLevel = optLevel;
  options.verifyEach = verifyEach;
  std::optional<codegen::Target> target = codegen::createTarget(options.target, false, diagnostics);
  if (!target)
    return nullptr;
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::vector<codegen::LevelPart> parts;
  std::unique_ptr<llvm::Module> module = translateToLlvm(kernel, options, *target, *llvmContext, parts, diagnostics);
  if (!module || !finish(*module, kernel, options, *target, diagnostics))
    return nullptr;
  if (codeHash)
    *codeHash = hashOf(*module);
  std::string error;
  auto jit = codegen::loadJit(std::move(module), std::move(llvmContext), kernel.function,
                              target->machine->getOptLevel(), error);
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
  std::optional<codegen::Target> target;
  std::unique_ptr<codegen::JitSession> session;
};

Workshop::Workshop(int optLevel) : state_(std::make_unique<State>()) {
  state_->options.target.cpu = "native";
  state_->options.target.optLevel = optLevel;
  state_->options.verifyEach = true;
}
Workshop::~Workshop() = default;

std::unique_ptr<codegen::JitKernel> Workshop::compile(const sema::Kernel &kernel, Diagnostics &diagnostics) {
  const CompileOptions &options = state_->options;
  std::string error;
  if (!state_->target)
    state_->target = codegen::createTarget(options.target, false, diagnostics);
  if (state_->target && !state_->session)
    state_->session = codegen::openJitSession(state_->target->machine->getOptLevel(), error);
  if (state_->kernels++ % State::kKernelsOfContext == 0)
    state_->context = createContext();
  const auto fail = [&] {
    diagnostics.report(kInternalError, {}, "the compiled kernel could not be loaded: " + error);
    return nullptr;
  };
  if (!state_->session)
    return fail();
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  Compilation compilation(kernel, *state_->context, diagnostics);
  if (!compilation.lowerTo(Stage::Loops, options, *state_->target))
    return nullptr;
  auto module = compilation.translate(options, *state_->target, *llvmContext);
  if (!module)
    return nullptr;
  codegen::optimize(*module, *state_->target->machine, options.target.optLevel);
  auto code = state_->session->load(std::move(module), std::move(llvmContext), kernel.function, error);
  return code ? std::move(code) : fail();
}

} // namespace spc::pipeline
