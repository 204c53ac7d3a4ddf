#include "transforms/assembly/conditional_entries.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

namespace scf = mlir::scf;
using dialect::AppendOp;

/// The entry that is all that a branch in a loop is for, null where it does more, or computes what may fail.
static AppendOp onlyEntryOf(scf::IfOp branch) {
  auto loop = mlir::dyn_cast<scf::ForOp>(branch->getParentOp());
  if (!loop || branch.getNumResults() > 0 || branch.elseBlock() || loop.isDefinedOutsideOfLoop(branch.getCondition()))
    return {};
  AppendOp only;
  for (mlir::Operation &op : branch.thenBlock()->without_terminator()) {
    auto append = mlir::dyn_cast<AppendOp>(op);
    if (append ? only || !append.getReserved() : op.getNumRegions() > 0 || !mlir::isPure(&op))
      return {};
    only = append ? append : only;
  }
  return only;
}

void appendWithoutBranches(dialect::OpenRunOp run) {
  llvm::SmallVector<std::pair<scf::IfOp, AppendOp>> branches;
  run.walk([&](scf::IfOp branch) {
    if (AppendOp entry = onlyEntryOf(branch))
      branches.emplace_back(branch, entry);
  });
  for (auto [branch, entry] : branches) {
    for (mlir::Operation &op : llvm::make_early_inc_range(branch.thenBlock()->without_terminator()))
      op.moveBefore(branch);
    mlir::ImplicitLocOpBuilder ops(entry.getLoc(), entry);
    dialect::AppendIfOp::create(ops, entry.getRun(), entry.getKey(), branch.getCondition(), entry.getValue());
    entry.erase();
    branch.erase();
  }
}

} // namespace spc::transforms
