#include "pipeline/compiler.h"

#include "abi/signature.h"
#include "codegen/link_runtime.h"
#include "dialect/attributes.h"
#include "entry/entry.h"
#include "mlirgen/mlirgen.h"
#include "pipeline/context.h"
#include "pipeline/kernel_size.h"
#include "pipeline/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace spc::pipeline {
namespace {

constexpr DiagnosticKind kInternalError{"internal-error", Severity::Internal};
constexpr DiagnosticKind kScheduleSerial{"schedule-serial", Severity::Error};

/// The vectors that loops are written for: none where nobody asked for speed, nor under the thread sanitizer, which
/// knows no accesses beyond 16 bytes.
codegen::VectorUnit vectorsFor(const CompileOptions &options, const llvm::TargetMachine &machine) {
  return options.target.optLevel > 1 && !options.sanitizers.thread ? codegen::vectorUnit(machine)
                                                                   : codegen::VectorUnit();
}

/// Whether MLIR's verifier runs after each pass. That takes nearly as long as the passes do, so that otherwise it runs
/// after each group of them.
#ifdef SPC_VERIFY_EACH_PASS
constexpr bool kVerifiesEachPass = true;
#else
constexpr bool kVerifiesEachPass = false;
#endif

/// One compilation: owns the MLIR module, and turns MLIR's own diagnostics into ours.
class Compilation {
public:
  Compilation(const sema::Kernel &kernel, mlir::MLIRContext &context, Diagnostics &diagnostics)
      : kernel_(kernel), diagnostics_(diagnostics), context_(context),
        handler_(&context_, [this](mlir::Diagnostic &diagnostic) { collect(diagnostic); }) {}

  /// Brings the module to `stage`, which comes before Llvm. False with a diagnostic on failure.
  bool lowerTo(Stage stage, const CompileOptions &options, const codegen::VectorUnit &vectors);

  std::string text();

  /// Lowers a module brought to Loops on to LLVM IR, entry included. nullptr with a diagnostic on failure.
  std::unique_ptr<llvm::Module> translate(const CompileOptions &options, bool invoker,
                                          const llvm::TargetMachine &machine, llvm::LLVMContext &llvmContext);

private:
  using PassList = llvm::function_ref<void(mlir::OpPassManager &)>;
  bool run(bool timePasses, PassList addPasses);
  bool checkParallel();
  void collect(mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      messages_ += (messages_.empty() ? "" : "; ") + diagnostic.str();
  }
  bool fail(const std::string &what) {
    std::string reason = messages_.empty() ? std::string() : ": " + messages_;
    diagnostics_.report(kInternalError, {}, what + reason)
        .advise("this is a bug in spc; please report it with the kernel");
    return false;
  }

  const sema::Kernel &kernel_;
  Diagnostics &diagnostics_;
  mlir::MLIRContext &context_;
  mlir::ScopedDiagnosticHandler handler_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::string messages_;
};

bool Compilation::run(bool timePasses, PassList addPasses) {
  mlir::PassManager passes(&context_);
  addPasses(passes);
  passes.enableVerifier(kVerifiesEachPass);
  if (timePasses)
    passes.enableTiming();
  return (mlir::succeeded(passes.run(*module_)) && mlir::succeeded(mlir::verify(*module_))) || fail("lowering failed");
}

bool Compilation::lowerTo(Stage stage, const CompileOptions &options, const codegen::VectorUnit &vectors) {
  module_ = mlirgen::generate(kernel_, context_);
  if (mlir::failed(mlir::verify(*module_)))
    return fail("the generated kernel is malformed");
  if (stage == Stage::Linalg)
    return true;
  if (!run(options.timePasses, [](mlir::OpPassManager &passes) { addSparsification(passes); }))
    return false;
  if (stage == Stage::Sparse)
    return true;
  if (!checkSize(*module_, kernel_, diagnostics_))
    return false;
  LoopOptions loops;
  loops.strictFp = kernel_.strictFp;
  loops.vectorBytes = vectors.bytes;
  loops.registers = vectors.registers;
  return run(options.timePasses, [&](mlir::OpPassManager &passes) { addLoopLowering(passes, loops); }) &&
         checkParallel();
}

/// Whether each loop that the schedule wants to run in chunks does. Only the loops tell.
bool Compilation::checkParallel() {
  const std::optional<std::string> &variable = kernel_.schedule.parallel;
  if (!variable || *variable == sema::kNotParallel)
    return true;
  for (size_t k = 0; k < kernel_.steps.size(); ++k) {
    auto body = module_->lookupSymbol<mlir::func::FuncOp>(sema::bodyName(kernel_, k));
    if (!body || dialect::chunksOf(body) || !sema::hasOutermostLoop(kernel_.steps[k], *variable))
      continue;
    diagnostics_
        .report(kScheduleSerial, kernel_.schedule.parallelAt, "the loop over '" + *variable + "' cannot run in chunks")
        .note(std::get<sema::Statement>(kernel_.steps[k]).where,
              "its iterations here write what others write, too, or follow a list that is not in order")
        .advise("leave \"parallel\" out");
    return false;
  }
  return true;
}

std::string Compilation::text() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module_->print(stream);
  return text;
}

std::unique_ptr<llvm::Module> Compilation::translate(const CompileOptions &options, bool invoker,
                                                     const llvm::TargetMachine &machine,
                                                     llvm::LLVMContext &llvmContext) {
  LlvmOptions lowering;
  lowering.hoist = vectorsFor(options, machine).registers > 0;
  if (!run(options.timePasses, [&](mlir::OpPassManager &passes) { addLlvmLowering(passes, lowering); }))
    return nullptr;
  entry::setTarget(*module_, machine);
  if (mlir::failed(entry::addEntry(*module_, kernel_, abi::makeSignature(kernel_), invoker))) {
    fail("the entry could not be built");
    return nullptr;
  }
  auto addScopes = [](mlir::OpPassManager &passes) { passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass()); };
  if (options.debugInfo && !run(options.timePasses, addScopes))
    return nullptr;
  std::unique_ptr<llvm::Module> module = mlir::translateModuleToLLVMIR(*module_, llvmContext, kernel_.function);
  if (!module)
    fail("translation to LLVM IR failed");
  return module;
}

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

/// The optimised LLVM module for `machine`, or nullptr with a diagnostic.
std::unique_ptr<llvm::Module> compileToLlvm(const sema::Kernel &kernel, const CompileOptions &options, bool invoker,
                                            llvm::TargetMachine &machine, llvm::LLVMContext &llvmContext,
                                            Diagnostics &diagnostics) {
  const std::unique_ptr<mlir::MLIRContext> context = createContext();
  Compilation compilation(kernel, *context, diagnostics);
  if (!compilation.lowerTo(Stage::Loops, options, vectorsFor(options, machine)))
    return nullptr;
  std::unique_ptr<llvm::Module> module = compilation.translate(options, invoker, machine, llvmContext);
  // Checks are put into the runtime, too, before it is optimised; without them it is optimised already.
  const bool linksFirst = options.sanitizers.any();
  const auto link = [&] { return codegen::linkRuntime(*module, runtimeReason(kernel), diagnostics); };
  if (!module || (linksFirst && !link()))
    return nullptr;
  codegen::prepareForSanitizers(*module, options.sanitizers);
  codegen::optimize(*module, machine, options.target.optLevel);
  if (!linksFirst && !link())
    return nullptr;
  codegen::instrument(*module, options.sanitizers);
  return module;
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

std::optional<std::string> compile(const sema::Kernel &kernel, Stage stage, const CompileOptions &options,
                                   Diagnostics &diagnostics) {
  std::unique_ptr<llvm::TargetMachine> machine = codegen::createTargetMachine(options.target, diagnostics);
  if (!machine)
    return std::nullopt;
  if (stage < Stage::Llvm) {
    const std::unique_ptr<mlir::MLIRContext> context = createContext();
    Compilation compilation(kernel, *context, diagnostics);
    if (!compilation.lowerTo(stage, options, vectorsFor(options, *machine)))
      return std::nullopt;
    return compilation.text();
  }
  if (!codegen::supportsSanitizers(options.sanitizers, *machine, diagnostics))
    return std::nullopt;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> module = compileToLlvm(kernel, options, false, *machine, llvmContext, diagnostics);
  if (!module)
    return std::nullopt;
  std::string output = codegen::emit(*module, *machine, outputKind(stage));
  if (output.empty()) {
    diagnostics.report(kInternalError, {}, "LLVM cannot emit code for this target");
    return std::nullopt;
  }
  return output;
}

std::unique_ptr<codegen::JitKernel> compileToMemory(const sema::Kernel &kernel, int optLevel,
                                                    Diagnostics &diagnostics) {
  CompileOptions options;
  options.target.cpu = "native";
  options.target.optLevel = optLevel;
  std::unique_ptr<llvm::TargetMachine> machine = codegen::createTargetMachine(options.target, diagnostics);
  if (!machine)
    return nullptr;
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module = compileToLlvm(kernel, options, true, *machine, *llvmContext, diagnostics);
  if (!module)
    return nullptr;
  std::string error;
  auto jit =
      codegen::loadJit(std::move(module), std::move(llvmContext), kernel.function, machine->getOptLevel(), error);
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
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<codegen::JitSession> session;
};

Workshop::Workshop(int optLevel) : state_(std::make_unique<State>()) {
  state_->options.target.cpu = "native";
  state_->options.target.optLevel = optLevel;
}
Workshop::~Workshop() = default;

std::unique_ptr<codegen::JitKernel> Workshop::compile(const sema::Kernel &kernel, Diagnostics &diagnostics) {
  const CompileOptions &options = state_->options;
  std::string error;
  if (!state_->machine)
    state_->machine = codegen::createTargetMachine(options.target, diagnostics);
  if (state_->machine && !state_->session)
    state_->session = codegen::openJitSession(state_->machine->getOptLevel(), error);
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
  if (!compilation.lowerTo(Stage::Loops, options, vectorsFor(options, *state_->machine)))
    return nullptr;
  auto module = compilation.translate(options, /*invoker=*/true, *state_->machine, *llvmContext);
  if (!module)
    return nullptr;
  codegen::optimize(*module, *state_->machine, options.target.optLevel);
  auto code = state_->session->load(std::move(module), std::move(llvmContext), kernel.function, error);
  return code ? std::move(code) : fail();
}

} // namespace spc::pipeline
