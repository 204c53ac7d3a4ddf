#include "codegen/hoist_addresses.h"

#include "llvm/ADT/MapVector.h"
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
};

/// A pointer as a sum.
struct Address {
  Value *base = nullptr;
  llvm::SmallVector<Offset, 2> fixed;  ///< what the loop does not change
  llvm::SmallVector<Offset, 2> moving; ///< what it does
  llvm::SmallVector<std::pair<llvm::Type *, int64_t>, 2> constants;
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
  Value *compute(llvm::IRBuilderBase &build, Value *base, llvm::ArrayRef<Offset> offsets) const;
  Value *fixedPart(const Address &address);

  llvm::Loop &loop_;
  /// What is computed in front of the loop, by what it is the sum of.
  llvm::SmallVector<std::pair<llvm::SmallVector<Value *, 4>, Value *>> known_;
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
  if (const int64_t constant = openSum(step->getOperand(1), terms); constant != 0)
    address.constants.emplace_back(step->getSourceElementType(), constant);
  for (Value *term : terms)
    (loop_.isLoopInvariant(term) ? address.fixed : address.moving).push_back({step->getSourceElementType(), term});
  return true;
}

Value *LoopAddresses::compute(llvm::IRBuilderBase &build, Value *base, llvm::ArrayRef<Offset> offsets) const {
  for (const auto &[element, count] : offsets)
    base = build.CreateGEP(element, base, count);
  return base;
}

Value *LoopAddresses::fixedPart(const Address &address) {
  llvm::SmallVector<Value *, 4> key{address.base};
  for (const Offset &offset : address.fixed)
    key.push_back(offset.count);
  for (const auto &[parts, value] : known_)
    if (parts == key)
      return value;
  llvm::IRBuilder<> build(loop_.getLoopPreheader()->getTerminator());
  return known_.emplace_back(key, compute(build, address.base, address.fixed)).second;
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
    Value *moved = compute(build, fixed, address.moving);
    for (const auto &[element, count] : address.constants)
      moved = build.CreateGEP(element, moved, build.getInt64(static_cast<uint64_t>(count)));
    instruction->setOperand(operand, moved);
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
