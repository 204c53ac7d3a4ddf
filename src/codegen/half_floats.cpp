#include "codegen/half_floats.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <vector>

namespace spc::codegen {
namespace {

using llvm::Value;

/// Whether what a function is compiled for converts between half and float in one instruction.
bool convertsHalf(const llvm::TargetMachine &machine, const llvm::Function &function) {
  const llvm::Triple &triple = machine.getTargetTriple();
  const llvm::MCSubtargetInfo &features = *machine.getSubtargetImpl(function);
  if (triple.isX86())
    return features.checkFeatures("+f16c");
  if (triple.isAArch64())
    return features.checkFeatures("+fp-armv8");
  return triple.isRISCV() && features.checkFeatures("+zfhmin");
}

const llvm::Type *elementOf(const Value *value) {
  return value->getType()->getScalarType();
}

/// Builds conversions in front of one instruction, of scalars or vectors alike.
class Conversion {
public:
  explicit Conversion(llvm::Instruction &place) : builder_(&place) {}

  /// The float or double `type` of the bits of a half or a bfloat.
  Value *extend(Value *raw, bool isHalf, llvm::Type *type);
  /// The bits of the half or bfloat nearest to a float or double.
  Value *truncate(Value *value, bool isHalf);
  /// A float that rounds to the same 16-bit float as `value` does, which is a float or a double.
  Value *asNearFloat(Value *value) { return elementOf(value)->isFloatTy() ? value : roundToOdd(value); }

private:
  llvm::Type *like(Value *value, llvm::Type *element) { return value->getType()->getWithNewType(element); }
  Value *bits(Value *value, uint64_t number) { return llvm::ConstantInt::get(value->getType(), number); }
  Value *asFloat(Value *value) { return builder_.CreateBitCast(value, like(value, builder_.getFloatTy())); }
  Value *asBits(Value *value) { return builder_.CreateBitCast(value, like(value, builder_.getInt32Ty())); }
  Value *mask(Value *value, uint64_t number) { return builder_.CreateAnd(value, bits(value, number)); }
  Value *plus(Value *value, uint64_t number) { return builder_.CreateAdd(value, bits(value, number)); }
  Value *narrow(Value *value) { return builder_.CreateTrunc(value, like(value, builder_.getInt16Ty())); }

  Value *floatOfHalf(Value *wide);
  Value *halfOfFloat(Value *value);
  Value *brainOfFloat(Value *value);
  Value *roundToOdd(Value *value);

  llvm::IRBuilder<> builder_;
};

/// The float of a half's 16 bits, zero-extended.
Value *Conversion::floatOfHalf(Value *wide) {
  constexpr uint64_t rebias = uint64_t{127 - 15} << 23;
  Value *sign = builder_.CreateShl(mask(wide, 0x8000), 16);
  Value *magnitude = builder_.CreateShl(mask(wide, 0x7fff), 13);
  Value *exponent = mask(magnitude, uint64_t{0x1f} << 23);
  Value *normal = plus(magnitude, rebias);
  Value *special = plus(magnitude, 2 * rebias);
  // A subnormal is what its bits add to the least normal number.
  Value *least = asFloat(bits(wide, rebias + (uint64_t{1} << 23)));
  Value *subnormal = asBits(builder_.CreateFSub(asFloat(plus(magnitude, rebias + (uint64_t{1} << 23))), least));
  Value *isSpecial = builder_.CreateICmpEQ(exponent, bits(exponent, uint64_t{0x1f} << 23));
  Value *isSubnormal = builder_.CreateICmpEQ(exponent, bits(exponent, 0));
  Value *result = builder_.CreateSelect(isSpecial, special, builder_.CreateSelect(isSubnormal, subnormal, normal));
  return asFloat(builder_.CreateOr(result, sign));
}

/// The bits of the half nearest to a float.
Value *Conversion::halfOfFloat(Value *value) {
  Value *all = asBits(value);
  Value *magnitude = mask(all, 0x7fffffff);
  Value *sign = mask(builder_.CreateLShr(all, 16), 0x8000);
  Value *odd = mask(builder_.CreateLShr(magnitude, 13), 1);
  Value *rounded = builder_.CreateAdd(plus(magnitude, 0xfff), odd);
  Value *normal = builder_.CreateSub(builder_.CreateLShr(rounded, 13), bits(all, uint64_t{127 - 15} << 10));
  // Below the least normal half, adding 1/2 leaves the bits that a subnormal keeps, rounded by the addition.
  Value *half = llvm::ConstantFP::get(value->getType(), 0.5);
  Value *subnormal = builder_.CreateSub(asBits(builder_.CreateFAdd(asFloat(magnitude), half)), asBits(half));
  Value *nan = builder_.CreateOr(mask(builder_.CreateLShr(magnitude, 13), 0x3ff), bits(all, 0x7e00));
  const auto atLeast = [&](uint64_t bound) { return builder_.CreateICmpUGE(magnitude, bits(all, bound)); };
  Value *result = builder_.CreateSelect(atLeast(0x38800000), normal, subnormal);
  result = builder_.CreateSelect(atLeast(0x477ff000), bits(all, 0x7c00), result);
  result = builder_.CreateSelect(atLeast(0x7f800001), nan, result);
  return narrow(builder_.CreateOr(result, sign));
}

/// The bits of the bfloat nearest to a float.
Value *Conversion::brainOfFloat(Value *value) {
  Value *all = asBits(value);
  Value *odd = mask(builder_.CreateLShr(all, 16), 1);
  Value *rounded = builder_.CreateLShr(builder_.CreateAdd(plus(all, 0x7fff), odd), 16);
  Value *nan = builder_.CreateOr(builder_.CreateLShr(all, 16), bits(all, 0x40));
  Value *isNan = builder_.CreateICmpUGE(mask(all, 0x7fffffff), bits(all, 0x7f800001));
  return narrow(builder_.CreateSelect(isNan, nan, rounded));
}

/// A double as a float that is odd where it is inexact, so that rounding it again rounds the double.
Value *Conversion::roundToOdd(Value *value) {
  Value *nearest = builder_.CreateFPTrunc(value, like(value, builder_.getFloatTy()));
  Value *back = builder_.CreateFPExt(nearest, value->getType());
  Value *isInexact = builder_.CreateFCmpONE(back, value);
  const auto absolute = [&](Value *number) { return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, number); };
  Value *isAbove = builder_.CreateFCmpOGT(absolute(back), absolute(value));
  Value *all = asBits(nearest);
  Value *towardsZero = builder_.CreateSub(all, builder_.CreateZExt(isAbove, all->getType()));
  return asFloat(builder_.CreateSelect(isInexact, builder_.CreateOr(towardsZero, bits(all, 1)), all));
}

Value *Conversion::extend(Value *raw, bool isHalf, llvm::Type *type) {
  Value *wide = builder_.CreateZExt(raw, like(raw, builder_.getInt32Ty()));
  return builder_.CreateFPExt(isHalf ? floatOfHalf(wide) : asFloat(builder_.CreateShl(wide, 16)), type);
}

Value *Conversion::truncate(Value *value, bool isHalf) {
  Value *narrowed = asNearFloat(value);
  return isHalf ? halfOfFloat(narrowed) : brainOfFloat(narrowed);
}

bool is16Bit(const llvm::Type *type) {
  return type->getScalarType()->isHalfTy() || type->getScalarType()->isBFloatTy();
}

bool isWide(const llvm::Type *type) {
  return type->getScalarType()->isFloatTy() || type->getScalarType()->isDoubleTy();
}

/// Rewrites one function so that values of a 16-bit float type are their bits wherever they are loaded, stored, chosen
/// and converted: code generators may convert a value even to keep it in a register.
class HalvesAsBits {
public:
  HalvesAsBits(llvm::Function &function, bool hasHalf) : function_(function), hasHalf_(hasHalf) {}
  void run();

private:
  bool isExpanded(const llvm::Type *type) const {
    return is16Bit(type) && !(hasHalf_ && type->getScalarType()->isHalfTy());
  }
  void rewrite(llvm::Instruction &instruction);
  Value *bitsOf(Value *value);
  Value *bitsOfInstruction(llvm::Instruction &instruction);
  void dropReplaced();

  llvm::Function &function_;
  bool hasHalf_;
  llvm::DenseMap<Value *, Value *> bits_;                     ///< of values that stay as they are, too
  std::vector<std::pair<llvm::Instruction *, Value *>> made_; ///< 16-bit floats that are to go, and their bits
  std::vector<std::pair<llvm::PHINode *, llvm::PHINode *>> phis_;
  std::vector<llvm::Instruction *> dead_;
};

llvm::Type *bitsType(const llvm::Type *type) {
  return type->getWithNewType(llvm::Type::getInt16Ty(type->getContext()));
}

/// The bits of an instruction's result without the instruction itself; nullptr for one that has to stay.
Value *HalvesAsBits::bitsOfInstruction(llvm::Instruction &instruction) {
  llvm::IRBuilder<> builder(&instruction);
  llvm::Type *type = bitsType(instruction.getType());
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    llvm::LoadInst *bits = builder.CreateAlignedLoad(type, load->getPointerOperand(), load->getAlign());
    bits->copyMetadata(*load);
    return bits;
  }
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    llvm::PHINode *bits = builder.CreatePHI(type, phi->getNumIncomingValues());
    phis_.emplace_back(phi, bits);
    return bits;
  }
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    Value *yes = bitsOf(select->getTrueValue()), *no = bitsOf(select->getFalseValue());
    return builder.CreateSelect(select->getCondition(), yes, no);
  }
  if (auto *cast = llvm::dyn_cast<llvm::BitCastInst>(&instruction))
    return cast->getSrcTy() == type ? cast->getOperand(0) : nullptr;
  if (auto *cast = llvm::dyn_cast<llvm::FPTruncInst>(&instruction))
    return isWide(cast->getSrcTy()) ? Conversion(*cast).truncate(cast->getOperand(0), elementOf(cast)->isHalfTy())
                                    : nullptr;
  return nullptr;
}

Value *HalvesAsBits::bitsOf(Value *value) {
  if (Value *known = bits_.lookup(value))
    return known;
  Value *bits = nullptr;
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction)
    bits = bitsOfInstruction(*instruction);
  if (bits) {
    made_.emplace_back(instruction, bits);
  } else {
    llvm::BasicBlock &first = function_.getEntryBlock();
    llvm::IRBuilder<> builder(&first, first.getFirstInsertionPt());
    if (instruction)
      builder.SetInsertPoint(instruction->getParent(), *instruction->getInsertionPointAfterDef());
    bits = builder.CreateBitCast(value, bitsType(value->getType()));
  }
  bits_[value] = bits;
  return bits;
}

void HalvesAsBits::rewrite(llvm::Instruction &instruction) {
  if (isExpanded(instruction.getType())) {
    bitsOf(&instruction);
  } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    if (!isExpanded(store->getValueOperand()->getType()))
      return;
    llvm::IRBuilder<> builder(store);
    Value *bits = bitsOf(store->getValueOperand());
    builder.CreateAlignedStore(bits, store->getPointerOperand(), store->getAlign())->copyMetadata(*store);
    dead_.push_back(store);
  } else if (auto *cast = llvm::dyn_cast<llvm::FPExtInst>(&instruction)) {
    if (!isExpanded(cast->getSrcTy()) || !isWide(cast->getDestTy()))
      return;
    Value *bits = bitsOf(cast->getOperand(0));
    cast->replaceAllUsesWith(
        Conversion(*cast).extend(bits, cast->getSrcTy()->getScalarType()->isHalfTy(), cast->getDestTy()));
    dead_.push_back(cast);
  } else if (auto *truncation = llvm::dyn_cast<llvm::FPTruncInst>(&instruction)) {
    // Hardware that converts floats may have to call a library for doubles.
    if (is16Bit(truncation->getDestTy()) && isWide(truncation->getSrcTy()))
      truncation->setOperand(0, Conversion(*truncation).asNearFloat(truncation->getOperand(0)));
  }
}

/// Removes what was replaced; whatever else used it gets it back from its bits.
void HalvesAsBits::dropReplaced() {
  std::vector<llvm::Instruction *> backs;
  for (const auto &[original, bits] : made_) {
    llvm::IRBuilder<> builder(original->getParent(), *original->getInsertionPointAfterDef());
    auto *back = llvm::CastInst::Create(llvm::Instruction::BitCast, bits, original->getType());
    builder.Insert(back);
    original->replaceAllUsesWith(back);
    backs.push_back(back);
    dead_.push_back(original);
  }
  for (llvm::Instruction *instruction : dead_)
    instruction->dropAllReferences();
  for (llvm::Instruction *instruction : dead_)
    instruction->eraseFromParent();
  for (llvm::Instruction *back : backs)
    if (back->use_empty())
      back->eraseFromParent();
}

void HalvesAsBits::run() {
  std::vector<llvm::Instruction *> before;
  for (llvm::Instruction &instruction : llvm::instructions(function_))
    before.push_back(&instruction);
  for (llvm::Instruction *instruction : before)
    rewrite(*instruction);
  for (size_t p = 0; p < phis_.size(); ++p) { // what comes in may be another phi
    const auto [phi, bits] = phis_[p];
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
      bits->addIncoming(bitsOf(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
  }
  dropReplaced();
}

bool hasHalves(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    return is16Bit(instruction.getType()) ||
           llvm::any_of(instruction.operands(), [](const llvm::Use &use) { return is16Bit(use->getType()); });
  });
}

} // namespace

void expandHalfFloats(llvm::Module &module, const llvm::TargetMachine &machine) {
  for (llvm::Function &function : module)
    if (hasHalves(function))
      HalvesAsBits(function, convertsHalf(machine, function)).run();
}

} // namespace spc::codegen
