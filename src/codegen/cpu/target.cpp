#include "codegen/cpu/target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

namespace spc::codegen {
namespace {

constexpr DiagnosticKind kCpuList{"cpu-list", Severity::Error};

/// That a list has no comma too many: true, or a diagnostic at the first.
bool checkCommas(const std::vector<llvm::StringRef> &items, Span where, Diagnostics &diagnostics) {
  size_t offset = 0;
  for (size_t k = 0; k < items.size(); offset += items[k++].size() + 1) {
    if (!items[k].empty())
      continue;
    const bool isLast = k + 1 == items.size();
    const char *what = k == 0   ? "the list of processors begins with a comma"
                       : isLast ? "the list of processors ends with a comma"
                                : "two commas stand one after the other in the list of processors";
    const Span comma = partOf(where, k > 0 && isLast ? offset - 1 : offset, 1);
    diagnostics.report(kCpuList, comma, what).fix(comma, "");
    return false;
  }
  return true;
}

/// What is wrong with an item that is no level.
void refuseItem(llvm::StringRef cpu, Span where, const llvm::TargetMachine &machine, Diagnostics &diagnostics) {
  const std::string levels = "several of x86-64, x86-64-v2, x86-64-v3 and x86-64-v4";
  if (cpu == "native" || machine.getMCSubtargetInfo()->isCPUStringValid(cpu)) {
    diagnostics
        .report(kCpuList, where,
                "'" + cpu.str() + "' cannot stand in a list of processors: an object tells levels apart")
        .advise("name one processor alone, or " + levels);
    return;
  }
  std::vector<std::string> names;
  for (CpuLevel level = kAvx512; level >= 1; --level)
    names.push_back(processorOf(level));
  Diagnostic &unknown = diagnostics.report(kCpuList, where, "'" + cpu.str() + "' is no level of x86-64");
  if (const auto near = didYouMean(cpu.str(), names))
    unknown.fix(where, *near).advise("did you mean '" + *near + "'?");
  else
    unknown.advise("name " + levels);
}

/// The levels of a list with commas, ascending; nullopt with a diagnostic of each item that is wrong.
std::optional<std::vector<CpuLevel>> readLevels(const TargetOptions &options, const llvm::TargetMachine &machine,
                                                Diagnostics &diagnostics) {
  const auto split = llvm::split(options.cpu, ",");
  const std::vector<llvm::StringRef> items(split.begin(), split.end());
  if (!checkCommas(items, options.cpuAt, diagnostics))
    return std::nullopt;
  std::vector<CpuLevel> levels;
  const size_t reported = diagnostics.all().size();
  for (llvm::StringRef cpu : items) {
    const Span where = partOf(options.cpuAt, static_cast<size_t>(cpu.data() - options.cpu.data()), cpu.size());
    const std::optional<CpuLevel> level = levelNamed(cpu);
    if (!level || *level > kAvx512)
      refuseItem(cpu, where, machine, diagnostics);
    else if (llvm::is_contained(levels, *level))
      diagnostics.report(kCpuList, where, "'" + cpu.str() + "' stands twice in the list of processors")
          .advise("name it once");
    else
      levels.push_back(*level);
  }
  llvm::sort(levels);
  return diagnostics.all().size() == reported ? std::optional(std::move(levels)) : std::nullopt;
}

/// Whether objects for the machine can choose: x32 has no runtime.
bool canChoose(const llvm::TargetMachine &machine) {
  const llvm::Triple &triple = machine.getTargetTriple();
  return triple.getArch() == llvm::Triple::x86_64 && !triple.isX32();
}

} // namespace

std::optional<Target> createTarget(const TargetOptions &options, bool chooses, Diagnostics &diagnostics) {
  Target target;
  TargetOptions baseline = options;
  const bool isList = options.cpu.find(',') != std::string::npos;
  if (isList)
    baseline.cpu.clear();
  target.machine = createTargetMachine(baseline, diagnostics);
  if (!target.machine)
    return std::nullopt;
  if (!isList) {
    if (chooses && options.cpu.empty() && canChoose(*target.machine))
      target.levels = {1, 3, kAvx512, kFastGathers};
    return target;
  }
  if (!canChoose(*target.machine)) {
    diagnostics
        .report(kCpuList, options.cpuAt,
                "an object for " + target.machine->getTargetTriple().str() + " cannot choose a processor")
        .advise("name one processor");
    return std::nullopt;
  }
  std::optional<std::vector<CpuLevel>> levels = readLevels(options, *target.machine, diagnostics);
  if (!levels)
    return std::nullopt;
  target.levels = std::move(*levels);
  baseline.cpu = processorOf(target.levels.front());
  target.machine = createTargetMachine(baseline, diagnostics);
  return target;
}

bool hasClock(const llvm::TargetMachine &machine) {
  const llvm::Triple::ArchType architecture = machine.getTargetTriple().getArch();
  return (architecture == llvm::Triple::x86_64 || architecture == llvm::Triple::aarch64) &&
         machine.createDataLayout().getPointerSizeInBits() == 64;
}

VectorUnit vectorUnit(const llvm::TargetMachine &machine, std::optional<CpuLevel> level) {
  // The cost model speaks of functions, which may have a processor of their own.
  llvm::LLVMContext context;
  llvm::Module module("", context);
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  auto *function = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                          llvm::Function::ExternalLinkage, "", module);
  if (level)
    setLevel(*function, *level);
  const llvm::TargetTransformInfo costs = machine.getTargetTransformInfo(*function);
  const auto bits = costs.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  const unsigned registers = costs.getNumberOfRegisters(costs.getRegisterClassForType(true));
  const bool gathers = level ? *level == kFastGathers
                             : machine.getTargetTriple().isX86() &&
                                   machine.getMCSubtargetInfo()->checkFeatures("+avx512vl,+avx512fp16,+fast-gather");
  return {static_cast<int64_t>(bits / 8), static_cast<int64_t>(registers), gathers};
}

} // namespace spc::codegen
