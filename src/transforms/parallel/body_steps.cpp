#include "transforms/parallel/body_steps.h"

#include "transforms/util/access.h"
#include "transforms/util/walks.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

namespace scf = mlir::scf;

std::optional<size_t> BodySteps::stepOf(mlir::Operation *op) const {
  const auto step = llvm::find_if(all, [&](const Step &step) { return step.op->isAncestor(op); });
  return step == all.end() ? std::nullopt : std::optional<size_t>(step - all.begin());
}

std::optional<BodySteps> findSteps(mlir::func::FuncOp body) {
  BodySteps steps;
  for (mlir::Operation &op : body.getBody().front().without_terminator()) {
    bool writes = false;
    const auto isKnown = [&](mlir::Operation *inner) {
      const std::optional<Access> access = accessOf(inner);
      if (access && access->isStore()) {
        steps.written.insert(access->buffer);
        writes = true;
      }
      return access || inner->getNumRegions() > 0 || mlir::isMemoryEffectFree(inner);
    };
    if (!holdsForAll(&op, isKnown))
      return std::nullopt;
    if (writes || (mlir::isa<scf::ForOp>(op) && op.getNumResults() > 0))
      steps.all.push_back({&op, rowLoopOf(body, &op)});
  }
  return steps.all.empty() ? std::nullopt : std::optional(steps);
}

} // namespace spc::transforms
