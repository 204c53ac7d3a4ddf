#include "codegen/half_floats.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

#include <vector>

namespace spc::codegen {
namespace {

using llvm::Value;

/// Whether the machine converts between half and float in one instruction.
bool convertsHalf(const llvm::TargetMachine &machine) {
  const llvm::Triple &triple = machine.getTargetTriple();
  const llvm::MCSubtargetInfo &features = *machine.getMCSubtargetInfo();
  if (triple.isX86())
    return features.checkFeatures("+f16c");
  if (triple.isAArch64())
    return features.checkFeatures("+fp-armv8");
  return triple.isRISCV() && features.checkFeatures("+zfhmin");
}

/// Builds conversions in front of one instruction, of scalars or vectors alike.
class Conversion {
public:
  explicit Conversion(llvm::Instruction &place) : builder_(&place) {}

  Value *extend(Value *value, llvm::Type *type, bool inHardware);
  Value *truncate(Value *value, llvm::Type *type, bool inHardware);

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

Value *Conversion::extend(Value *value, llvm::Type *type, bool inHardware) {
  Value *result = nullptr;
  if (inHardware) {
    result = builder_.CreateFPExt(value, like(value, builder_.getFloatTy()));
  } else {
    Value *raw = builder_.CreateBitCast(value, like(value, builder_.getInt16Ty()));
    Value *wide = builder_.CreateZExt(raw, like(value, builder_.getInt32Ty()));
    result = value->getType()->getScalarType()->isHalfTy() ? floatOfHalf(wide) : asFloat(builder_.CreateShl(wide, 16));
  }
  return builder_.CreateFPExt(result, type);
}

Value *Conversion::truncate(Value *value, llvm::Type *type, bool inHardware) {
  if (!value->getType()->getScalarType()->isFloatTy())
    value = roundToOdd(value);
  if (inHardware)
    return builder_.CreateFPTrunc(value, type);
  Value *raw = type->getScalarType()->isHalfTy() ? halfOfFloat(value) : brainOfFloat(value);
  return builder_.CreateBitCast(raw, type);
}

bool is16Bit(const llvm::Type *type) {
  return type->getScalarType()->isHalfTy() || type->getScalarType()->isBFloatTy();
}

/// Whether it converts between a 16-bit float and float or double.
bool isConversion(const llvm::Instruction &instruction) {
  const auto isWide = [](const llvm::Type *type) {
    return type->getScalarType()->isFloatTy() || type->getScalarType()->isDoubleTy();
  };
  if (instruction.getOpcode() == llvm::Instruction::FPExt)
    return is16Bit(instruction.getOperand(0)->getType()) && isWide(instruction.getType());
  return instruction.getOpcode() == llvm::Instruction::FPTrunc && is16Bit(instruction.getType()) &&
         isWide(instruction.getOperand(0)->getType());
}

} // namespace

void expandHalfFloats(llvm::Module &module, const llvm::TargetMachine &machine) {
  std::vector<llvm::Instruction *> conversions;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (isConversion(instruction))
        conversions.push_back(&instruction);
  if (conversions.empty())
    return;
  const bool hasHalf = convertsHalf(machine);
  for (llvm::Instruction *instruction : conversions) {
    const bool extends = instruction->getOpcode() == llvm::Instruction::FPExt;
    Value *operand = instruction->getOperand(0);
    const llvm::Type *narrow = (extends ? operand->getType() : instruction->getType())->getScalarType();
    const bool inHardware = hasHalf && narrow->isHalfTy();
    Conversion conversion(*instruction);
    instruction->replaceAllUsesWith(extends ? conversion.extend(operand, instruction->getType(), inHardware)
                                            : conversion.truncate(operand, instruction->getType(), inHardware));
    instruction->eraseFromParent();
  }
}

} // namespace spc::codegen
