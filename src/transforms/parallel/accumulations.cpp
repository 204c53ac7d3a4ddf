#include "transforms/parallel/accumulations.h"

#include "transforms/util/access.h"
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

/// Whether an operation fills what it writes with zeros: loops of no term, which store nothing else.
bool zeroes(mlir::Operation *op) {
  return holdsForAll(op, [](mlir::Operation *inner) {
    auto store = mlir::dyn_cast<memref::StoreOp>(inner);
    return store
               ? isZero(store.getValueToStore())
               : inner->getNumResults() == 0 && mlir::isa<scf::ForOp, scf::YieldOp>(inner) && !dialect::placeOf(inner);
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

/// Whether all that the loop does to `buffer` is to add to it by way of a scalar that is stored after it.
bool onlyAdds(const RowLoop &rows, mlir::Value buffer, bool allMayReassociate) {
  scf::ForOp sum = scalarSum(rows);
  const auto isInside = [&](mlir::Operation *user) { return rows.loop->isProperAncestor(user); };
  return onlySums(sum, allMayReassociate) && llvm::none_of(buffer.getUsers(), isInside);
}

/// Whether a step is a loop that workers may divide. Others are fills, and terms that come to each element once: little
/// work next to a loop over what is stored.
bool isDivided(const Step &step) {
  const dialect::LoopAttr planned = dialect::plannedLoopOf(step.op);
  return planned && planned.getIsDivided();
}

bool reads(mlir::Operation *step, mlir::Value buffer) {
  return llvm::any_of(buffer.getUsers(),
                      [&](mlir::Operation *user) { return mlir::isa<memref::LoadOp>(user) && step->isAncestor(user); });
}

/// What fills a row of `buffer` before anything else in the iteration of a loop over rows accesses it; else null.
mlir::Operation *fillOf(const RowLoop &rows, mlir::Value buffer) {
  auto loop = mlir::dyn_cast<scf::ForOp>(rows.loop);
  if (!loop || rows.isRoot() || rows.rows.getBlock() > 1)
    return nullptr;
  mlir::Operation *first = nullptr;
  for (mlir::Operation *user : buffer.getUsers())
    if (mlir::Operation *op = loop.getBody()->findAncestorOpInBlock(*user);
        op && (!first || op->isBeforeInBlock(first)))
      first = op;
  return first && zeroes(first) ? first : nullptr;
}

/// Sorts steps that add in memory into loops that may be cut and what one chunk has to do. False where a step is
/// neither.
bool sortSteps(const BodySteps &steps, mlir::Value buffer, bool allMayReassociate, Accumulation &sum) {
  bool isStart = true;
  llvm::SmallVector<mlir::Operation *> leading;
  for (const Step &step : steps.all) {
    isStart &= !isDivided(step) && !reads(step.op, buffer);
    if (isStart) {
      leading.push_back(step.op);
      continue;
    }
    const bool isCut = step.rows && step.op->getNumResults() == (step.rows->firstSegment ? 2U : 0U) &&
                       (sum.loops.empty() || sum.loops.front().items == step.rows->items);
    const bool isFirst = sum.loops.empty() && leading.empty() && sum.once.empty();
    mlir::Operation *const fill = isCut && isFirst ? fillOf(*step.rows, buffer) : nullptr;
    if (!onlyAddsTo(step.op, buffer, allMayReassociate, fill))
      return false;
    if (!isDivided(step) && !fill)
      sum.once.push_back(step.op);
    else if (isCut)
      sum.loops.push_back(*step.rows);
    else
      return false;
    sum.fill = fill ? fill : sum.fill;
  }
  sum.isZeroed = sum.fill || (!leading.empty() && llvm::all_of(leading, zeroes));
  if (!sum.isZeroed)
    sum.once.append(leading);
  return !sum.loops.empty();
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

  Accumulation sum;
  sum.output = tensor.getSymbol();
  const auto isInStep = [&](mlir::Operation *user) { return steps.stepOf(user).has_value(); };
  if (llvm::all_of(buffer.getUsers(), isInStep) && sortSteps(steps, buffer, allMayReassociate, sum))
    return sum;

  // Steps that zero the output, the loop, and stores of the sum that it carries as a scalar, which may start from what
  // is loaded before the loop.
  const auto loop = llvm::find_if_not(steps.all, [](const Step &step) { return zeroes(step.op); });
  if (loop == steps.all.end() || !loop->rows || !scalarSum(*loop->rows))
    return std::nullopt;
  const auto isEnd = [&](const Step &step) { return storesSum(step.op, buffer, scalarSum(*loop->rows)); };
  if (!std::all_of(std::next(loop), steps.all.end(), isEnd) || !onlyAdds(*loop->rows, buffer, allMayReassociate))
    return std::nullopt;
  return Accumulation{{*loop->rows}, tensor.getSymbol(), loop != steps.all.begin(), {}, nullptr};
}

} // namespace spc::transforms
