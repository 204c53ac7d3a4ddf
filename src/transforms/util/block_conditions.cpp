#include "transforms/util/block_conditions.h"

#include "transforms/util/affine_sums.h"
#include "transforms/util/loop_hints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Operation;
using mlir::Value;

namespace {

AffineSum difference(const AffineSum &a, const AffineSum &b) {
  AffineSum result = a;
  result.constant -= b.constant;
  for (auto [term, coefficient] : b.terms) {
    auto same = llvm::find_if(result.terms, [&](const auto &other) { return other.first == term; });
    if (same == result.terms.end())
      result.terms.push_back({term, -coefficient});
    else
      same->second -= coefficient;
  }
  llvm::erase_if(result.terms, [](const auto &term) { return term.second == 0; });
  return result;
}

/// Whether `op` stands in the branch of a condition that says that `value` is at least `least`.
bool isKnownAtLeast(Value value, int64_t least, Operation *op) {
  const AffineSum sum = affineSum(value);
  for (auto choice = op->getParentOfType<scf::IfOp>(); choice; choice = choice->getParentOfType<scf::IfOp>()) {
    auto test = choice.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!test || test.getPredicate() != arith::CmpIPredicate::sle ||
        !choice.getThenRegion().isAncestor(op->getParentRegion()))
      continue;
    const AffineSum excess = difference(sum, difference(affineSum(test.getRhs()), affineSum(test.getLhs())));
    if (excess.terms.empty() && excess.constant >= least)
      return true;
  }
  return false;
}

/// A loop over blocks, and its test whether a block lies inside of an extent, `size` elements at a time.
struct BorderTest {
  scf::ForOp loop;
  scf::IfOp choice;
  Value extent;
  int64_t size = 0;
};

/// The test of an innermost loop over blocks that whole ones do on straight code; nullopt for any other branch.
std::optional<BorderTest> matchBorderTest(scf::IfOp choice) {
  auto loop = mlir::dyn_cast<scf::ForOp>(choice->getParentOp());
  auto test = choice.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!loop || !test || test.getPredicate() != arith::CmpIPredicate::sle || !choice.elseBlock() ||
      !loop.isDefinedOutsideOfLoop(test.getRhs()) || loop.isDefinedOutsideOfLoop(test.getLhs()) ||
      llvm::any_of(*choice.thenBlock(), [](Operation &op) { return op.getNumRegions() > 0; }))
    return std::nullopt;
  const AffineSum end = affineSum(test.getLhs());
  if (end.terms.size() != 1 || end.constant <= 1 || end.terms.front().second != end.constant)
    return std::nullopt;
  return BorderTest{loop, choice, test.getRhs(), end.constant};
}

/// Runs a copy without the test where blocks divide the extent.
void separate(BorderTest border) {
  scf::ForOp loop = border.loop;
  mlir::OpBuilder builder(loop);
  mlir::ImplicitLocOpBuilder ops(loop.getLoc(), builder);
  border.choice.getElseRegion().walk([](scf::ForOp part) { keepLoopAsItIs(part); });
  Value rest = arith::RemUIOp::create(ops, border.extent, arith::ConstantIndexOp::create(ops, border.size));
  Value zero = arith::ConstantIndexOp::create(ops, 0);
  Value isWhole = arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, rest, zero);
  auto versions = scf::IfOp::create(ops, loop.getResultTypes(), isWhole, /*addThenBlock=*/true, /*addElseBlock=*/true);
  loop.replaceAllUsesWith(versions.getResults());
  ops.setInsertionPointToEnd(versions.thenBlock());
  mlir::IRMapping map;
  auto whole = mlir::cast<scf::ForOp>(ops.clone(*loop, map));
  scf::YieldOp::create(ops, whole.getResults());
  auto choice = mlir::cast<scf::IfOp>(map.lookup(border.choice.getOperation()));
  mlir::Block *inside = choice.thenBlock();
  choice.replaceAllUsesWith(inside->getTerminator()->getOperands());
  inside->getTerminator()->erase();
  choice->getBlock()->getOperations().splice(choice->getIterator(), inside->getOperations());
  choice.erase();
  ops.setInsertionPointToEnd(versions.elseBlock());
  auto yield = scf::YieldOp::create(ops, loop.getResults());
  loop->moveBefore(yield);
}

} // namespace

void separateBorders(mlir::func::FuncOp body) {
  llvm::SmallVector<BorderTest> tests;
  body.walk([&](scf::IfOp choice) {
    if (std::optional<BorderTest> test = matchBorderTest(choice))
      tests.push_back(*test);
  });
  for (const BorderTest &test : tests)
    separate(test);
}

void settleFullBlocks(mlir::func::FuncOp body) {
  body.walk([&](scf::ForOp loop) {
    auto least = loop.getUpperBound().getDefiningOp<arith::MinSIOp>();
    mlir::APInt size;
    if (!least || !mlir::matchPattern(least.getRhs(), mlir::m_ConstantInt(&size)))
      return;
    if (isKnownAtLeast(least.getLhs(), size.getSExtValue(), loop))
      loop.setUpperBound(least.getRhs());
  });
}

void joinConditions(mlir::func::FuncOp body) {
  llvm::SmallVector<scf::IfOp> choices;
  body.walk([&](scf::IfOp choice) { choices.push_back(choice); });
  for (scf::IfOp first : choices) {
    llvm::SmallPtrSet<Value, 4> written;
    first.walk([&](memref::StoreOp store) { written.insert(store.getMemRef()); });
    Operation *op = first->getNextNode();
    auto isBystander = [&](Operation *other) {
      auto load = mlir::dyn_cast<memref::LoadOp>(other);
      return load ? !written.contains(load.getMemRef())
                  : other->getNumRegions() == 0 && mlir::isMemoryEffectFree(other);
    };
    while (op && isBystander(op))
      op = op->getNextNode();
    auto second = mlir::dyn_cast_or_null<scf::IfOp>(op);
    if (!second || second.getCondition() != first.getCondition() || first.getNumResults() > 0 ||
        bool(first.elseBlock()) != bool(second.elseBlock()))
      continue;
    for (auto [from, to] : llvm::zip_equal(first->getRegions(), second->getRegions()))
      if (!from.empty()) {
        from.front().getTerminator()->erase();
        to.front().getOperations().splice(to.front().begin(), from.front().getOperations());
      }
    first.erase();
  }
}

} // namespace spc::transforms
