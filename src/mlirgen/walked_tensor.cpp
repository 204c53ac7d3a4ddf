#include "mlirgen/walked_tensor.h"

#include "format/levels.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

namespace spc::mlirgen {

namespace sparse = mlir::sparse_tensor;

WalkedTensor walkedTensor(mlir::Value tensor, const format::Format &format, llvm::ArrayRef<mlir::Value> extents,
                          mlir::OpBuilder &builder, mlir::Location location) {
  WalkedTensor walked;
  if (!tensor)
    return walked;
  if (format.isDense()) {
    const auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
    walked.values = mlir::bufferization::ToBufferOp::create(
        builder, location, mlir::MemRefType::get(type.getShape(), type.getElementType()), tensor);
    return walked;
  }
  for (int level = 0; level < format.levelCount(); ++level) {
    LevelArrays arrays{{}, {}, extents[static_cast<size_t>(level)]};
    if (listsCoordinates(format::kindOf(format, level))) {
      arrays.positions = sparse::ToPositionsOp::create(builder, location, tensor, level);
      arrays.coordinates = sparse::ToCoordinatesOp::create(builder, location, tensor, level);
    }
    walked.levels.push_back(walkOf(format, level, arrays, builder, location));
  }
  walked.values = sparse::ToValuesOp::create(builder, location, tensor);
  return walked;
}

llvm::SmallVector<WalkedTensor, 0> walkedOperands(const MergedTerm &term, mlir::OpBuilder &builder,
                                                  mlir::Location location) {
  llvm::SmallVector<WalkedTensor, 0> walked;
  for (auto [operand, tensor] : llvm::zip(term.body.term.operands, term.tensors)) {
    llvm::SmallVector<mlir::Value> extents;
    for (const sema::Index &index : operand.indices)
      extents.push_back(term.extents[index.terms.front().loop.index()]);
    walked.push_back(walkedTensor(tensor, term.body.kernel.tensors[operand.tensor].format, extents, builder, location));
  }
  return walked;
}

} // namespace spc::mlirgen
