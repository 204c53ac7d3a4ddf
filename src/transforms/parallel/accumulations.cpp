#include "transforms/parallel/accumulations.h"

#include "transforms/util/access.h"
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

/// Whether all that the loop does to `buffer` is to add to it by way of a scalar that is stored after it.
bool onlyAdds(const RowLoop &rows, mlir::Value buffer, bool allMayReassociate) {
  scf::ForOp sum = scalarSum(rows);
  const auto isInside = [&](mlir::Operation *user) { return rows.loop->isProperAncestor(user); };
  return onlySums(sum, allMayReassociate) && llvm::none_of(buffer.getUsers(), isInside);
}

/// Whether a step is a nest of loops over whole dimensions that has each element of `buffer` once: little work next to
/// a loop over what is stored.
bool isElementwise(mlir::func::FuncOp body, mlir::Operation *step, mlir::Value buffer) {
  const auto isWhole = [&](mlir::Value index) {
    scf::ForOp loop = loopOf(index);
    return loop && extentOf(body, loop);
  };
  int64_t loops = 0;
  const auto isKnown = [&](mlir::Operation *op) {
    auto loop = mlir::dyn_cast<scf::ForOp>(op);
    loops += loop ? 1 : 0;
    const std::optional<Access> access = accessOf(op);
    return loop ? bool(extentOf(body, loop))
                : op->getNumRegions() == 0 &&
                      (!access || access->buffer != buffer || llvm::all_of(access->indices, isWhole));
  };
  return mlir::isa<scf::ForOp, memref::StoreOp>(step) && step->getNumResults() == 0 && holdsForAll(step, isKnown) &&
         loops <= mlir::cast<mlir::MemRefType>(buffer.getType()).getRank();
}

bool reads(mlir::Operation *step, mlir::Value buffer) {
  return llvm::any_of(buffer.getUsers(),
                      [&](mlir::Operation *user) { return mlir::isa<memref::LoadOp>(user) && step->isAncestor(user); });
}

/// What stores zeros in a row of `buffer` before anything else in the iteration of a loop over rows accesses it; else
/// null.
mlir::Operation *fillOf(mlir::func::FuncOp body, const RowLoop &rows, mlir::Value buffer) {
  auto loop = mlir::dyn_cast<scf::ForOp>(rows.loop);
  if (!loop || rows.isRoot())
    return nullptr;
  mlir::Operation *first = nullptr;
  for (mlir::Operation *user : buffer.getUsers())
    if (mlir::Operation *op = loop.getBody()->findAncestorOpInBlock(*user);
        op && (!first || op->isBeforeInBlock(first)))
      first = op;
  const auto isRowOrWhole = [&](mlir::Value index) {
    scf::ForOp inner = loopOf(index);
    return index == rows.item || (inner && extentOf(body, inner));
  };
  const bool fills = first && holdsForAll(first, [&](mlir::Operation *op) {
                       auto store = mlir::dyn_cast<memref::StoreOp>(op);
                       if (!store)
                         return op->getNumResults() == 0 && mlir::isa<scf::ForOp, scf::YieldOp>(op);
                       const auto indices = store.getIndices();
                       const llvm::SmallPtrSet<mlir::Value, 4> distinct(indices.begin(), indices.end());
                       return store.getMemRef() == buffer && isZero(store.getValueToStore()) &&
                              distinct.size() == indices.size() && distinct.contains(rows.item) &&
                              llvm::all_of(indices, isRowOrWhole);
                     });
  return fills ? first : nullptr;
}

/// Sorts steps that add in memory into loops that may be cut and what one chunk has to do. False where a step is
/// neither.
bool sortSteps(mlir::func::FuncOp body, const BodySteps &steps, mlir::Value buffer, bool allMayReassociate,
               Accumulation &sum) {
  bool isStart = true;
  llvm::SmallVector<mlir::Operation *> leading;
  for (const Step &step : steps.all) {
    isStart &= isElementwise(body, step.op, buffer) && !reads(step.op, buffer);
    if (isStart) {
      leading.push_back(step.op);
      continue;
    }
    const bool isCut = step.rows && step.op->getNumResults() == (step.rows->firstSegment ? 2U : 0U) &&
                       (sum.loops.empty() || sum.loops.front().items == step.rows->items);
    const bool isFirst = sum.loops.empty() && leading.empty() && sum.once.empty();
    mlir::Operation *const fill = isCut && isFirst ? fillOf(body, *step.rows, buffer) : nullptr;
    if (!onlyAddsTo(step.op, buffer, allMayReassociate, fill))
      return false;
    if (isElementwise(body, step.op, buffer) && !fill)
      sum.once.push_back(step.op);
    else if (isCut)
      sum.loops.push_back(*step.rows);
    else
      return false;
    sum.fill = fill ? fill : sum.fill;
  }
  const auto isZero = [&](mlir::Operation *op) { return zeroes(body, op, buffer); };
  sum.isZeroed = sum.fill || (!leading.empty() && llvm::all_of(leading, isZero));
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
  if (llvm::all_of(buffer.getUsers(), isInStep) && sortSteps(body, steps, buffer, allMayReassociate, sum))
    return sum;

  // Steps that zero the output, the loop, and stores of the sum that it carries as a scalar, which may start from what
  // is loaded before the loop.
  const auto loop = llvm::find_if_not(steps.all, [&](const Step &step) { return zeroes(body, step.op, buffer); });
  if (loop == steps.all.end() || !loop->rows || !scalarSum(*loop->rows))
    return std::nullopt;
  const auto isEnd = [&](const Step &step) { return storesSum(step.op, buffer, scalarSum(*loop->rows)); };
  if (!std::all_of(std::next(loop), steps.all.end(), isEnd) || !onlyAdds(*loop->rows, buffer, allMayReassociate))
    return std::nullopt;
  return Accumulation{{*loop->rows}, tensor.getSymbol(), loop != steps.all.begin(), {}, nullptr};
}

} // namespace spc::transforms
