#include "transforms/util/carried_values.h"

namespace spc::transforms {

namespace scf = mlir::scf;

std::optional<Origins> originsOf(mlir::Value value) {
  const auto result = mlir::dyn_cast<mlir::OpResult>(value);
  if (!result)
    return std::nullopt;
  const unsigned number = result.getResultNumber();
  if (auto loop = mlir::dyn_cast<scf::ForOp>(result.getOwner()))
    return Origins{{&loop.getInitArgsMutable()[number]}, &loop.getBody()->getTerminator()->getOpOperand(number)};
  if (auto branch = mlir::dyn_cast<scf::IfOp>(result.getOwner()))
    return Origins{{&branch.thenYield()->getOpOperand(number), &branch.elseYield()->getOpOperand(number)}};
  auto merge = mlir::dyn_cast<scf::WhileOp>(result.getOwner());
  auto carried =
      merge ? mlir::dyn_cast<mlir::BlockArgument>(merge.getConditionOp().getArgs()[number]) : mlir::BlockArgument();
  if (!carried || carried.getOwner() != merge.getBeforeBody())
    return std::nullopt;
  return Origins{{&merge.getInitsMutable()[carried.getArgNumber()]},
                 &merge.getYieldOp()->getOpOperand(carried.getArgNumber())};
}

} // namespace spc::transforms
