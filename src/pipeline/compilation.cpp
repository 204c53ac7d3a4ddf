#include "pipeline/compilation.h"

#include "abi/signature.h"
#include "codegen/cpu_levels.h"
#include "dialect/attributes.h"
#include "entry/entry.h"
#include "mlirgen/mlirgen.h"
#include "pipeline/avx512.h"
#include "pipeline/index_variables.h"
#include "pipeline/kernel_size.h"
#include "pipeline/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace spc::pipeline {
namespace {

constexpr DiagnosticKind kLoweringFailed{"internal-error", Severity::Internal};
constexpr DiagnosticKind kScheduleSerial{"schedule-serial", Severity::Error};

using mlir::func::FuncOp;

/// Whether loops are written for vectors: not where nobody asked for speed, nor under the thread sanitizer, which knows
/// no accesses beyond 16 bytes.
bool usesVectors(const CompileOptions &options) {
  return options.target.optLevel > 1 && !options.sanitizers.thread;
}

/// Whether debuggers are to see index variables: at -O0 alone, as that takes stores.
bool keepsIndices(const CompileOptions &options) {
  return options.debugInfo && options.target.optLevel == 0 && !options.printLocations;
}

/// Notes which pass fails, or leaves operations that do not verify, and within which other one it runs.
class FailedPass : public mlir::PassInstrumentation {
public:
  explicit FailedPass(std::string &name) : name_(name) {}

  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *) override {
    if (!pass->getArgument().empty()) // of no adaptor
      name_ += (name_.empty() ? "" : " within ") + pass->getArgument().str();
  }

private:
  std::string &name_;
};

} // namespace

void Compilation::collect(mlir::Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
    messages_ += (messages_.empty() ? "" : "; ") + diagnostic.str();
}

bool Compilation::fail(const std::string &what) {
  std::string reason = messages_.empty() ? std::string() : ": " + messages_;
  diagnostics_.report(kLoweringFailed, {}, what + reason)
      .advise("this is a bug in spc; please report it with the kernel");
  return false;
}

bool Compilation::run(const CompileOptions &options, mlir::PassManager &passes,
                      mlir::ArrayRef<mlir::Operation *> operations) {
  std::string failedPass;
  passes.enableVerifier(options.verifyEach);
  passes.addInstrumentation(std::make_unique<FailedPass>(failedPass));
  if (options.timePasses)
    passes.enableTiming();
  for (mlir::Operation *operation : operations)
    if (mlir::failed(passes.run(operation)) || mlir::failed(mlir::verify(operation)))
      return fail("lowering failed" + (failedPass.empty() ? "" : " in " + failedPass));
  return true;
}

bool Compilation::run(const CompileOptions &options, PassList addPasses) {
  mlir::PassManager passes(&context_);
  addPasses(passes);
  return run(options, passes, {module_->getOperation()});
}

/// Improves the loops of bodies for the machine, or for a level of x86-64.
bool Compilation::improve(const CompileOptions &options, const llvm::TargetMachine &machine,
                          const codegen::VectorUnit &vectors, mlir::ArrayRef<mlir::Operation *> bodies) {
  LoopOptions loops;
  loops.strictFp = kernel_.strictFp;
  loops.vectorBytes = usesVectors(options) ? vectors.bytes : 0;
  loops.registers = usesVectors(options) ? vectors.registers : 0;
  loops.trials = codegen::hasClock(machine);
  mlir::PassManager passes(&context_, FuncOp::getOperationName());
  addProcessorLoops(passes, loops);
  return run(options, passes, bodies);
}

/// A copy of each body for a level; for AVX-512 of those alone that gain by it.
bool Compilation::addLevel(const CompileOptions &options, const llvm::TargetMachine &machine, codegen::CpuLevel level,
                           mlir::ArrayRef<mlir::Operation *> bodies) {
  const codegen::VectorUnit vectors = codegen::vectorUnit(machine, level);
  mlir::SmallVector<mlir::Operation *> copies;
  for (mlir::Operation *body : bodies) {
    auto copy = mlir::cast<FuncOp>(body->clone());
    copy.setSymName(copy.getSymName().str() + codegen::suffixOf(level));
    module_->push_back(copy);
    copies.push_back(copy);
  }
  if (!improve(options, machine, vectors, copies))
    return false;
  for (auto [body, copy] : llvm::zip_equal(bodies_, copies)) {
    if (level < codegen::kAvx512 || gainsFromAvx512(mlir::cast<FuncOp>(copy), vectors.bytes))
      body.levels.push_back(level);
    else
      copy->erase();
  }
  return true;
}

/// The loops of each body for the target's machine, and beside them those for each further level.
bool Compilation::makeLoops(const CompileOptions &options, const codegen::Target &target) {
  mlir::SmallVector<mlir::Operation *> originals;
  for (auto body : module_->getOps<FuncOp>())
    if (!body.isExternal()) {
      originals.push_back(body);
      bodies_.push_back({body.getSymName().str(), {}});
    }
  if (!target.levels.empty()) {
    for (Body &body : bodies_)
      body.levels = {target.levels.front()};
    for (codegen::CpuLevel level : llvm::drop_begin(target.levels))
      if (!addLevel(options, *target.machine, level, originals))
        return false;
  }
  return improve(options, *target.machine, codegen::vectorUnit(*target.machine), originals);
}

bool Compilation::lowerTo(Stage stage, const CompileOptions &options, const codegen::Target &target) {
  module_ = mlirgen::generate(kernel_, context_, keepsIndices(options));
  if (mlir::failed(mlir::verify(*module_)))
    return fail("the generated kernel is malformed");
  if (stage == Stage::Linalg)
    return true;
  if (!run(options, [](mlir::OpPassManager &passes) { addSparsification(passes); }))
    return false;
  if (stage == Stage::Sparse)
    return true;
  if (!checkSize(*module_, kernel_, diagnostics_))
    return false;
  const auto lowerStorage = [&](mlir::OpPassManager &passes) {
    addStorageLowering(passes, kernel_.strictFp, keepsIndices(options));
  };
  return run(options, lowerStorage) && makeLoops(options, target) && checkParallel();
}

/// Whether each loop that the schedule wants to run in chunks does. Only the loops tell.
bool Compilation::checkParallel() {
  const std::optional<std::string> &variable = kernel_.schedule.parallel;
  if (!variable || *variable == sema::kNotParallel)
    return true;
  for (size_t k = 0; k < kernel_.steps.size(); ++k) {
    auto body = module_->lookupSymbol<FuncOp>(sema::bodyName(kernel_, k));
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

std::string Compilation::text(bool printLocations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module_->print(stream, mlir::OpPrintingFlags().enableDebugInfo(printLocations));
  return text;
}

/// Whether the bodies for all levels have the same arguments: callers pass those of the first one.
bool Compilation::checkArguments() {
  const auto bindsOf = [&](const std::string &name) {
    mlir::SmallVector<dialect::BindAttr> binds;
    if (auto body = module_->lookupSymbol<mlir::FunctionOpInterface>(name))
      for (unsigned a = 0; a < body.getNumArguments(); ++a)
        binds.push_back(dialect::bindOf(body, a));
    return binds;
  };
  for (const auto &[name, levels] : bodies_)
    for (codegen::CpuLevel level : llvm::drop_begin(levels, levels.empty() ? 0 : 1))
      if (bindsOf(name + codegen::suffixOf(level)) != bindsOf(name))
        return fail("the loops of '" + name + "' have other arguments for another processor");
  return true;
}

/// Makes callers of each body come to the one for the processor, where there are several.
bool Compilation::addChoices(llvm::Module &module) {
  for (const auto &[name, levels] : bodies_) {
    if (levels.size() < 2)
      continue;
    std::vector<llvm::Function *> functions{module.getFunction(entry::bodySymbol(name))};
    for (codegen::CpuLevel level : llvm::drop_begin(levels)) {
      functions.push_back(module.getFunction(entry::bodySymbol(name + codegen::suffixOf(level))));
      if (functions.back())
        codegen::setLevel(*functions.back(), level);
    }
    if (llvm::is_contained(functions, nullptr))
      return fail("the loops of '" + name + "' are missing for a processor");
    codegen::addChoice(levels, functions, entry::bodySymbol(name + codegen::suffixOf(levels.front())));
  }
  return true;
}

std::vector<codegen::LevelPart> Compilation::parts() const {
  std::map<codegen::CpuLevel, std::vector<std::string>> functions;
  std::optional<codegen::CpuLevel> lowest;
  for (const auto &[name, levels] : bodies_)
    if (levels.size() > 1) {
      lowest = levels.front();
      for (codegen::CpuLevel level : levels)
        functions[level].push_back(entry::bodySymbol(name + codegen::suffixOf(level)));
    }
  std::vector<codegen::LevelPart> parts;
  for (auto &[level, names] : functions)
    parts.push_back({level == lowest ? std::nullopt : std::optional(level), std::move(names)});
  parts.emplace_back();
  return parts;
}

/// Puts the bodies in the order of parts(), in which they are in an object that is compiled in parts.
void Compilation::sortBodies(llvm::Module &module) const {
  const std::vector<codegen::LevelPart> all = parts();
  for (const codegen::LevelPart &part : llvm::reverse(all))
    for (const std::string &name : llvm::reverse(part.functions)) {
      llvm::Function *body = module.getFunction(name);
      body->removeFromParent();
      module.getFunctionList().push_front(body);
    }
}

std::unique_ptr<llvm::Module> Compilation::translate(const CompileOptions &options, const codegen::Target &target,
                                                     llvm::LLVMContext &llvmContext) {
  LlvmOptions lowering;
  lowering.hoist = usesVectors(options);
  lowering.storesIndices = keepsIndices(options);
  const auto lower = [&](mlir::OpPassManager &passes) { addLlvmLowering(passes, lowering); };
  if (!run(options, lower) || !checkArguments())
    return nullptr;
  entry::setTarget(*module_, *target.machine);
  abi::Signature signature = abi::makeSignature(kernel_, options.contents);
  signature.producer = options.producer;
  if (mlir::failed(entry::addEntry(*module_, kernel_, signature))) {
    fail("the entry could not be built");
    return nullptr;
  }
  mlir::LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
  if (keepsIndices(options))
    scopes.emissionKind = mlir::LLVM::DIEmissionKind::Full;
  auto addScopes = [&](mlir::OpPassManager &passes) {
    passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass(scopes));
  };
  if (options.debugInfo && !run(options, addScopes))
    return nullptr;
  if (keepsIndices(options))
    declareIndices(*module_);
  std::unique_ptr<llvm::Module> module = mlir::translateModuleToLLVMIR(*module_, llvmContext, kernel_.function);
  if (!module) {
    fail("translation to LLVM IR failed");
    return nullptr;
  }
  if (!addChoices(*module))
    return nullptr;
  sortBodies(*module);
  return module;
}

} // namespace spc::pipeline
