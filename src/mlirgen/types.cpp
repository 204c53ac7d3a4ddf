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

static sparse::LevelType levelType(const format::Level &level) {
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

mlir::RankedTensorType sparseType(const sema::Tensor &tensor, mlir::MLIRContext &context) {
  llvm::SmallVector<sparse::LevelType> levels;
  llvm::SmallVector<unsigned> dims;
  for (const format::Level &level : tensor.format.levels) {
    levels.push_back(levelType(level));
    dims.push_back(level.dim);
  }
  auto dimToLevel = mlir::AffineMap::getPermutationMap(dims, &context);
  auto encoding =
      sparse::SparseTensorEncodingAttr::get(&context, levels, dimToLevel, mlir::AffineMap(),
                                            format::bits(tensor.format.pointers), format::bits(tensor.format.indices));
  mlir::RankedTensorType dense = denseType(tensor, context);
  return mlir::RankedTensorType::get(dense.getShape(), dense.getElementType(), encoding);
}

} // namespace spc::mlirgen
