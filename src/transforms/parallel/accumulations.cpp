#include "transforms/parallel/accumulations.h"

#include "transforms/util/affine_sums.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/reductions.h"
#include "transforms/util/walks.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

namespace spc::transforms {

namespace memref = mlir::memref;
namespace scf = mlir::scf;

namespace {

bool isZero(mlir::Value value) {
  return mlir::matchPattern(value, mlir::m_AnyZeroFloat()) || mlir::matchPattern(value, mlir::m_Zero());
}

/// Whether a step stores zeros in all of `buffer`, and does nothing else.
bool zeroes(mlir::func::FuncOp body, mlir::Operation *step, mlir::Value buffer) {
  const auto isWhole = [&](mlir::Value index) {
    scf::ForOp loop = loopOf(index);
    return loop && extentOf(body, loop);
  };
  const auto fills = [&](memref::StoreOp store) {
    const auto indices = store.getIndices();
    const llvm::SmallPtrSet<mlir::Value, 4> distinct(indices.begin(), indices.end());
    return store.getMemRef() == buffer && isZero(store.getValueToStore()) && distinct.size() == indices.size() &&
           llvm::all_of(indices, isWhole);
  };
  return holdsForAll(step, [&](mlir::Operation *op) {
    auto store = mlir::dyn_cast<memref::StoreOp>(op);
    return store ? fills(store) : op->getNumResults() == 0 && mlir::isa<scf::ForOp, scf::YieldOp>(op);
  });
}

/// The loop that carries the sum as a scalar, null where that is added to in memory.
scf::ForOp scalarSum(const RowLoop &rows) {
  auto loop = mlir::dyn_cast<scf::ForOp>(rows.loop);
  return loop && loop.getNumResults() > 0 ? loop : scf::ForOp();
}

/// Whether a step stores what `sum` carries, which starts from what was in `buffer`, or from zero.
bool storesSum(mlir::Operation *step, mlir::Value buffer, scf::ForOp sum) {
  auto store = mlir::dyn_cast<memref::StoreOp>(step);
  if (!store || !sum || sum.getNumResults() != 1 || store.getMemRef() != buffer ||
      store.getValueToStore() != sum.getResult(0))
    return false;
  mlir::Value start = sum.getInitArgs()[0];
  auto load = start.getDefiningOp<memref::LoadOp>();
  return load ? load.getMemRef() == buffer && load->hasOneUse() && load->getBlock() == sum->getBlock() : isZero(start);
}

/// Whether all that the loop does to `buffer` is to add to it: in memory, or by way of a scalar that is stored after
/// it.
bool onlyAdds(const RowLoop &rows, mlir::Value buffer, bool allMayReassociate) {
  scf::ForOp sum = scalarSum(rows);
  if (!sum)
    return onlyAddsTo(rows.loop, buffer, allMayReassociate);
  const auto isInside = [&](mlir::Operation *user) { return rows.loop->isProperAncestor(user); };
  return onlySums(sum, allMayReassociate) && llvm::none_of(buffer.getUsers(), isInside);
}

} // namespace

std::optional<Accumulation> matchAccumulation(mlir::func::FuncOp body, const BodySteps &steps, bool allMayReassociate) {
  if (steps.written.size() != 1)
    return std::nullopt;
  const mlir::Value buffer = steps.written.front();
  auto output = mlir::dyn_cast<mlir::BlockArgument>(buffer);
  // Values in the pattern of another tensor have no name of their own.
  const TensorAttr tensor = output ? dialect::tensorOf(body, output.getArgNumber()) : TensorAttr();
  if (!tensor)
    return std::nullopt;

  // Steps that zero the output, the loop, and stores of the sum that it carries.
  const auto loop = llvm::find_if_not(steps.all, [&](const Step &step) { return zeroes(body, step.op, buffer); });
  if (loop == steps.all.end() || !loop->rows)
    return std::nullopt;
  const RowLoop &rows = *loop->rows;
  const auto isEnd = [&](const Step &step) { return storesSum(step.op, buffer, scalarSum(rows)); };
  if (!std::all_of(std::next(loop), steps.all.end(), isEnd) || !onlyAdds(rows, buffer, allMayReassociate))
    return std::nullopt;

  // A scalar sum may start from what is loaded before the loop.
  const auto isInStep = [&](mlir::Operation *user) { return steps.stepOf(user).has_value(); };
  if (!scalarSum(rows) && !llvm::all_of(buffer.getUsers(), isInStep))
    return std::nullopt;
  return Accumulation{rows, tensor.getSymbol(), loop != steps.all.begin()};
}

} // namespace spc::transforms
