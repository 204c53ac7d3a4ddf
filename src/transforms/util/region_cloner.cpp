#include "transforms/util/region_cloner.h"

namespace spc::transforms {

namespace scf = mlir::scf;
using mlir::Operation;
using mlir::Value;

/// `values` of the first copy, then of the second, …, then the state.
RegionCloner::Values RegionCloner::handedOn(mlir::ValueRange values, Carries carries) const {
  const llvm::ArrayRef<mlir::IRMapping> copies(copies_);
  Values all;
  for (const mlir::IRMapping &copy : carries == Carries::PerCopy ? copies : copies.take_front())
    for (Value value : values)
      all.push_back(copy.lookupOrDefault(value));
  llvm::copy_if(state_, std::back_inserter(all), [](Value value) { return bool(value); });
  return all;
}

/// Takes over what a loop or a branch has been handed for `originals`, in the same order.
void RegionCloner::receive(mlir::ValueRange originals, mlir::ValueRange values, Carries carries) {
  for (auto [number, copy] : llvm::enumerate(copies_)) {
    const size_t first = carries == Carries::PerCopy ? number * originals.size() : 0;
    copy.map(originals, values.slice(first, originals.size()));
  }
  values = values.drop_front(originals.size() * (carries == Carries::PerCopy ? copies_.size() : 1));
  for (Value &value : state_)
    if (value) {
      value = values.front();
      values = values.drop_front();
    }
}

void RegionCloner::fillBlock(mlir::Block &from, mlir::Block &to, Carries carries) {
  mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(&to);
  for (Operation &op : from.without_terminator())
    writeOperation(op);
  Operation *end = from.getTerminator();
  builder_.create(
      mlir::OperationState(end->getLoc(), end->getName(), handedOn(end->getOperands(), carries), mlir::TypeRange()));
}

scf::ForOp RegionCloner::cloneFor(scf::ForOp loop, Carries carries) {
  auto clone = scf::ForOp::create(builder_, loop.getLoc(), lookup(loop.getLowerBound()), lookup(loop.getUpperBound()),
                                  lookup(loop.getStep()), handedOn(loop.getInitArgs(), carries));
  clone->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  clone.getBody()->clear();
  for (mlir::IRMapping &copy : copies_)
    copy.map(loop.getInductionVar(), clone.getInductionVar());
  receive(loop.getRegionIterArgs(), clone.getRegionIterArgs(), carries);
  fillBlock(*loop.getBody(), *clone.getBody(), carries);
  receive(loop.getResults(), clone.getResults(), carries);
  return clone;
}

scf::WhileOp RegionCloner::cloneWhile(scf::WhileOp loop) {
  const Values inits = handedOn(loop.getInits(), Carries::Once);
  llvm::SmallVector<mlir::Type> types(loop.getResultTypes());
  llvm::append_range(types, mlir::ValueRange(inits).drop_front(loop.getInits().size()).getTypes());
  auto clone = scf::WhileOp::create(builder_, loop.getLoc(), types, inits);
  clone->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  const auto fill = [&](mlir::Block &from, mlir::Region &to, mlir::TypeRange arguments) {
    mlir::Block &block = to.emplaceBlock();
    for (mlir::Type type : arguments)
      block.addArgument(type, loop.getLoc());
    receive(from.getArguments(), block.getArguments(), Carries::Once);
    fillBlock(from, block, Carries::Once);
  };
  fill(*loop.getBeforeBody(), clone.getBefore(), mlir::ValueRange(inits).getTypes());
  fill(*loop.getAfterBody(), clone.getAfter(), types);
  receive(loop.getResults(), clone.getResults(), Carries::Once);
  return clone;
}

/// A branch that the original lacks hands the state on as it was.
scf::IfOp RegionCloner::cloneIf(scf::IfOp choice, Carries carries) {
  const Values before = state_, state = handedOn({}, Carries::Once);
  llvm::SmallVector<mlir::Type> types;
  for (size_t copy = 0; copy < (carries == Carries::PerCopy ? copies_.size() : 1); ++copy)
    llvm::append_range(types, choice.getResultTypes());
  llvm::append_range(types, mlir::ValueRange(state).getTypes());
  auto clone = scf::IfOp::create(builder_, choice.getLoc(), types, lookup(choice.getCondition()),
                                 /*addThenBlock=*/true, /*addElseBlock=*/choice.elseBlock() || !state.empty());
  fillBlock(*choice.thenBlock(), *clone.thenBlock(), carries);
  state_ = before;
  if (choice.elseBlock()) {
    fillBlock(*choice.elseBlock(), *clone.elseBlock(), carries);
  } else if (clone.elseBlock()) {
    mlir::OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(clone.elseBlock());
    scf::YieldOp::create(builder_, choice.getLoc(), state);
  }
  receive(choice.getResults(), clone.getResults(), carries);
  return clone;
}

} // namespace spc::transforms
