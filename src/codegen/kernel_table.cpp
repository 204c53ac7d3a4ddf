#include "codegen/library.h"
#include "codegen/object.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Target/TargetMachine.h"

namespace spc::codegen {
namespace {

constexpr size_t kOsAbi = llvm::ELF::EI_OSABI;
constexpr size_t kFlags32 = 36, kFlags64 = 48; // where e_flags are
constexpr size_t kFlagsSize = 4;

llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> openObject(std::string_view bytes) {
  return llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(bytes.data(), bytes.size()), "object"));
}

/// Windows is the one system of COFF; nothing else of the table depends on the system.
std::string tripleOf(const llvm::object::ObjectFile &object) {
  llvm::Triple triple = object.makeTriple();
  if (object.isCOFF())
    triple = llvm::Triple(triple.getArchName(), "pc", "windows", "gnu");
  return triple.str();
}

/// Linkers compare how objects say that floats are passed and the like; the table has nothing of that, and says the
/// same.
void copyElfFlags(const std::string &from, bool is64, std::string &to) {
  const size_t flags = is64 ? kFlags64 : kFlags32;
  if (from.size() < flags + kFlagsSize || to.size() < flags + kFlagsSize)
    return;
  to[kOsAbi] = from[kOsAbi];
  to.replace(flags, kFlagsSize, from, flags, kFlagsSize);
}

class TableWriter {
public:
  explicit TableWriter(llvm::Module &module)
      : module_(module), pointer_(llvm::PointerType::get(module.getContext(), 0)),
        null_(llvm::ConstantPointerNull::get(pointer_)),
        entry_(
            llvm::StructType::get(module.getContext(), {pointer_, pointer_, pointer_, pointer_, pointer_, pointer_})) {}

  void write(const std::vector<LibraryMember> &members, const LibraryTable &table) {
    std::vector<llvm::Constant *> entries;
    for (const LibraryMember &member : members) {
      if (table.isShared)
        for (const Forward &forward : member.exports.functions)
          write(forward);
      entries.push_back(entry(member, table.isShared));
    }
    entries.push_back(llvm::Constant::getNullValue(entry_));
    auto *type = llvm::ArrayType::get(entry_, entries.size());
    llvm::GlobalVariable *made = define(llvm::ConstantArray::get(type, entries), table.symbol);
    if (table.isShared)
      llvm::GlobalAlias::create(type, 0, llvm::GlobalValue::ExternalLinkage, "spc_kernels", made, &module_);
    else
      made->setVisibility(llvm::GlobalValue::HiddenVisibility);
    // Libraries of one name and of the same hidden kernels have the same table, of which linkers take one.
    if (!table.isShared && !module_.getTargetTriple().isOSBinFormatCOFF())
      made->setLinkage(llvm::GlobalValue::WeakODRLinkage);
  }

private:
  llvm::GlobalVariable *define(llvm::Constant *value, const std::string &symbol) {
    return new llvm::GlobalVariable(module_, value->getType(), /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                                    value, symbol);
  }

  llvm::Constant *entry(const LibraryMember &member, bool isShared) {
    llvm::LLVMContext &context = module_.getContext();
    llvm::Constant *text = llvm::ConstantDataArray::getString(context, member.kernel);
    auto *name = new llvm::GlobalVariable(module_, text->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, text, "name." + member.kernel);
    llvm::GlobalVariable *data =
        isShared && !member.exports.data.empty()
            ? define(llvm::ConstantDataArray::getString(context, member.exports.data), member.exports.dataSymbol)
            : new llvm::GlobalVariable(module_, llvm::Type::getInt8Ty(context), /*isConstant=*/true,
                                       llvm::GlobalValue::ExternalLinkage, nullptr, member.dataSymbol);
    std::vector<llvm::Constant *> fields = {name, data};
    for (const std::string &symbol : member.argvSymbols) {
      const bool hasStatus = &symbol != std::end(member.argvSymbols) - 1;
      fields.push_back(
          symbol.empty() ? null_ : declare(isShared ? seen(symbol, member) : symbol, hasStatus, {pointer_, pointer_}));
    }
    return llvm::ConstantStruct::get(entry_, fields);
  }

  /// What a shared library exports for a function of an object.
  static std::string seen(const std::string &symbol, const LibraryMember &member) {
    for (const Forward &forward : member.exports.functions)
      if (forward.hidden == symbol)
        return forward.symbol;
    return symbol;
  }

  llvm::Function *declare(const std::string &symbol, bool hasStatus, const std::vector<llvm::Type *> &arguments) {
    if (llvm::Function *known = module_.getFunction(symbol))
      return known;
    llvm::LLVMContext &context = module_.getContext();
    auto *type = llvm::FunctionType::get(hasStatus ? llvm::Type::getInt32Ty(context) : llvm::Type::getVoidTy(context),
                                         arguments, false);
    llvm::Function *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, symbol, module_);
    if (hasStatus)
      function->addRetAttr(llvm::Attribute::SExt);
    function->setDoesNotThrow();
    if (const llvm::Triple &triple = module_.getTargetTriple(); !triple.isARM() && !triple.isThumb())
      function->setUWTableKind(llvm::UWTableKind::Async); // which asks for libgcc there
    return function;
  }

  /// A function that jumps to another one.
  void write(const Forward &forward) {
    std::vector<llvm::Type *> types = {pointer_};
    for (const std::string &number : forward.numbers)
      types.push_back(typeOf(number));
    llvm::Function *hidden = declare(forward.hidden, forward.hasStatus, types);
    llvm::Function *seen = declare(forward.symbol, forward.hasStatus, types);
    llvm::IRBuilder<> build(llvm::BasicBlock::Create(module_.getContext(), "", seen));
    llvm::SmallVector<llvm::Value *> arguments;
    for (llvm::Argument &argument : seen->args())
      arguments.push_back(&argument);
    llvm::CallInst *call = build.CreateCall(hidden, arguments);
    call->setTailCall();
    if (forward.hasStatus)
      call->addRetAttr(llvm::Attribute::SExt);
    if (forward.hasStatus)
      build.CreateRet(call);
    else
      build.CreateRetVoid();
  }

  /// As objects take a number; the bits of a half float.
  llvm::Type *typeOf(const std::string &number) {
    llvm::LLVMContext &context = module_.getContext();
    if (number.empty())
      return pointer_;
    if (number == "f64")
      return llvm::Type::getDoubleTy(context);
    if (number == "f32")
      return llvm::Type::getFloatTy(context);
    const size_t digits = number.find_first_of("0123456789");
    return llvm::Type::getIntNTy(
        context, digits == std::string::npos ? 8 : static_cast<unsigned>(std::atoi(number.c_str() + digits)));
  }

  llvm::Module &module_;
  llvm::PointerType *pointer_;
  llvm::Constant *null_;
  llvm::StructType *entry_;
};

} // namespace

std::optional<std::string> linkTarget(std::string_view object, std::string &error) {
  if (object.starts_with("!<arch>\n")) {
    error = "it is an archive";
    return std::nullopt;
  }
  auto file = openObject(object);
  if (!file) {
    error = llvm::toString(file.takeError());
    return std::nullopt;
  }
  if (!(*file)->isRelocatableObject()) {
    error = "it is linked already";
    return std::nullopt;
  }
  std::string target = (*file)->getFileFormatName().str();
  const llvm::Triple::ArchType architecture = (*file)->getArch();
  if (const auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(file->get());
      elf && (architecture == llvm::Triple::riscv32 || architecture == llvm::Triple::riscv64))
    switch (elf->getPlatformFlags() & llvm::ELF::EF_RISCV_FLOAT_ABI) {
    case llvm::ELF::EF_RISCV_FLOAT_ABI_SOFT:
      return target + ", floats in integer registers";
    case llvm::ELF::EF_RISCV_FLOAT_ABI_SINGLE:
      return target + ", floats of 32 bits in registers";
    }
  return target;
}

bool isElf(std::string_view linkTarget) {
  return linkTarget.starts_with("elf");
}

std::string kernelTable(const std::vector<LibraryMember> &members, const LibraryTable &table,
                        Diagnostics &diagnostics) {
  const std::string &first = members.front().object;
  auto object = openObject(first);
  if (!object) { // linkTarget() has opened it before
    llvm::consumeError(object.takeError());
    return "";
  }
  const std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine({tripleOf(**object), "", 2}, diagnostics);
  if (!machine)
    return "";
  llvm::LLVMContext context;
  llvm::Module module("spc_kernels", context);
  setTarget(module, *machine);
  TableWriter(module).write(members, table);
  std::string bytes = emit(module, *machine, OutputKind::Object);
  if ((*object)->isELF())
    copyElfFlags(first, (*object)->is64Bit(), bytes);
  return bytes;
}

} // namespace spc::codegen
