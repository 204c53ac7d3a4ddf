#include "transforms/util/access.h"

#include "transforms/util/affine_sums.h"

namespace spc::transforms {

namespace memref = mlir::memref;

std::optional<Access> accessOf(mlir::Operation *op) {
  if (auto load = mlir::dyn_cast<memref::LoadOp>(op))
    return Access{op, load.getMemRef(), load.getIndices()};
  if (auto store = mlir::dyn_cast<memref::StoreOp>(op))
    return Access{op, store.getMemRef(), store.getIndices()};
  return std::nullopt;
}

bool isSameElement(const Access &a, const Access &b) {
  return a.buffer == b.buffer && llvm::all_of(llvm::zip_equal(a.indices, b.indices), [](auto pair) {
           return affineSum(std::get<0>(pair)) == affineSum(std::get<1>(pair));
         });
}

} // namespace spc::transforms
