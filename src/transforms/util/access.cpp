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

int64_t elementBytes(mlir::Value buffer) {
  mlir::Type element = mlir::cast<mlir::MemRefType>(buffer.getType()).getElementType();
  auto complex = mlir::dyn_cast<mlir::ComplexType>(element);
  const int64_t parts = complex ? 2 : 1;
  return parts * static_cast<int64_t>(
                     llvm::divideCeil((complex ? complex.getElementType() : element).getIntOrFloatBitWidth(), 8));
}

} // namespace spc::transforms
