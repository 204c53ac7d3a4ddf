#include "codegen/sanitize.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <map>

namespace spc::codegen {
namespace {

/// TypeCheckKind of the sanitizer's runtime.
enum : uint8_t { kLoadOf = 0, kStoreTo = 1 };

/// A load or a store, and where it goes.
struct Access {
  llvm::Instruction *instruction;
  llvm::Value *pointer;
  const llvm::Value *object; ///< what the pointer was computed from
  llvm::Type *type;
  llvm::Align alignment;
  uint8_t kind;
};

/// Inserts the checks of one module, with what the sanitizer's runtime is told of each.
class PointerChecks {
public:
  explicit PointerChecks(llvm::Module &module) : module_(module), context_(module.getContext()) {
    llvm::Type *pointer = llvm::PointerType::getUnqual(context_);
    address_ = module.getDataLayout().getIntPtrType(context_);
    auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {pointer, address_}, false);
    handler_ = module.getOrInsertFunction("__ubsan_handle_type_mismatch_v1", type);
    llvm::cast<llvm::Function>(handler_.getCallee())->setDoesNotThrow();
  }

  void add(const Access &access);

private:
  llvm::Constant *text(const std::string &characters);
  llvm::Constant *typeDescriptor(llvm::Type *type);
  llvm::Constant *location(const llvm::DebugLoc &where);
  llvm::GlobalVariable *data(const Access &access);
  llvm::Constant *byte(uint8_t value) { return llvm::ConstantInt::get(llvm::Type::getInt8Ty(context_), value); }
  llvm::GlobalVariable *global(llvm::Constant *contents, bool isConstant) {
    auto *variable = new llvm::GlobalVariable(module_, contents->getType(), isConstant,
                                              llvm::GlobalValue::PrivateLinkage, contents, "spc.check");
    // Its reader is no code of the program's.
    llvm::GlobalValue::SanitizerMetadata unwatched;
    unwatched.NoAddress = true;
    variable->setSanitizerMetadata(unwatched);
    return variable;
  }

  llvm::Module &module_;
  llvm::LLVMContext &context_;
  llvm::Type *address_;
  llvm::FunctionCallee handler_;
  std::map<std::string, llvm::Constant *> texts_;
  std::map<llvm::Type *, llvm::Constant *> types_;
};

llvm::Constant *PointerChecks::text(const std::string &characters) {
  llvm::Constant *&known = texts_[characters];
  if (!known)
    known = global(llvm::ConstantDataArray::getString(context_, characters), true);
  return known;
}

/// {kind, info, name}: of unknown kind, as no value is shown.
llvm::Constant *PointerChecks::typeDescriptor(llvm::Type *type) {
  llvm::Constant *&known = types_[type];
  if (!known) {
    std::string name;
    llvm::raw_string_ostream(name) << "'" << *type << "'";
    llvm::Type *half = llvm::Type::getInt16Ty(context_);
    known = global(llvm::ConstantStruct::getAnon({llvm::ConstantInt::get(half, 0xffff), llvm::ConstantInt::get(half, 0),
                                                  llvm::ConstantDataArray::getString(context_, name)}),
                   true);
  }
  return known;
}

/// {file, line, column}: those of the kernel where it is compiled with -g, else none, and reports name the function.
llvm::Constant *PointerChecks::location(const llvm::DebugLoc &where) {
  llvm::Type *number = llvm::Type::getInt32Ty(context_);
  llvm::Constant *file = llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context_));
  if (where)
    file = text(llvm::sys::path::filename(where->getFilename()).str());
  return llvm::ConstantStruct::getAnon({file, llvm::ConstantInt::get(number, where ? where.getLine() : 0),
                                        llvm::ConstantInt::get(number, where ? where.getCol() : 0)});
}

/// {location, type, log2 of the alignment, kind}; the sanitizer's runtime notes in it that it has reported the place.
llvm::GlobalVariable *PointerChecks::data(const Access &access) {
  return global(
      llvm::ConstantStruct::getAnon({location(access.instruction->getDebugLoc()), typeDescriptor(access.type),
                                     byte(static_cast<uint8_t>(llvm::Log2(access.alignment))), byte(access.kind)}),
      false);
}

void PointerChecks::add(const Access &access) {
  llvm::IRBuilder<> before(access.instruction);
  // An element's address is not null where the array's is, hence the array's.
  llvm::Value *isNull = before.CreateIsNull(const_cast<llvm::Value *>(access.object));
  llvm::Value *address = before.CreatePtrToInt(access.pointer, address_);
  llvm::Value *low = before.CreateAnd(address, llvm::ConstantInt::get(address_, access.alignment.value() - 1));
  llvm::Value *isWrong = before.CreateOr(isNull, before.CreateIsNotNull(low));
  llvm::Value *shown = before.CreateSelect(isNull, llvm::ConstantInt::get(address_, 0), address);
  llvm::Instruction *then = llvm::SplitBlockAndInsertIfThen(isWrong, access.instruction->getIterator(), false,
                                                            llvm::MDBuilder(context_).createUnlikelyBranchWeights());
  llvm::IRBuilder<> inside(then);
  inside.SetCurrentDebugLocation(access.instruction->getDebugLoc());
  inside.CreateCall(handler_, {data(access), shown});
}

/// The function's loads and stores of memory that is not its own or the module's.
std::vector<Access> accessesOf(llvm::Function &function) {
  std::vector<Access> accesses;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (!pointer || pointer->getType()->getPointerAddressSpace() != 0)
      continue;
    const llvm::Value *object = llvm::getUnderlyingObject(pointer);
    if (!llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(object))
      accesses.push_back({&instruction, pointer, object, llvm::getLoadStoreType(&instruction),
                          llvm::getLoadStoreAlignment(&instruction),
                          llvm::isa<llvm::LoadInst>(instruction) ? kLoadOf : kStoreTo});
  }
  return accesses;
}

} // namespace

void addPointerChecks(llvm::Module &module) {
  PointerChecks checks(module);
  for (llvm::Function &function : module.functions())
    if (!function.isDeclaration())
      for (const Access &access : accessesOf(function))
        checks.add(access);
}

} // namespace spc::codegen
