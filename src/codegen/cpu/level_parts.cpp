#include "codegen/cpu/level_parts.h"

#include "runtime/contract.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <algorithm>

namespace spc::codegen {
namespace {

constexpr llvm::StringLiteral kKept = "llvm.compiler.used";
constexpr llvm::StringLiteral kLabel = ".L";     ///< how labels begin that an ELF assembler forgets
constexpr llvm::StringLiteral kConstant = "CPI"; ///< and, behind it, those of constants, which it keeps

/// Leaves a definition to another part, in the object's own code.
void declare(llvm::GlobalObject &object) {
  if (auto *function = llvm::dyn_cast<llvm::Function>(&object))
    function->deleteBody();
  else
    llvm::cast<llvm::GlobalVariable>(object).setInitializer(nullptr);
  object.setLinkage(llvm::GlobalValue::ExternalLinkage);
  object.setVisibility(llvm::GlobalValue::DefaultVisibility);
  object.setDSOLocal(true);
  object.setComdat(nullptr);
}

bool has(const LevelPart &part, const llvm::Function &function) {
  return llvm::is_contained(part.functions, function.getName());
}

void declareOtherFunctions(llvm::Module &module, const LevelPart &part) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !has(part, function))
      declare(function);
}

/// Declares variables, but those that are called by no name.
void declareVariables(llvm::Module &module) {
  for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(module.globals())) {
    variable.removeDeadConstantUsers();
    if (variable.use_empty())
      variable.eraseFromParent();
    else if (!variable.isDeclaration() && !variable.hasPrivateLinkage())
      declare(variable);
  }
}

/// Makes the functions of the runtime that bodies call be linked where these are not.
void keepRuntime(llvm::Module &module) {
  std::vector<llvm::GlobalValue *> called;
  for (llvm::Function &function : module)
    if (function.isDeclaration() && function.use_empty() && function.getName().starts_with(runtime::kSymbolPrefix))
      called.push_back(&function);
  llvm::appendToCompilerUsed(module, called);
}

/// Whether all that a body names is declared alone, or a body of the same part.
bool standsAlone(const llvm::Function &body, const LevelPart &part) {
  llvm::SmallVector<const llvm::Value *> values;
  llvm::SmallPtrSet<const llvm::Value *, 16> seen;
  for (const llvm::BasicBlock &block : body)
    for (const llvm::Instruction &instruction : block)
      values.append(instruction.value_op_begin(), instruction.value_op_end());
  while (!values.empty()) {
    const llvm::Value *value = values.pop_back_val();
    const auto *constant = llvm::dyn_cast<llvm::Constant>(value);
    if (!constant || !seen.insert(constant).second)
      continue;
    const auto *global = llvm::dyn_cast<llvm::GlobalValue>(constant);
    if (!global)
      values.append(constant->value_op_begin(), constant->value_op_end());
    else if (const auto *function = llvm::dyn_cast<llvm::Function>(global);
             !global->isDeclaration() && !(function && has(part, *function)))
      return false;
  }
  return true;
}

/// The labels of a part, as those of one text: the last part keeps its own. Symbol tables hold those of constants,
/// which count the functions before.
class Labels {
public:
  Labels(const std::vector<LevelPart> &parts, size_t k) : own_(kLabel) {
    if (k + 1 < parts.size())
      own_ += std::to_string(k) + ".";
    for (const LevelPart &part : llvm::ArrayRef(parts).take_front(k))
      functionsBefore_ += part.functions.size();
  }

  void append(llvm::StringRef line, std::string &text) const {
    for (size_t at; (at = line.find(kLabel)) != llvm::StringRef::npos;) {
      const bool begins = at == 0 || !(llvm::isAlnum(line[at - 1]) || llvm::StringRef("._$\"").contains(line[at - 1]));
      text += line.take_front(at);
      line = line.drop_front(at + kLabel.size());
      size_t function = 0;
      if (!begins)
        text += kLabel;
      else if (llvm::StringRef constant = line;
               constant.consume_front(kConstant) && !constant.consumeInteger(10, function)) {
        text += (kLabel + kConstant).str() + std::to_string(functionsBefore_ + function);
        line = constant;
      } else
        text += own_;
    }
    text += line;
  }

private:
  std::string own_;
  size_t functionsBefore_ = 0;
};

} // namespace

bool canPart(const llvm::Module &module, const std::vector<LevelPart> &parts) {
  return llvm::all_of(parts, [&](const LevelPart &part) {
    return llvm::all_of(part.functions, [&](const std::string &name) {
      const llvm::Function *body = module.getFunction(name);
      return body && !body->isDeclaration() && standsAlone(*body, part);
    });
  });
}

std::unique_ptr<llvm::Module> readPart(llvm::StringRef bitcode, const std::vector<LevelPart> &parts, size_t k,
                                       llvm::LLVMContext &context) {
  auto read = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bitcode, ""), context);
  if (!read) {
    llvm::consumeError(read.takeError());
    return nullptr;
  }
  llvm::Module &module = **read;
  const LevelPart &own = parts[k];
  if (!own.functions.empty())
    declareOtherFunctions(module, own);
  else
    for (const LevelPart &part : parts)
      for (const std::string &name : part.functions)
        declare(*module.getFunction(name));
  if (llvm::Error error = module.materializeAll()) {
    llvm::consumeError(std::move(error));
    return nullptr;
  }
  if (own.functions.empty()) {
    keepRuntime(module);
    return std::move(*read);
  }
  declareVariables(module);
  // Nobody calls them here, and passes change the arguments of what no other module can call.
  for (const std::string &name : own.functions)
    module.getFunction(name)->setLinkage(llvm::GlobalValue::ExternalLinkage);
  return std::move(*read);
}

void closePart(llvm::Module &module, const LevelPart &part) {
  if (part.functions.empty()) {
    if (llvm::GlobalVariable *kept = module.getNamedGlobal(kKept))
      kept->eraseFromParent();
    return;
  }
  declareOtherFunctions(module, part);
  declareVariables(module);
  for (const std::string &name : part.functions)
    module.getFunction(name)->setLinkage(llvm::GlobalValue::InternalLinkage);
}

std::string partText(const std::string &assembly, const std::vector<LevelPart> &parts, size_t k) {
  const bool isFirst = k == 0, isLast = k + 1 == parts.size();
  const Labels labels(parts, k);
  std::string text;
  text.reserve(assembly.size() + assembly.size() / 8);
  for (llvm::StringRef rest = assembly; !rest.empty();) {
    auto [line, after] = rest.split('\n');
    rest = after;
    const llvm::StringRef said = line.trim();
    if ((!isFirst && said.starts_with(".file")) || (!isLast && said.contains(".note.GNU-stack")))
      continue;
    if (said.starts_with(".asci") || said.starts_with(".ident"))
      text += line; // strings
    else
      labels.append(line, text);
    text += '\n';
  }
  return text;
}

} // namespace spc::codegen
