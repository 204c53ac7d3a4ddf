#include "pipeline/compilation.h"

#include "abi/signature.h"
#include "codegen/link_runtime.h"
#include "dialect/attributes.h"
#include "entry/call.h"
#include "entry/entry.h"
#include "mlirgen/mlirgen.h"
#include "pipeline/constants.h"
#include "pipeline/index_variables.h"
#include "pipeline/kernel_size.h"
#include "pipeline/pass_watch.h"
#include "pipeline/passes.h"
#include "sema/division.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace spc::pipeline {
namespace {

constexpr DiagnosticKind kLoweringFailed{"internal-error", Severity::Internal};
constexpr DiagnosticKind kScheduleSerial{"schedule-serial", Severity::Error};

using mlir::func::FuncOp;

} // namespace

bool usesVectors(const CompileOptions &options) {
  return options.target.optLevel > 1 && !options.sanitizers.thread;
}

bool keepsIndices(const CompileOptions &options) {
  return options.debugInfo && options.target.optLevel == 0 && !options.printLocations;
}

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

bool Compilation::run(mlir::PassManager &passes, mlir::ArrayRef<mlir::Operation *> operations, bool keepsPlaces) {
  PassFaults faults;
  passes.enableVerifier(options_.verifyEach);
  passes.addInstrumentation(watchPasses(faults, keepsPlaces && options_.verifyEach));
  if (options_.timePasses)
    passes.enableTiming();
  for (mlir::Operation *operation : operations)
    if (mlir::failed(passes.run(operation)) || mlir::failed(mlir::verify(operation)))
      return fail("lowering failed" + (faults.failed.empty() ? "" : " in " + faults.failed));
  return faults.lost.empty() || fail("lowering failed in " + faults.lost);
}

bool Compilation::run(PassList addPasses) {
  mlir::PassManager passes(&context_);
  addPasses(passes);
  return run(passes, {module_->getOperation()}, /*keepsPlaces=*/true);
}

/// Notes the functions with the kernel's loops.
void Compilation::findBodies() {
  for (auto body : module_->getOps<FuncOp>())
    if (!body.isExternal())
      bodies_.push_back({body.getSymName().str(), {}});
}

/// Whether the module's text is read again: attributes of this dialect are verified where text makes them, and in
/// builds with assertions.
bool Compilation::readsBack() {
  const mlir::ParserConfig config(&context_, /*verifyAfterParse=*/false);
  return static_cast<bool>(mlir::parseSourceString<mlir::ModuleOp>(text(), config));
}

bool Compilation::lowerTo(Stage stage) {
  module_ = mlirgen::generate(kernel_, context_);
  if (mlir::failed(mlir::verify(*module_)) || (options_.verifyEach && !readsBack()))
    return fail("the generated kernel is malformed");
  if (stage == Stage::Linalg)
    return true;
  if (!run([](mlir::OpPassManager &passes) { addSparsification(passes); }))
    return false;
  if (stage == Stage::Sparse)
    return true;
  if (!checkSize(*module_, kernel_, diagnostics_))
    return false;
  const auto lowerStorage = [&](mlir::OpPassManager &passes) {
    addStorageLowering(passes, kernel_.strictFp, keepsIndices(options_), codegen::hasRuntime(backend_.machine()));
  };
  if (!run(lowerStorage))
    return false;
  findBodies();
  return backend_.makeLoops(*this) && checkParallel();
}

/// Whether each loop that the schedule wants to run in chunks does. Whether loops carry sums along only they tell.
bool Compilation::checkParallel() {
  const std::optional<std::string> &variable = kernel_.schedule.parallel;
  if (!variable || *variable == sema::kNotParallel)
    return true;
  for (size_t k = 0; k < kernel_.steps.size(); ++k) {
    auto body = module_->lookupSymbol<FuncOp>(sema::bodyName(kernel_, k));
    if (!body || dialect::chunksOf(body) || !sema::hasOutermostLoop(kernel_.steps[k], *variable))
      continue;
    const auto &statement = std::get<sema::Statement>(kernel_.steps[k]);
    const std::string reason = sema::divisionOf(kernel_, statement).reason;
    diagnostics_
        .report(kScheduleSerial, kernel_.schedule.parallelAt, "the loop over '" + *variable + "' cannot run in chunks")
        .note(statement.where,
              "this is not divided among workers: " +
                  (reason.empty() ? "its loops carry sums along, through several lists at once" : reason))
        .advise("leave \"parallel\" out");
    return false;
  }
  return true;
}

std::string Compilation::text() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module_->print(stream, mlir::OpPrintingFlags().enableDebugInfo(options_.printLocations));
  return text;
}

/// Whether all versions of a body have the same arguments: callers pass those of the first one.
bool Compilation::checkArguments() {
  const auto bindsOf = [&](const std::string &name) {
    mlir::SmallVector<dialect::BindAttr> binds;
    if (auto body = module_->lookupSymbol<mlir::FunctionOpInterface>(name))
      for (unsigned a = 0; a < body.getNumArguments(); ++a)
        binds.push_back(dialect::bindOf(body, a));
    return binds;
  };
  for (const Body &body : bodies_)
    for (const BodyVersion &version : body.versions)
      if (bindsOf(version.function) != bindsOf(body.name))
        return fail("the loops of '" + body.name + "' have other arguments for another processor");
  return true;
}

/// Adds the entry to a module of bodies in the LLVM dialect.
bool Compilation::addHostCode(const entry::StoredConstants &constants) {
  entry::setTarget(*module_, backend_.machine());
  abi::Signature signature = abi::makeSignature(kernel_, options_.contents);
  signature.producer = options_.producer;
  return mlir::succeeded(entry::addEntry(*module_, kernel_, signature, backend_.calls(), constants)) ||
         fail("the entry could not be built");
}

std::unique_ptr<llvm::Module> Compilation::translate(llvm::LLVMContext &llvmContext) {
  const std::optional<entry::StoredConstants> constants = storeConstants(kernel_, diagnostics_);
  if (!constants || !backend_.lower(*this) || !checkArguments() || !addHostCode(*constants))
    return nullptr;
  mlir::LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
  if (keepsIndices(options_))
    scopes.emissionKind = mlir::LLVM::DIEmissionKind::Full;
  auto addScopes = [&](mlir::OpPassManager &passes) {
    passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass(scopes));
  };
  if (options_.debugInfo && !run(addScopes))
    return nullptr;
  if (keepsIndices(options_))
    declareIndices(*module_);
  std::unique_ptr<llvm::Module> module = mlir::translateModuleToLLVMIR(*module_, llvmContext, kernel_.function);
  if (!module) {
    fail("translation to LLVM IR failed");
    return nullptr;
  }
  defineConstants(kernel_, *constants, *module);
  return backend_.complete(*this, *module) ? std::move(module) : nullptr;
}

} // namespace spc::pipeline
