#include "codegen/object.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace spc::codegen {
namespace {

constexpr DiagnosticKind kUnknownTarget{"unknown-target", Severity::Error};
constexpr DiagnosticKind kUnsupportedTarget{"unsupported-target", Severity::Error};
constexpr DiagnosticKind kUnknownCpu{"unknown-cpu", Severity::Error};
constexpr DiagnosticKind kForeignNativeCpu{"foreign-native-cpu", Severity::Error};

/// Bytes at whose multiples loops begin on x86, where LLVM takes 16: processors fetch instructions in aligned blocks of
/// 32, and the loop over a short row is one of them or two.
constexpr unsigned kLoopAlignment = 32;

/// Architectures that are offered in messages; others that LLVM knows are accepted.
const std::vector<std::string> &commonArchitectures() {
  static const std::vector<std::string> names{"aarch64",     "arm",     "i686",    "loongarch64", "mips64el",
                                              "powerpc64le", "riscv32", "riscv64", "s390x",       "sparcv9",
                                              "wasm32",      "wasm64",  "x86_64"};
  return names;
}

std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Registers the one code generator that is needed: all of them together take longer to set up than a kernel to
/// compile.
void initializeBackend(const llvm::Target &target) {
  llvm::StringRef name = target.getBackendName();
  if (name == "PPC") // the one backend whose name differs from its folder's
    name = "PowerPC";
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
#define LLVM_TARGET(Backend)                                                                                           \
  if (name == #Backend) {                                                                                              \
    LLVMInitialize##Backend##Target();                                                                                 \
    LLVMInitialize##Backend##TargetMC();                                                                               \
  }
#include "llvm/Config/Targets.def"
#define LLVM_ASM_PRINTER(Backend)                                                                                      \
  if (name == #Backend)                                                                                                \
    LLVMInitialize##Backend##AsmPrinter();
#include "llvm/Config/AsmPrinters.def"
#define LLVM_ASM_PARSER(Backend)                                                                                       \
  if (name == #Backend)                                                                                                \
    LLVMInitialize##Backend##AsmParser();
#include "llvm/Config/AsmParsers.def"
}

/// Processors with a C calling convention for functions and 8-byte integers: not GPUs, kernel bytecode or
/// microcontrollers.
bool isSupported(const llvm::Triple &triple) {
  switch (triple.getArch()) {
  case llvm::Triple::x86:
  case llvm::Triple::x86_64:
  case llvm::Triple::arm:
  case llvm::Triple::armeb:
  case llvm::Triple::thumb:
  case llvm::Triple::aarch64:
  case llvm::Triple::aarch64_be:
  case llvm::Triple::riscv32:
  case llvm::Triple::riscv64:
  case llvm::Triple::wasm32:
  case llvm::Triple::wasm64:
  case llvm::Triple::ppc:
  case llvm::Triple::ppcle:
  case llvm::Triple::ppc64:
  case llvm::Triple::ppc64le:
  case llvm::Triple::mips:
  case llvm::Triple::mipsel:
  case llvm::Triple::mips64:
  case llvm::Triple::mips64el:
  case llvm::Triple::sparc:
  case llvm::Triple::sparcv9:
  case llvm::Triple::systemz:
  case llvm::Triple::loongarch32:
  case llvm::Triple::loongarch64:
    return true;
  default:
    return false;
  }
}

const llvm::Target *findTarget(const TargetOptions &options, const llvm::Triple &triple, Diagnostics &diagnostics) {
  static std::once_flag once;
  std::call_once(once, llvm::InitializeAllTargetInfos);
  std::string reason;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target || triple.getArch() == llvm::Triple::UnknownArch) {
    const std::string &given = options.triple.empty() ? triple.str() : options.triple;
    Diagnostic &unknown = diagnostics.report(kUnknownTarget, options.tripleAt, "unknown target '" + given + "'");
    const std::string architecture = given.substr(0, given.find('-'));
    if (const auto near = didYouMean(architecture, commonArchitectures()))
      unknown.fix(partOf(options.tripleAt, 0, architecture.size()), *near)
          .advise("did you mean '" + *near + given.substr(architecture.size()) + "'?");
    else
      unknown.advise("known architectures are " + listed(commonArchitectures()) +
                     "; a target is written like aarch64-linux-gnu");
    return nullptr;
  }
  if (!isSupported(triple)) {
    diagnostics.report(kUnsupportedTarget, options.tripleAt, "no kernels can be compiled for " + triple.str())
        .advise("supported architectures are " + listed(commonArchitectures()));
    return nullptr;
  }
  initializeBackend(*target);
  return target;
}

struct Processor {
  std::string name;
  std::string features;
};

/// The features in which a processor differs from this machine: those that the machine alone has or, unless `isThere`,
/// the processor alone.
std::vector<std::string> differences(const llvm::StringMap<bool> &host, const llvm::MCSubtargetInfo &processor,
                                     bool isThere) {
  std::vector<std::string> words;
  for (const llvm::SubtargetFeatureKV &feature : processor.getAllProcessorFeatures()) {
    const auto found = host.find(feature.Key);
    if (found != host.end() && found->getValue() == isThere && processor.hasFeature(feature.Value) != isThere)
      words.push_back((isThere ? "+" : "-") + std::string(feature.Key));
  }
  return words;
}

/// What this machine's features are beside those that its processor's name stands for. LLVM looks each that is named up
/// among all that it knows, several times a compilation.
std::string hostFeatures(const llvm::Target &target, const llvm::Triple &triple, llvm::StringRef cpu) {
  const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  std::string text = tuningOf(triple);
  for (const bool isThere : {true, false}) { // one that is added may bring one that is not there
    const std::unique_ptr<llvm::MCSubtargetInfo> processor(target.createMCSubtargetInfo(triple, cpu, text));
    for (const std::string &word : differences(host, *processor, isThere))
      text += (text.empty() ? "" : ",") + word;
  }
  return text;
}

bool isKnownCpu(const llvm::Target &target, const llvm::Triple &triple, const TargetOptions &options,
                Diagnostics &diagnostics) {
  const std::string &cpu = options.cpu;
  // "generic" is only a name here: subtarget information needs some processor.
  const std::unique_ptr<llvm::MCSubtargetInfo> info(target.createMCSubtargetInfo(triple, "", ""));
  if (!info || info->isCPUStringValid(cpu))
    return true;
  std::vector<std::string> names;
  for (const llvm::SubtargetSubTypeKV &processor : info->getAllProcessorDescriptions())
    names.emplace_back(processor.Key);
  names.emplace_back("native");
  Diagnostic &unknown = diagnostics.report(kUnknownCpu, options.cpuAt,
                                           "unknown processor '" + cpu + "' for " + triple.getArchName().str());
  // Of several that are as near, the one with the highest number.
  if (const auto near = didYouMean(cpu, {names.rbegin(), names.rend()}))
    unknown.fix(options.cpuAt, *near).advise("did you mean '" + *near + "'?");
  else
    unknown.advise("known processors are " + listed(names));
  return false;
}

/// The processor asked for; nullopt with a diagnostic.
std::optional<Processor> chooseProcessor(const TargetOptions &options, const llvm::Target &target,
                                         const llvm::Triple &triple, Diagnostics &diagnostics) {
  if (options.cpu.empty()) {
    // What C compilers take for Linux, without which objects do not link with theirs.
    if (triple.isRISCV64())
      return Processor{"generic-rv64", "+m,+a,+f,+d,+c,+zicsr,+zifencei"};
    return Processor{triple.getArch() == llvm::Triple::x86 ? "pentium4" : "", ""};
  }
  if (options.cpu == "native") {
    const llvm::Triple host(llvm::sys::getProcessTriple());
    if (host.getArch() != triple.getArch()) {
      diagnostics
          .report(kForeignNativeCpu, options.cpuAt,
                  "--mcpu=native is this machine's processor, which is no " + triple.getArchName().str())
          .advise("name a processor of the target, or leave --mcpu out");
      return std::nullopt;
    }
    const llvm::StringRef name = llvm::sys::getHostCPUName();
    return Processor{name.str(), hostFeatures(target, triple, name)};
  }
  if (!isKnownCpu(target, triple, options, diagnostics))
    return std::nullopt;
  return Processor{options.cpu, tuningOf(triple)};
}

/// RISC-V's ABI follows from what registers the processor has.
std::string abiName(const llvm::Target &target, const llvm::Triple &triple, const Processor &processor) {
  if (!triple.isRISCV())
    return "";
  const std::unique_ptr<llvm::MCSubtargetInfo> info(
      target.createMCSubtargetInfo(triple, processor.name, processor.features));
  const std::string base = triple.isRISCV64() ? "lp64" : "ilp32";
  if (!info)
    return base;
  return base + (info->checkFeatures("+d") ? "d" : info->checkFeatures("+f") ? "f" : "");
}

llvm::CodeGenOptLevel codegenLevel(int level) {
  return llvm::CodeGenOpt::getLevel(level).value_or(llvm::CodeGenOptLevel::Aggressive);
}

} // namespace

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const TargetOptions &options, Diagnostics &diagnostics) {
  const llvm::Triple triple(options.triple.empty() ? llvm::sys::getProcessTriple()
                                                   : llvm::Triple::normalize(options.triple));
  const llvm::Target *target = findTarget(options, triple, diagnostics);
  if (!target)
    return nullptr;
  const std::optional<Processor> processor = chooseProcessor(options, *target, triple, diagnostics);
  if (!processor)
    return nullptr;
  llvm::TargetOptions machineOptions;
  machineOptions.MCOptions.AsmVerbose = true;
  machineOptions.MCOptions.ABIName = abiName(*target, triple, *processor);
  if (triple.isX86() && options.optLevel > 1)
    machineOptions.LoopAlignment = kLoopAlignment;
  // WebAssembly's objects are relocatable as they are; its PIC is another, dynamic linking convention.
  const auto relocation = triple.isWasm() ? llvm::Reloc::Static : llvm::Reloc::PIC_;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(triple, processor->name, processor->features,
                                                                           machineOptions, relocation, std::nullopt,
                                                                           codegenLevel(options.optLevel)));
  if (!machine)
    diagnostics.report(kUnsupportedTarget, options.tripleAt, "no kernels can be compiled for " + triple.str());
  return machine;
}

std::string tuningOf(const llvm::Triple &triple) {
  return triple.isX86() ? "-prefer-256-bit" : "";
}

std::unique_ptr<llvm::TargetMachine> copyMachine(const llvm::TargetMachine &machine) {
  return std::unique_ptr<llvm::TargetMachine>(machine.getTarget().createTargetMachine(
      machine.getTargetTriple(), machine.getTargetCPU(), machine.getTargetFeatureString(), machine.Options,
      machine.getRelocationModel(), std::nullopt, machine.getOptLevel()));
}

void setTarget(llvm::Module &module, const llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  if (machine.getRelocationModel() == llvm::Reloc::PIC_ && !module.getModuleFlag("PIC Level"))
    module.setPICLevel(llvm::PICLevel::BigPIC);
  const std::string &abi = machine.Options.MCOptions.ABIName;
  if (!abi.empty() && !module.getModuleFlag("target-abi"))
    module.addModuleFlag(llvm::Module::Error, "target-abi", llvm::MDString::get(module.getContext(), abi));
}

} // namespace spc::codegen
