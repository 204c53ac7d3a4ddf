#include "pipeline/emission.h"

#include "codegen/link_runtime.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"

namespace spc::pipeline {
namespace {

constexpr DiagnosticKind kNoCode{"internal-error", Severity::Internal};

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
  case sema::RuntimeUse::Why::Ranks:
    return {"puts elements in the order of their values", "leave that statement out", use->where};
  case sema::RuntimeUse::Why::AddsLengths:
    return {"adds lengths up into pointers", "store the operand with an offsets array", use->where};
  }
  llvm_unreachable("every reason is listed");
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

bool finish(llvm::Module &module, llvm::TargetMachine &machine, const sema::Kernel &kernel,
            const CompileOptions &options, Diagnostics &diagnostics) {
  // Checks are put into the runtime, too; without them it is left out of optimising: it is optimised already.
  const bool watches = options.sanitizers.any();
  const auto link = [&](codegen::RuntimeCode code) {
    return codegen::linkRuntime(module, runtimeReason(kernel), diagnostics, code);
  };
  if (watches && !link(codegen::RuntimeCode::Quick))
    return false;
  codegen::prepareForSanitizers(module, options.sanitizers);
  codegen::optimize(module, machine, options.target.optLevel);
  if (!watches && !link(codegen::RuntimeCode::Fast))
    return false;
  codegen::instrument(module, options.sanitizers);
  return true;
}

std::optional<std::string> emitWhole(llvm::Module &module, llvm::TargetMachine &machine, const Emission &emission,
                                     Diagnostics &diagnostics) {
  if (!finish(module, machine, emission.kernel, emission.options, diagnostics))
    return std::nullopt;
  codegen::addUnwindTables(module);
  codegen::setProducer(module, emission.options.producer);
  std::string output = codegen::emit(module, machine, outputKind(emission.stage));
  if (output.empty()) {
    diagnostics.report(kNoCode, {}, "LLVM cannot emit code for this target");
    return std::nullopt;
  }
  return output;
}

} // namespace spc::pipeline
