#include "transforms/passes.h"
#include "transforms/util/access.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/skipped_nests.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

#define GEN_PASS_DEF_SINKFILL
#include "transforms/Passes.h.inc"

namespace {

namespace memref = mlir::memref;
namespace scf = mlir::scf;

/// The dimensions of a buffer, that of unit stride last.
llvm::SmallVector<unsigned> loopOrder(mlir::MemRefType type) {
  auto strides = type.getStridesAndOffset().first;
  llvm::SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (strides[dim] != 1)
      order.push_back(dim);
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (strides[dim] == 1)
      order.push_back(dim);
  return order;
}

/// The loop whose iteration t owns the rows t * block to t * block + block - 1 of dimension `dim`.
struct OwningLoop {
  scf::ForOp loop;
  unsigned dim;
  int64_t block;
};

/// Whether `index` lies in the rows of the loop's own iteration.
bool isOwnRow(mlir::Value index, scf::ForOp loop, int64_t block) {
  AffineSum sum = affineSum(index);
  return sum.coefficient(loop.getInductionVar()) == block && isBelow(sum.without(loop.getInductionVar()), block);
}

class SinkFill : public impl::SinkFillBase<SinkFill> {
public:
  void runOnOperation() override {
    llvm::SmallVector<mlir::linalg::FillOp> fills;
    getOperation().walk([&](mlir::linalg::FillOp fill) { fills.push_back(fill); });
    for (mlir::linalg::FillOp fill : fills)
      if (failed(lower(fill)))
        return signalPassFailure();
  }

private:
  mlir::LogicalResult lower(mlir::linalg::FillOp fill);
  std::optional<OwningLoop> owningLoop(mlir::linalg::FillOp fill, mlir::BlockArgument buffer);
  void fillRows(mlir::linalg::FillOp fill, mlir::BlockArgument buffer, const std::optional<OwningLoop> &owner);
};

/// The loop right after the fill (in the order in which the buffer is accessed) that runs over all rows of a dimension,
/// or over all blocks of rows, in every call, and accesses the buffer only in the rows of its own iteration.
std::optional<OwningLoop> SinkFill::owningLoop(mlir::linalg::FillOp fill, mlir::BlockArgument buffer) {
  mlir::Block *block = fill->getBlock();
  scf::ForOp loop;
  llvm::SmallVector<mlir::Operation *> accesses;
  for (mlir::Operation *user : buffer.getUsers()) {
    mlir::Operation *top = block->findAncestorOpInBlock(*user);
    if (user == fill || !top || !fill->isBeforeInBlock(top))
      continue;
    if (loop && loop->isBeforeInBlock(top))
      continue;
    if (top != loop)
      accesses.clear();
    loop = mlir::dyn_cast<scf::ForOp>(top);
    if (!loop)
      return std::nullopt;
    accesses.push_back(user);
  }
  if (!loop || !mlir::isConstantIntValue(loop.getLowerBound(), 0) || !mlir::isConstantIntValue(loop.getStep(), 1) ||
      skippedNest(getOperation(), loop))
    return std::nullopt;
  for (unsigned dim = 0; dim < mlir::cast<mlir::MemRefType>(buffer.getType()).getRank(); ++dim) {
    std::optional<int64_t> rows = blocksOf(getOperation(), loop.getUpperBound(), buffer.getArgNumber(), dim);
    bool owns = rows && llvm::all_of(accesses, [&](mlir::Operation *user) {
                  std::optional<Access> access = accessOf(user);
                  return access && isOwnRow(access->indices[dim], loop, *rows);
                });
    if (owns)
      return OwningLoop{loop, dim, *rows};
  }
  return std::nullopt;
}

/// Replaces a fill by loops that store its value: in the owner's rows, at the start of its iteration; everywhere where
/// there is no owner.
void SinkFill::fillRows(mlir::linalg::FillOp fill, mlir::BlockArgument buffer, const std::optional<OwningLoop> &owner) {
  mlir::Location location = fill.getLoc();
  mlir::OpBuilder builder(fill);
  if (owner) {
    scf::ForOp loop = owner->loop;
    builder.setInsertionPointToStart(loop.getBody());
  }
  auto type = mlir::cast<mlir::MemRefType>(buffer.getType());
  mlir::Value first = mlir::arith::ConstantIndexOp::create(builder, location, 0);
  mlir::Value step = mlir::arith::ConstantIndexOp::create(builder, location, 1);
  llvm::SmallVector<mlir::Value> indices(type.getRank());
  for (unsigned dim : loopOrder(type)) {
    const bool isOwned = owner && owner->dim == dim;
    mlir::Value row = isOwned ? scf::ForOp(owner->loop).getInductionVar() : mlir::Value();
    if (isOwned && owner->block == 1) {
      indices[dim] = row;
      continue;
    }
    mlir::Value size = isOwned ? mlir::arith::ConstantIndexOp::create(builder, location, owner->block).getResult()
                               : mlir::Value(sizeArgument(getOperation(), buffer.getArgNumber(), dim));
    auto loop = scf::ForOp::create(builder, location, first, size, step);
    builder.setInsertionPointToStart(loop.getBody());
    AffineSum index{0, {{loop.getInductionVar(), 1}}};
    if (isOwned)
      index.terms.push_back({row, owner->block});
    indices[dim] = emitSum(builder, location, index);
  }
  memref::StoreOp::create(builder, location, fill.getInputs().front(), buffer, indices);
}

mlir::LogicalResult SinkFill::lower(mlir::linalg::FillOp fill) {
  auto buffer = mlir::dyn_cast<mlir::BlockArgument>(fill.getOutputs().front());
  const auto type = buffer ? mlir::dyn_cast<mlir::MemRefType>(buffer.getType()) : mlir::MemRefType();
  const bool isArgument = type && buffer.getOwner()->getParentOp() == getOperation();
  const TensorAttr tensor = isArgument ? dialect::tensorOf(getOperation(), buffer.getArgNumber()) : TensorAttr();
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!tensor || tensor.getExtents().size() != static_cast<size_t>(type.getRank()) ||
      failed(type.getStridesAndOffset(strides, offset)))
    return fill.emitError("fills what is no tensor of the kernel");
  fillRows(fill, buffer, owningLoop(fill, buffer));
  fill.erase();
  return mlir::success();
}

} // namespace
} // namespace spc::transforms
