#include "mlirgen/types.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

namespace spc::mlirgen {

namespace sparse = mlir::sparse_tensor;

mlir::FloatType floatType(sema::ValueType type, mlir::MLIRContext &context) {
  switch (type) {
  case sema::ValueType::F32:
    return mlir::Float32Type::get(&context);
  case sema::ValueType::F64:
    return mlir::Float64Type::get(&context);
  }
  llvm_unreachable("every value type has a float type");
}

mlir::RankedTensorType denseType(const sema::Tensor &tensor, mlir::MLIRContext &context) {
  llvm::SmallVector<int64_t> shape(tensor.order(), mlir::ShapedType::kDynamic);
  return mlir::RankedTensorType::get(shape, floatType(tensor.type, context));
}

namespace {

sparse::LevelType levelType(const format::Level &level) {
  if (level.isDense())
    return *sparse::buildLevelType(sparse::LevelFormat::Dense, {});
  std::vector<sparse::LevelPropNonDefault> properties;
  if (!level.unique)
    properties.push_back(sparse::LevelPropNonDefault::Nonunique);
  if (level.isCompressed())
    return *sparse::buildLevelType(sparse::LevelFormat::Compressed, properties);
  properties.push_back(sparse::LevelPropNonDefault::SoA);
  return *sparse::buildLevelType(sparse::LevelFormat::Singleton, properties);
}

/// Blocks have constant extents, so that their loops unroll.
llvm::SmallVector<int64_t> levelShape(const sema::Tensor &tensor) {
  llvm::SmallVector<int64_t> shape;
  for (const format::Level &level : tensor.format.levels)
    shape.push_back(level.part == format::Part::Remainder ? level.block : mlir::ShapedType::kDynamic);
  return shape;
}

} // namespace

mlir::RankedTensorType sparseType(const sema::Tensor &tensor, mlir::MLIRContext &context) {
  llvm::SmallVector<sparse::LevelType> levels;
  for (const format::Level &level : tensor.format.levels)
    levels.push_back(levelType(level));
  auto encoding = sparse::SparseTensorEncodingAttr::get(
      &context, levels, mlir::AffineMap::getMultiDimIdentityMap(levels.size(), &context), mlir::AffineMap(),
      format::bits(tensor.format.pointers), format::bits(tensor.format.indices));
  return mlir::RankedTensorType::get(levelShape(tensor), floatType(tensor.type, context), encoding);
}

mlir::RankedTensorType standInType(const sema::Tensor &tensor, mlir::MLIRContext &context) {
  return mlir::RankedTensorType::get(levelShape(tensor), floatType(tensor.type, context));
}

} // namespace spc::mlirgen
