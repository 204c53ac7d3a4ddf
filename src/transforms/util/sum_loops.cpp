#include "transforms/util/sum_loops.h"

#include "transforms/util/affine_sums.h"
#include "transforms/util/vector_body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Operation;
using mlir::Value;

namespace {

constexpr int64_t kMaxSteps = 8; ///< iterations of the loop on vectors, which is unrolled as a whole

/// The values that depend on the loop's variable.
llvm::DenseSet<Value> variantsOf(scf::ForOp loop) {
  llvm::DenseSet<Value> variants{loop.getInductionVar()};
  variants.insert_range(loop.getRegionIterArgs());
  for (Operation &op : *loop.getBody())
    if (llvm::any_of(op.getOperands(), [&](Value used) { return variants.contains(used); }))
      variants.insert_range(op.getResults());
  return variants;
}

/// Whether the load reads one element throughout the loop, or neighbours that follow the loop's variable.
bool isContiguous(memref::LoadOp load, scf::ForOp loop, const llvm::DenseSet<Value> &variants) {
  std::optional<unsigned> unit = unitDimension(load.getMemRef());
  for (auto [dim, index] : llvm::enumerate(load.getIndices()))
    if (variants.contains(index) && (unit != dim || affineSum(index).coefficient(loop.getInductionVar()) != 1))
      return false;
  return true;
}

/// Bytes of the elements that `op` computes on vectors; 0 where it cannot be done on vectors, nullopt where it stays
/// scalar.
std::optional<int64_t> laneBytes(Operation &op, scf::ForOp loop, const llvm::DenseSet<Value> &variants) {
  auto load = mlir::dyn_cast<memref::LoadOp>(op);
  if (op.getNumRegions() > 0 || op.getNumResults() != 1 || (!load && !mlir::isMemoryEffectFree(&op)) ||
      (load && !isContiguous(load, loop, variants)))
    return 0;
  mlir::Type type = op.getResult(0).getType();
  if (!variants.contains(op.getResult(0)) || type.isIndex())
    return std::nullopt;
  const bool usesIndices =
      llvm::any_of(op.getOperands(), [&](Value used) { return variants.contains(used) && used.getType().isIndex(); });
  return load ? vectorElementBytes(type) : isElementwise(&op) && !usesIndices ? vectorElementBytes(type) : 0;
}

} // namespace

int64_t lanesOf(scf::ForOp loop, int64_t vectorBytes) {
  mlir::APInt length;
  if (!mlir::isConstantIntValue(loop.getLowerBound(), 0) || !mlir::isConstantIntValue(loop.getStep(), 1) ||
      !mlir::matchPattern(loop.getUpperBound(), mlir::m_ConstantInt(&length)) || !length.isStrictlyPositive())
    return 1;
  const llvm::DenseSet<Value> variants = variantsOf(loop);
  int64_t widest = 1;
  for (Operation &op : loop.getBody()->without_terminator())
    if (std::optional<int64_t> bytes = laneBytes(op, loop, variants)) {
      if (*bytes == 0)
        return 1;
      widest = std::max(widest, *bytes);
    }
  const int64_t lanes = std::min<int64_t>(vectorBytes / widest, int64_t(1) << length.countTrailingZeros());
  return length.sle(lanes * kMaxSteps) ? std::max<int64_t>(lanes, 1) : 1;
}

llvm::SmallVector<Value> writeOnLanes(mlir::OpBuilder &builder, scf::ForOp loop, int64_t lanes,
                                      llvm::ArrayRef<Value> sums, const mlir::IRMapping &values) {
  llvm::SmallVector<Value> carried(sums);
  mlir::APInt length;
  mlir::matchPattern(loop.getUpperBound(), mlir::m_ConstantInt(&length));
  VectorBody body(builder, loop, lanes);
  for (int64_t step = 0; step < length.getSExtValue(); step += lanes)
    carried = body.write(values, arith::ConstantIndexOp::create(builder, loop.getLoc(), step), carried);
  return carried;
}

} // namespace spc::transforms
