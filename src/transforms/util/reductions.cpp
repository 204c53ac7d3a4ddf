#include "transforms/util/reductions.h"

#include "transforms/util/access.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Operation;
using mlir::OpOperand;
using mlir::Value;

std::optional<Addition> matchAddition(Operation *op, Value sum) {
  const bool isSubtraction = mlir::isa<arith::SubFOp, arith::SubIOp>(op);
  if (!isSubtraction && !mlir::isa<arith::AddFOp, arith::AddIOp>(op))
    return std::nullopt;
  const Value left = op->getOperand(0), right = op->getOperand(1);
  if ((left == sum) == (right == sum) || (isSubtraction && right == sum))
    return std::nullopt;
  return Addition{op, left == sum ? right : left, isSubtraction};
}

std::optional<Addition> matchCarriedSum(scf::ForOp loop, unsigned number) {
  llvm::SmallVector<Operation *> combiners;
  const auto carried = llvm::to_vector(loop.getRegionIterArgs());
  if (!mlir::matchReduction(carried, number, combiners) || combiners.size() != 1)
    return std::nullopt;
  return matchAddition(combiners.front(), carried[number]);
}

bool carriesSums(scf::ForOp loop) {
  return loop.getNumResults() > 0 && llvm::all_of(llvm::seq(loop.getNumResults()), [&](unsigned number) {
           return matchCarriedSum(loop, number).has_value();
         });
}

llvm::SmallVector<Value> addChains(mlir::OpBuilder &builder, scf::ForOp loop, mlir::ValueRange chains) {
  llvm::SmallVector<Value> results(chains);
  const unsigned sums = loop.getNumResults();
  // Sums are added in pairs: additions of one level do not wait for each other.
  for (size_t half = results.size() / 2; half >= std::max(sums, 1U); half /= 2)
    for (size_t sum = 0; sum < half; ++sum) {
      Operation *add = matchCarriedSum(loop, static_cast<unsigned>(sum % sums))->op;
      mlir::IRMapping map;
      map.map(add->getOperands(), mlir::ValueRange{results[sum], results[sum + half]});
      results[sum] = builder.clone(*add, map)->getResult(0);
    }
  results.resize(sums);
  return results;
}

namespace {

/// Follows a sum back from where it ends to where it starts.
class SumTrace {
public:
  /// The steps from `start` to `end`; nullopt where additions do not lead from one to the other, or something else uses
  /// the sum.
  static std::optional<SumSteps> run(Value start, OpOperand &end);

private:
  explicit SumTrace(Value start) { starts_.push_back(start); }
  bool isSum(Value value);
  bool isMade(mlir::OpResult result);
  bool isMerged(scf::WhileOp loop, unsigned number);
  bool isAdded(OpOperand &sum, OpOperand &addend);
  bool isHandedOn(llvm::ArrayRef<OpOperand *> sums);

  llvm::SmallVector<Value> starts_; ///< the start, and the arguments by which loops inside carry the sum
  llvm::SmallDenseMap<Value, bool> known_;
  llvm::SmallPtrSet<OpOperand *, 8> uses_; ///< uses of the sum by the steps
  SumSteps steps_;
};

std::optional<SumSteps> SumTrace::run(Value start, OpOperand &end) {
  SumTrace trace(start);
  if (!trace.isHandedOn(&end))
    return std::nullopt;
  const auto isUsedBySteps = [&](Value value) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) { return trace.uses_.contains(&use); });
  };
  for (Value value : trace.starts_)
    if (!isUsedBySteps(value))
      return std::nullopt;
  for (auto [value, isSum] : trace.known_)
    if (isSum && !isUsedBySteps(value))
      return std::nullopt;
  return trace.steps_;
}

bool SumTrace::isSum(Value value) {
  if (llvm::is_contained(starts_, value))
    return true;
  auto result = mlir::dyn_cast<mlir::OpResult>(value);
  if (auto known = known_.find(value); known != known_.end() || !result)
    return result && known->second;
  const bool isOne = isMade(result);
  known_[value] = isOne;
  if (isOne)
    steps_.push_back(result.getOwner());
  return isOne;
}

bool SumTrace::isMade(mlir::OpResult result) {
  Operation *op = result.getOwner();
  const unsigned number = result.getResultNumber();
  if (mlir::isa<arith::AddFOp, arith::AddIOp>(op))
    return isAdded(op->getOpOperand(0), op->getOpOperand(1)) || isAdded(op->getOpOperand(1), op->getOpOperand(0));
  if (mlir::isa<arith::SubFOp, arith::SubIOp>(op))
    return isAdded(op->getOpOperand(0), op->getOpOperand(1));
  if (mlir::isa<arith::SelectOp>(op))
    return isHandedOn({&op->getOpOperand(1), &op->getOpOperand(2)});
  if (auto branch = mlir::dyn_cast<scf::IfOp>(op))
    return isHandedOn({&branch.thenYield()->getOpOperand(number), &branch.elseYield()->getOpOperand(number)});
  if (auto merge = mlir::dyn_cast<scf::WhileOp>(op))
    return isMerged(merge, number);
  auto loop = mlir::dyn_cast<scf::ForOp>(op);
  if (!loop || !isHandedOn(&loop.getInitArgsMutable()[number]))
    return false;
  starts_.push_back(loop.getRegionIterArg(number));
  return isHandedOn(&loop.getBody()->getTerminator()->getOpOperand(number));
}

/// Whether a merge carries the sum as its value `number`, which its condition does not depend on.
bool SumTrace::isMerged(scf::WhileOp loop, unsigned number) {
  OpOperand &tested = loop.getConditionOp().getArgsMutable()[number];
  const auto carried = mlir::dyn_cast<mlir::BlockArgument>(tested.get());
  if (!carried || carried.getOwner() != loop.getBeforeBody() || carried.getArgNumber() != number ||
      !isHandedOn(&loop.getInitsMutable()[number]))
    return false;
  starts_.append({carried, loop.getAfterArguments()[number]});
  uses_.insert(&tested);
  return isHandedOn(&loop.getYieldOp()->getOpOperand(number));
}

bool SumTrace::isAdded(OpOperand &sum, OpOperand &addend) {
  return isSum(sum.get()) && !isSum(addend.get()) && isHandedOn(&sum);
}

bool SumTrace::isHandedOn(llvm::ArrayRef<OpOperand *> sums) {
  if (!llvm::all_of(sums, [&](OpOperand *use) { return isSum(use->get()); }))
    return false;
  uses_.insert(sums.begin(), sums.end());
  return true;
}

bool hasPlainNumbers(mlir::Type type) {
  return type.isF32() || type.isF64() || type.isInteger();
}

/// Whether the addends of these steps may be added in any order. Not where there are differences, or loops other than
/// merges, which have their positions, that carry more than the sum.
bool mayReassociate(const SumSteps &steps, bool allMay) {
  return llvm::all_of(steps, [&](Operation *op) {
    if (auto add = mlir::dyn_cast<arith::AddFOp>(op))
      return allMay || arith::bitEnumContainsAll(add.getFastmath(), arith::FastMathFlags::reassoc);
    return mlir::isa<scf::WhileOp, scf::IfOp>(op) ||
           (op->getNumResults() == 1 && !mlir::isa<arith::SubFOp, arith::SubIOp>(op));
  });
}

} // namespace

std::optional<SumSteps> matchMemorySum(memref::LoadOp load, memref::StoreOp store) {
  return isSameElement(*accessOf(load), *accessOf(store)) ? SumTrace::run(load, store->getOpOperand(0)) : std::nullopt;
}

bool onlySums(scf::ForOp loop, bool allMayReassociate) {
  if (loop.getNumResults() != 1 || !hasPlainNumbers(loop.getResult(0).getType()))
    return false;
  const auto steps = SumTrace::run(loop.getRegionIterArg(0), loop.getBody()->getTerminator()->getOpOperand(0));
  return steps && mayReassociate(*steps, allMayReassociate);
}

bool onlyAddsTo(Operation *loop, Value buffer, bool allMayReassociate, Operation *except) {
  if (!hasPlainNumbers(mlir::cast<mlir::MemRefType>(buffer.getType()).getElementType()))
    return false;
  llvm::SmallVector<memref::LoadOp> loads;
  llvm::SmallVector<memref::StoreOp> stores;
  for (Operation *user : buffer.getUsers()) {
    if (!loop->isProperAncestor(user) || (except && except->isAncestor(user)))
      continue;
    if (auto load = mlir::dyn_cast<memref::LoadOp>(user))
      loads.push_back(load);
    else if (auto store = mlir::dyn_cast<memref::StoreOp>(user))
      stores.push_back(store);
    else
      return false;
  }
  const auto isSum = [&](memref::LoadOp load, memref::StoreOp store) {
    const auto steps = matchMemorySum(load, store);
    return steps && mayReassociate(*steps, allMayReassociate);
  };
  return !stores.empty() && llvm::all_of(loads, [&](memref::LoadOp load) {
    return llvm::any_of(stores, [&](memref::StoreOp store) { return isSum(load, store); });
  }) && llvm::all_of(stores, [&](memref::StoreOp store) {
    return llvm::any_of(loads, [&](memref::LoadOp load) { return isSum(load, store); });
  });
}

} // namespace spc::transforms
