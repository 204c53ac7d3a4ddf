#include "transforms/util/block_conditions.h"

#include "transforms/util/affine_sums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

} // namespace

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
