#include "transforms/util/accumulations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;

namespace {

/// A sum on its way from where it starts through the operations that add to it.
class Sum {
public:
  Sum(mlir::Value start, bool allMayReassociate) : allMayReassociate_(allMayReassociate) { starts_.insert(start); }

  /// Whether `value` is the start with something added.
  bool leadsTo(mlir::Value value);

  /// Whether nothing but `end` and the additions uses the sum's values: no addend depends on them.
  bool isUsedBy(mlir::Operation *end) const;

private:
  bool mayReassociate(arith::FastMathFlags flags) const {
    return allMayReassociate_ || arith::bitEnumContainsAll(flags, arith::FastMathFlags::reassoc);
  }
  bool isAdded(mlir::Value sum, mlir::Value addend) { return leadsTo(sum) && !leadsTo(addend); }
  bool adds(mlir::Operation *op);
  bool passes(scf::ForOp loop);
  bool passes(scf::IfOp branch);

  bool allMayReassociate_;
  llvm::SmallPtrSet<mlir::Value, 4> starts_;
  llvm::SmallDenseMap<mlir::Value, bool> known_;
  llvm::SmallPtrSet<mlir::Operation *, 8> steps_;
};

bool Sum::passes(scf::ForOp loop) {
  if (loop.getNumResults() != 1 || !leadsTo(loop.getInitArgs()[0]))
    return false;
  starts_.insert(loop.getRegionIterArg(0));
  auto yield = mlir::cast<scf::YieldOp>(loop.getBody()->getTerminator());
  steps_.insert(yield);
  return leadsTo(yield.getOperand(0));
}

bool Sum::passes(scf::IfOp branch) {
  return branch.getNumResults() == 1 && llvm::all_of(branch->getRegions(), [&](mlir::Region &region) {
           auto yield = mlir::cast<scf::YieldOp>(region.front().getTerminator());
           steps_.insert(yield);
           return leadsTo(yield.getOperand(0));
         });
}

bool Sum::adds(mlir::Operation *op) {
  if (auto add = mlir::dyn_cast<arith::AddFOp>(op))
    return mayReassociate(add.getFastmath()) &&
           (isAdded(add.getLhs(), add.getRhs()) || isAdded(add.getRhs(), add.getLhs()));
  if (auto add = mlir::dyn_cast<arith::AddIOp>(op))
    return isAdded(add.getLhs(), add.getRhs()) || isAdded(add.getRhs(), add.getLhs());
  if (auto choice = mlir::dyn_cast<arith::SelectOp>(op))
    return leadsTo(choice.getTrueValue()) && leadsTo(choice.getFalseValue());
  if (auto loop = mlir::dyn_cast<scf::ForOp>(op))
    return passes(loop);
  auto branch = mlir::dyn_cast<scf::IfOp>(op);
  return branch && passes(branch);
}

bool Sum::leadsTo(mlir::Value value) {
  if (starts_.contains(value))
    return true;
  mlir::Operation *op = value.getDefiningOp();
  if (auto known = known_.find(value); known != known_.end() || !op)
    return op && known->second;
  const bool leads = adds(op);
  known_[value] = leads;
  if (leads)
    steps_.insert(op);
  return leads;
}

bool Sum::isUsedBy(mlir::Operation *end) const {
  const auto isStep = [&](mlir::Operation *user) { return user == end || steps_.contains(user); };
  const auto isInside = [&](mlir::Value value) { return llvm::all_of(value.getUsers(), isStep); };
  return llvm::all_of(starts_, isInside) &&
         llvm::all_of(known_, [&](const auto &known) { return !known.second || isInside(known.first); });
}

bool hasPlainNumbers(mlir::Type type) {
  return type.isF32() || type.isF64() || type.isInteger();
}

/// Stores `load`'s element with something added, and nothing else looks at it.
bool addsTo(memref::StoreOp store, memref::LoadOp load, bool allMayReassociate) {
  if (load.getMemRef() != store.getMemRef() || load.getIndices() != store.getIndices())
    return false;
  Sum sum(load, allMayReassociate);
  return sum.leadsTo(store.getValueToStore()) && sum.isUsedBy(store);
}

} // namespace

bool onlyAddsTo(mlir::Operation *loop, mlir::Value buffer, bool allMayReassociate) {
  if (!hasPlainNumbers(mlir::cast<mlir::MemRefType>(buffer.getType()).getElementType()))
    return false;
  llvm::SmallVector<memref::LoadOp> loads;
  llvm::SmallVector<memref::StoreOp> stores;
  for (mlir::Operation *user : buffer.getUsers()) {
    if (!loop->isProperAncestor(user))
      continue;
    if (auto load = mlir::dyn_cast<memref::LoadOp>(user))
      loads.push_back(load);
    else if (auto store = mlir::dyn_cast<memref::StoreOp>(user))
      stores.push_back(store);
    else
      return false;
  }
  for (memref::LoadOp load : loads)
    if (llvm::none_of(stores, [&](memref::StoreOp store) { return addsTo(store, load, allMayReassociate); }))
      return false;
  return !stores.empty() && llvm::all_of(stores, [&](memref::StoreOp store) {
    return llvm::any_of(loads, [&](memref::LoadOp load) { return addsTo(store, load, allMayReassociate); });
  });
}

bool sumsUp(scf::ForOp loop, bool allMayReassociate) {
  if (loop.getNumResults() != 1 || !hasPlainNumbers(loop.getResult(0).getType()))
    return false;
  Sum sum(loop.getRegionIterArg(0), allMayReassociate);
  auto yield = mlir::cast<scf::YieldOp>(loop.getBody()->getTerminator());
  return sum.leadsTo(yield.getOperand(0)) && sum.isUsedBy(yield);
}

} // namespace spc::transforms
