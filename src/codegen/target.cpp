#include "codegen/cpu_levels.h"
#include "codegen/object.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Target/TargetMachine.h"

namespace spc::codegen {
namespace {

constexpr DiagnosticKind kCpuList{"cpu-list", Severity::Error};

std::optional<CpuLevel> levelNamed(llvm::StringRef cpu) {
  for (CpuLevel level = 1; level <= kAvx512; ++level)
    if (cpu == processorOf(level))
      return level;
  return std::nullopt;
}

/// The levels of a list with commas, ascending; nullopt with a diagnostic.
std::optional<std::vector<CpuLevel>> readLevels(const std::string &list, Diagnostics &diagnostics) {
  std::vector<CpuLevel> levels;
  for (llvm::StringRef cpu : llvm::split(list, ",")) {
    const std::optional<CpuLevel> level = levelNamed(cpu);
    if (!level) {
      diagnostics
          .report(kCpuList, {},
                  "'" + cpu.str() + "' cannot stand in a list of processors: an object tells levels apart")
          .advise("name one processor alone, or several of x86-64, x86-64-v2, x86-64-v3 and x86-64-v4");
      return std::nullopt;
    }
    if (llvm::is_contained(levels, *level)) {
      diagnostics.report(kCpuList, {}, "'" + cpu.str() + "' stands twice in the list of processors")
          .advise("name it once");
      return std::nullopt;
    }
    levels.push_back(*level);
  }
  llvm::sort(levels);
  return levels;
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
      target.levels = {1, 3, kAvx512};
    return target;
  }
  if (!canChoose(*target.machine)) {
    diagnostics
        .report(kCpuList, {}, "an object for " + target.machine->getTargetTriple().str() + " cannot choose a processor")
        .advise("name one processor");
    return std::nullopt;
  }
  std::optional<std::vector<CpuLevel>> levels = readLevels(options.cpu, diagnostics);
  if (!levels)
    return std::nullopt;
  target.levels = std::move(*levels);
  baseline.cpu = processorOf(target.levels.front());
  target.machine = createTargetMachine(baseline, diagnostics);
  return target;
}

} // namespace spc::codegen
