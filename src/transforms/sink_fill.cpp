#include "transforms/body_arguments.h"
#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace spc::transforms {

#define GEN_PASS_DEF_SINKFILL
#include "transforms/Passes.h.inc"

namespace {

namespace memref = mlir::memref;
namespace scf = mlir::scf;

mlir::ValueRange indicesOf(mlir::Operation *access) {
  if (auto load = mlir::dyn_cast<memref::LoadOp>(access))
    return load.getIndices();
  return mlir::cast<memref::StoreOp>(access).getIndices();
}

/// The dimensions of a buffer with the one of unit stride last.
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

class SinkFill : public impl::SinkFillBase<SinkFill> {
public:
  void runOnOperation() override {
    llvm::SmallVector<mlir::linalg::FillOp> fills;
    getOperation().walk([&](mlir::linalg::FillOp fill) { fills.push_back(fill); });
    for (mlir::linalg::FillOp fill : fills)
      lower(fill);
  }

private:
  void lower(mlir::linalg::FillOp fill);
  scf::ForOp owningLoop(mlir::linalg::FillOp fill, mlir::BlockArgument buffer, unsigned &dim);
  void fillRow(mlir::OpBuilder &builder, mlir::linalg::FillOp fill, mlir::BlockArgument buffer,
               llvm::ArrayRef<unsigned> dims, llvm::SmallVector<mlir::Value> &indices);
};

/// The loop right after the fill (in the order in which the buffer is accessed) that runs over all of dimension `dim`
/// and accesses the buffer only in the slice of its own iteration; null when there is none.
scf::ForOp SinkFill::owningLoop(mlir::linalg::FillOp fill, mlir::BlockArgument buffer, unsigned &dim) {
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
      return {};
    accesses.push_back(user);
  }
  if (!loop || !mlir::matchPattern(loop.getLowerBound(), mlir::m_Zero()) ||
      !mlir::matchPattern(loop.getStep(), mlir::m_One()))
    return {};
  for (dim = 0; dim < mlir::cast<mlir::MemRefType>(buffer.getType()).getRank(); ++dim) {
    bool owns = llvm::all_of(accesses, [&](mlir::Operation *access) {
      return mlir::isa<memref::LoadOp, memref::StoreOp>(access) && indicesOf(access)[dim] == loop.getInductionVar();
    });
    if (owns && loop.getUpperBound() == sizeArgument(getOperation(), buffer.getArgNumber(), dim))
      return loop;
  }
  return {};
}

/// Stores the fill's value to every element whose indices in `dims` vary and are `indices` elsewhere.
void SinkFill::fillRow(mlir::OpBuilder &builder, mlir::linalg::FillOp fill, mlir::BlockArgument buffer,
                       llvm::ArrayRef<unsigned> dims, llvm::SmallVector<mlir::Value> &indices) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Value first = mlir::arith::ConstantIndexOp::create(builder, fill.getLoc(), 0);
  mlir::Value step = mlir::arith::ConstantIndexOp::create(builder, fill.getLoc(), 1);
  for (unsigned dim : dims) {
    mlir::Value size = sizeArgument(getOperation(), buffer.getArgNumber(), dim);
    auto loop = scf::ForOp::create(builder, fill.getLoc(), first, size, step);
    indices[dim] = loop.getInductionVar();
    builder.setInsertionPointToStart(loop.getBody());
  }
  memref::StoreOp::create(builder, fill.getLoc(), fill.getInputs().front(), buffer, indices);
}

void SinkFill::lower(mlir::linalg::FillOp fill) {
  auto buffer = mlir::cast<mlir::BlockArgument>(fill.getOutputs().front());
  auto type = mlir::cast<mlir::MemRefType>(buffer.getType());
  unsigned owned = 0;
  scf::ForOp owner = type.getRank() > 0 ? owningLoop(fill, buffer, owned) : scf::ForOp();
  llvm::SmallVector<mlir::Value> indices(type.getRank());
  llvm::SmallVector<unsigned> dims;
  for (unsigned dim : loopOrder(type))
    if (!owner || dim != owned)
      dims.push_back(dim);
  mlir::OpBuilder builder(fill);
  if (owner) {
    builder.setInsertionPointToStart(owner.getBody());
    indices[owned] = owner.getInductionVar();
  }
  fillRow(builder, fill, buffer, dims, indices);
  fill.erase();
}

} // namespace
} // namespace spc::transforms
