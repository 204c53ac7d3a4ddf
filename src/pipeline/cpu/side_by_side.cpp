#include "pipeline/cpu/side_by_side.h"

#include "codegen/cpu/assemble.h"
#include "codegen/link_runtime.h"
#include "runtime/contract.h"
#include "support/threads.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace spc::pipeline {
namespace {

/// Each object with levels calls three functions of the runtime; one that calls more assembles outputs or copies
/// operands, with functions that take longer to compile than loops do.
constexpr int kFewFunctions = 3;

/// Each part would read and drop the arrays of constants, which take longer than loops from some size on.
constexpr uint64_t kMostConstantBytes = uint64_t{1} << 20;

uint64_t constantBytes(const llvm::Module &module) {
  uint64_t bytes = 0;
  for (const llvm::GlobalVariable &variable : module.globals())
    if (variable.hasPrivateLinkage())
      bytes += module.getDataLayout().getTypeAllocSize(variable.getValueType());
  return bytes;
}

bool callsMuchOfRuntime(const llvm::Module &module) {
  return llvm::count_if(module.functions(), [](const llvm::Function &function) {
           return function.isDeclaration() && function.getName().starts_with(runtime::kSymbolPrefix);
         }) > kFewFunctions;
}

/// Parts in the order in which they are begun, what takes longest first: from the highest level down. All else, the
/// last part, takes least without the runtime.
std::vector<size_t> startOrder(const llvm::Module &module, size_t count) {
  std::vector<size_t> order;
  for (size_t k = count - 1; k > 0; --k)
    order.push_back(k - 1);
  order.insert(callsMuchOfRuntime(module) ? order.begin() : order.end(), count - 1);
  return order;
}

/// A module's parts on their way to assembly.
struct Parts {
  const std::vector<codegen::LevelPart> &parts;
  const CompileOptions &options;
  const llvm::TargetMachine &machine;
  llvm::SmallString<0> bitcode;
  bool isLarge;

  /// Empty where LLVM refuses the part.
  std::string assembly(size_t k) const {
    const bool isLast = k + 1 == parts.size();
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::TargetMachine> own = codegen::copyMachine(machine);
    own->Options.MCOptions.AsmVerbose = false;
    const std::unique_ptr<llvm::Module> module = codegen::readPart(bitcode, parts, k, context);
    Diagnostics diagnostics; // whoever compiles the whole module reports them
    if (!module)
      return {};
    codegen::optimize(*module, *own, options.target.optLevel, isLarge);
    if (!(isLast ? codegen::linkRuntime(*module, {}, diagnostics) : codegen::linkShort(*module, diagnostics)))
      return {};
    codegen::closePart(*module, parts[k]);
    codegen::addUnwindTables(*module);
    codegen::setProducer(*module, isLast ? options.producer : "");
    return codegen::partText(codegen::emit(*module, *own, codegen::OutputKind::Assembly), parts, k);
  }
};

/// The object of the parts' texts, which are added in their order, whatever the order in which they come to be.
class Texts {
public:
  Texts(const std::vector<codegen::LevelPart> &parts, const llvm::TargetMachine &machine)
      : parts_(parts), texts_(parts.size()), machine_(codegen::copyMachine(machine)), assembler_(*machine_) {}

  void put(size_t k, std::string text) {
    const std::lock_guard lock(mutex_);
    failed_ = failed_ || text.empty();
    texts_[k] = std::move(text);
  }

  /// Assembles what can be by now, unless another thread does.
  void assemble() {
    const std::unique_lock lock(assembling_, std::try_to_lock);
    while (lock.owns_lock() && hasNext()) {
      failed_ = !assembler_.add({texts_[next_], parts_[next_].level});
      ++next_;
    }
  }

  /// Empty where a part could not be compiled. All have been put.
  std::string finish() {
    assemble();
    return failed_ ? std::string() : assembler_.finish();
  }

private:
  bool hasNext() {
    const std::lock_guard lock(mutex_);
    return !failed_ && next_ < texts_.size() && !texts_[next_].empty();
  }

  const std::vector<codegen::LevelPart> &parts_;
  std::mutex mutex_;               ///< of the texts
  std::vector<std::string> texts_; ///< empty as long as it is not there
  std::atomic<bool> failed_ = false;
  std::mutex assembling_; ///< of what follows
  size_t next_ = 0;
  std::unique_ptr<llvm::TargetMachine> machine_; ///< asking it for a level changes it
  codegen::Assembler assembler_;
};

} // namespace

bool isParted(const llvm::Module &module, const std::vector<codegen::LevelPart> &parts, const CompileOptions &options) {
  return options.threads > 1 && parts.size() > 1 && options.target.optLevel > 1 && !options.debugInfo &&
         !options.timePasses && !options.sanitizers.any() && module.getTargetTriple().isOSBinFormatELF() &&
         constantBytes(module) <= kMostConstantBytes && codegen::canPart(module, parts);
}

std::string emitParts(const llvm::Module &module, const std::vector<codegen::LevelPart> &parts,
                      const CompileOptions &options, const llvm::TargetMachine &machine) {
  Parts all{parts, options, machine, {}, codegen::isLarge(module)};
  llvm::raw_svector_ostream stream(all.bitcode);
  llvm::WriteBitcodeToFile(module, stream, /*ShouldPreserveUseListOrder=*/true);
  Texts texts(parts, machine);
  const std::vector<size_t> order = startOrder(module, parts.size());
  std::atomic<size_t> next = 0;
  onThreads(std::min(order.size(), static_cast<size_t>(options.threads)), [&] {
    for (size_t position; (position = next++) < order.size();)
      texts.put(order[position], all.assembly(order[position]));
    texts.assemble();
  });
  return texts.finish();
}

} // namespace spc::pipeline
