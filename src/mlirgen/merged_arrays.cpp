#include "mlirgen/merged_arrays.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

namespace spc::mlirgen {

namespace sparse = mlir::sparse_tensor;

Arrays arraysOf(mlir::Value tensor, const format::Format &format, mlir::OpBuilder &builder, mlir::Location location) {
  Arrays arrays;
  if (!tensor)
    return arrays;
  if (format.isDense()) {
    const auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
    arrays.values = mlir::bufferization::ToBufferOp::create(
        builder, location, mlir::MemRefType::get(type.getShape(), type.getElementType()), tensor);
    return arrays;
  }
  for (int level = 0; level < format.levelCount(); ++level) {
    mlir::Value positions, coordinates;
    if (!format.levels[static_cast<size_t>(level)].isDense()) {
      positions = sparse::ToPositionsOp::create(builder, location, tensor, level);
      coordinates = sparse::ToCoordinatesOp::create(builder, location, tensor, level);
    }
    arrays.positions.push_back(positions);
    arrays.coordinates.push_back(coordinates);
  }
  arrays.values = sparse::ToValuesOp::create(builder, location, tensor);
  return arrays;
}

mlir::Value loadIndex(mlir::Value array, mlir::Value at, mlir::OpBuilder &builder, mlir::Location location) {
  mlir::Value loaded = mlir::memref::LoadOp::create(builder, location, array, at);
  if (loaded.getType().isIndex())
    return loaded;
  if (loaded.getType().getIntOrFloatBitWidth() < 64)
    loaded = mlir::arith::ExtUIOp::create(builder, location, builder.getI64Type(), loaded);
  return mlir::arith::IndexCastOp::create(builder, location, builder.getIndexType(), loaded);
}

} // namespace spc::mlirgen
