#include "codegen/hoist_addresses.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Local.h"

namespace spc::codegen {
namespace {

using llvm::GetElementPtrInst;
using llvm::Value;

/// Elements of a type, by which a pointer moves.
struct Offset {
  llvm::Type *element;
  Value *count;

  bool operator==(const Offset &) const = default;
};

Value *moveBy(llvm::IRBuilderBase &build, Value *pointer, llvm::ArrayRef<Offset> offsets) {
  for (const auto &[element, count] : offsets)
    pointer = build.CreateGEP(element, pointer, count);
  return pointer;
}

/// A pointer as a sum.
struct Address {
  Value *base = nullptr;
  llvm::SmallVector<Offset, 2> fixed;     ///< what the loop does not change
  llvm::SmallVector<Offset, 2> moving;    ///< what it does
  llvm::SmallVector<Offset, 2> constants; ///< added last, as processors do
};

/// Opens additions: `count` is a sum of `terms` and of the constant that is returned.
int64_t openSum(Value *count, llvm::SmallVectorImpl<Value *> &terms) {
  auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(count);
  if (const auto *number = llvm::dyn_cast<llvm::ConstantInt>(count); number && number->getBitWidth() == 64)
    return number->getSExtValue();
  const bool isSum = operation && (operation->getOpcode() == llvm::Instruction::Add ||
                                   (llvm::isa<llvm::PossiblyDisjointInst>(operation) &&
                                    llvm::cast<llvm::PossiblyDisjointInst>(operation)->isDisjoint()));
  if (!isSum) {
    terms.push_back(count);
    return 0;
  }
  const int64_t first = openSum(operation->getOperand(0), terms);
  return static_cast<int64_t>(static_cast<uint64_t>(first) +
                              static_cast<uint64_t>(openSum(operation->getOperand(1), terms)));
}

class LoopAddresses {
public:
  explicit LoopAddresses(llvm::Loop &loop) : loop_(loop) {}
  bool rewrite();

private:
  bool open(Value *pointer, Address &address) const;
  Value *fixedPart(const Address &address);

  llvm::Loop &loop_;
  /// What is computed in front of the loop: the base and the offsets, and their sum.
  struct Fixed {
    Value *base;
    llvm::SmallVector<Offset, 2> offsets;
    Value *sum;
  };
  llvm::SmallVector<Fixed> known_;
};

/// False where `pointer` is of another kind.
bool LoopAddresses::open(Value *pointer, Address &address) const {
  if (loop_.isLoopInvariant(pointer)) {
    address.base = pointer;
    return true;
  }
  auto *step = llvm::dyn_cast<GetElementPtrInst>(pointer);
  if (!step || step->getNumIndices() != 1 || !step->getType()->isPointerTy() ||
      !step->getOperand(1)->getType()->isIntegerTy(64) || !open(step->getPointerOperand(), address))
    return false;
  llvm::SmallVector<Value *> terms;
  llvm::Type *element = step->getSourceElementType();
  if (const int64_t constant = openSum(step->getOperand(1), terms); constant != 0)
    address.constants.push_back({element, llvm::ConstantInt::getSigned(step->getOperand(1)->getType(), constant)});
  for (Value *term : terms)
    (loop_.isLoopInvariant(term) ? address.fixed : address.moving).push_back({element, term});
  return true;
}

Value *LoopAddresses::fixedPart(const Address &address) {
  for (const auto &[base, offsets, sum] : known_)
    if (base == address.base && offsets == address.fixed)
      return sum;
  llvm::IRBuilder<> build(loop_.getLoopPreheader()->getTerminator());
  return known_.emplace_back(Fixed{address.base, address.fixed, moveBy(build, address.base, address.fixed)}).sum;
}

bool LoopAddresses::rewrite() {
  llvm::SmallVector<std::pair<llvm::Instruction *, unsigned>> accesses;
  for (llvm::BasicBlock *block : loop_.blocks())
    for (llvm::Instruction &instruction : *block)
      for (llvm::Use &use : instruction.operands())
        if (use->getType()->isPointerTy() && llvm::isa<GetElementPtrInst>(use) &&
            !llvm::isa<GetElementPtrInst>(instruction))
          accesses.emplace_back(&instruction, use.getOperandNo());
  bool changes = false;
  for (auto [instruction, operand] : accesses) {
    Value *pointer = instruction->getOperand(operand);
    Address address;
    if (loop_.isLoopInvariant(pointer) || llvm::isa<llvm::PHINode>(instruction) || !open(pointer, address) ||
        address.fixed.empty() || address.moving.empty())
      continue;
    Value *fixed = fixedPart(address);
    llvm::IRBuilder<> build(instruction);
    instruction->setOperand(operand, moveBy(build, moveBy(build, fixed, address.moving), address.constants));
    llvm::RecursivelyDeleteTriviallyDeadInstructions(pointer);
    changes = true;
  }
  return changes;
}

} // namespace

llvm::PreservedAnalyses HoistAddresses::run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  bool changes = false;
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost() && loop->getLoopPreheader())
      changes |= LoopAddresses(*loop).rewrite();
  if (!changes)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace spc::codegen
