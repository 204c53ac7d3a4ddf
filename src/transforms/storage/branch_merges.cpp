#include "transforms/passes.h"
#include "transforms/util/walks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

#define GEN_PASS_DEF_BRANCHMERGES
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;
using Conditions = llvm::SmallVector<Value>;

/// Adds the conditions whose conjunction `value` is.
void collectConjuncts(Value value, Conditions &conditions) {
  if (auto both = value.getDefiningOp<arith::AndIOp>()) {
    collectConjuncts(both.getLhs(), conditions);
    collectConjuncts(both.getRhs(), conditions);
    return;
  }
  conditions.push_back(value);
}

/// What is known of the conditions inside of a branch.
struct Known {
  Conditions holds;
  llvm::SmallVector<Conditions> notAll; ///< at least one condition of each group does not hold

  bool mustHold(Value condition) const { return llvm::is_contained(holds, condition); }
  bool cannotHold(Value condition) const {
    return llvm::any_of(notAll, [&](const Conditions &group) {
      return llvm::is_contained(group, condition) &&
             llvm::all_of(group, [&](Value other) { return other == condition || mustHold(other); });
    });
  }
};

/// A loop that merges several operands. Its *steps* advance each operand's position: by 1 where the operand has the
/// least coordinate, else not at all.
class Merge {
public:
  explicit Merge(scf::WhileOp loop) : loop_(loop), block_(loop.getAfterBody()) {}

  void rewrite();

private:
  bool isStep(arith::SelectOp select) const;
  scf::IfOp branchOn(mlir::Block &block, mlir::Operation *last) const;
  bool writes(scf::IfOp branch) const;
  scf::IfOp withSteps(scf::IfOp branch, const Known &known);
  void useOwnCoordinates(mlir::Block &block, const Known &known) const;
  void finish(mlir::Block &block, const Known &known);
  Value stepIn(mlir::OpBuilder &builder, arith::SelectOp step, const Known &known);

  scf::WhileOp loop_;
  mlir::Block *block_;
  llvm::SmallVector<arith::SelectOp> steps_;
  Conditions conditions_;
};

/// Whether `select` is such a step: both values are known, or can be computed, before any branch.
bool Merge::isStep(arith::SelectOp select) const {
  const auto isEarly = [&](Value value) {
    return mlir::isa<mlir::BlockArgument>(value) || value.getParentBlock() != block_;
  };
  auto next = select.getTrueValue().getDefiningOp<arith::AddIOp>();
  return select->getBlock() == block_ && select->hasOneUse() && next && isEarly(select.getFalseValue()) &&
         llvm::all_of(next->getOperands(), isEarly);
}

/// The branch on the steps' conditions that stands before `last`, or null.
scf::IfOp Merge::branchOn(mlir::Block &block, mlir::Operation *last) const {
  for (mlir::Operation *op = last->getPrevNode(); op; op = op->getPrevNode()) {
    auto branch = mlir::dyn_cast<scf::IfOp>(op);
    if (!branch) {
      if (&block == block_ && mlir::isPure(op))
        continue;
      return {};
    }
    Conditions conditions;
    collectConjuncts(branch.getCondition(), conditions);
    const bool isOnSteps =
        llvm::all_of(conditions, [&](Value condition) { return llvm::is_contained(conditions_, condition); });
    return isOnSteps ? branch : scf::IfOp();
  }
  return {};
}

/// A merge whose branches write nothing may be better off with selects: nothing in it depends on branches then.
bool Merge::writes(scf::IfOp branch) const {
  return holdsForAny(branch.getOperation(),
                     [](mlir::Operation *op) { return mlir::hasEffect<mlir::MemoryEffects::Write>(op); });
}

Value Merge::stepIn(mlir::OpBuilder &builder, arith::SelectOp step, const Known &known) {
  if (known.cannotHold(step.getCondition()))
    return step.getFalseValue();
  const Value next = builder.clone(*step.getTrueValue().getDefiningOp())->getResult(0);
  if (known.mustHold(step.getCondition()))
    return next;
  return arith::SelectOp::create(builder, step.getLoc(), step.getCondition(), next, step.getFalseValue());
}

/// Replaces the least coordinate, inside of a branch, by that of an operand known to have it: no need to wait for the
/// minimum.
void Merge::useOwnCoordinates(mlir::Block &block, const Known &known) const {
  for (Value condition : known.holds) {
    auto isLeast = condition.getDefiningOp<arith::CmpIOp>();
    if (!isLeast || isLeast.getPredicate() != arith::CmpIPredicate::eq)
      continue;
    Value own = isLeast.getLhs(), least = isLeast.getRhs();
    if (!least.getDefiningOp<arith::SelectOp>())
      std::swap(own, least);
    least.replaceUsesWithIf(own, [&](mlir::OpOperand &use) { return block.findAncestorOpInBlock(*use.getOwner()); });
  }
}

/// Lets a branch's block yield the positions too.
void Merge::finish(mlir::Block &block, const Known &known) {
  useOwnCoordinates(block, known);
  mlir::Operation *yield = block.getTerminator();
  llvm::SmallVector<Value> results(yield->getOperands());
  if (scf::IfOp inner = branchOn(block, yield)) {
    const unsigned own = inner.getNumResults();
    inner = withSteps(inner, known);
    results.assign(yield->getOperands().begin(), yield->getOperands().end());
    llvm::append_range(results, inner.getResults().drop_front(own));
  } else {
    mlir::OpBuilder builder(yield);
    for (arith::SelectOp step : steps_)
      results.push_back(stepIn(builder, step, known));
  }
  yield->setOperands(results);
}

/// The same branch with the positions as its last results.
scf::IfOp Merge::withSteps(scf::IfOp branch, const Known &known) {
  mlir::OpBuilder builder(branch);
  llvm::SmallVector<mlir::Type> types(branch.getResultTypes());
  for (arith::SelectOp step : steps_)
    types.push_back(step.getType());
  auto wider = scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(), /*withElseRegion=*/true);
  wider.getThenRegion().takeBody(branch.getThenRegion());
  if (!branch.getElseRegion().empty()) {
    wider.getElseRegion().takeBody(branch.getElseRegion());
  } else {
    mlir::OpBuilder inside = mlir::OpBuilder::atBlockBegin(wider.elseBlock());
    scf::YieldOp::create(inside, branch.getLoc());
  }
  for (auto [before, after] : llvm::zip(branch.getResults(), wider.getResults()))
    before.replaceAllUsesWith(after);
  branch.erase();
  Known yes = known, no = known;
  collectConjuncts(wider.getCondition(), yes.holds);
  collectConjuncts(wider.getCondition(), no.notAll.emplace_back());
  finish(*wider.thenBlock(), yes);
  finish(*wider.elseBlock(), no);
  return wider;
}

void Merge::rewrite() {
  mlir::Operation *yield = loop_.getYieldOp();
  for (Value next : yield->getOperands())
    if (auto select = next.getDefiningOp<arith::SelectOp>(); select && isStep(select)) {
      steps_.push_back(select);
      conditions_.push_back(select.getCondition());
    }
  scf::IfOp branch = steps_.size() > 1 ? branchOn(*block_, yield) : scf::IfOp();
  if (!branch || !writes(branch))
    return;
  const unsigned own = branch.getNumResults();
  branch = withSteps(branch, {});
  for (auto [step, next] : llvm::zip(steps_, branch.getResults().drop_front(own))) {
    mlir::Operation *sum = step.getTrueValue().getDefiningOp();
    step.replaceAllUsesWith(next);
    step.erase();
    if (sum->use_empty())
      sum->erase();
  }
}

class BranchMerges : public impl::BranchMergesBase<BranchMerges> {
public:
  void runOnOperation() override {
    llvm::SmallVector<scf::WhileOp> loops;
    getOperation().walk([&](scf::WhileOp loop) { loops.push_back(loop); });
    for (scf::WhileOp loop : loops)
      Merge(loop).rewrite();
  }
};

} // namespace
} // namespace spc::transforms
