#include "mlirgen/types.h"

#include "mlirgen/arithmetic.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/Builders.h"

namespace spc::mlirgen {

namespace sparse = mlir::sparse_tensor;
using dialect::BindAttr;
using dialect::BindKind;
using dialect::ExtentAttr;
using format::Extent;
using format::Level;
using format::Part;

namespace {

/// MLIR's singletons continue a compressed level.
bool isSingletonBelow(const format::Format &format, int k) {
  return k > 0 && k < format.levelCount() && format.levels[k].isSingleton() && !format.levels[k - 1].isDense();
}

sparse::LevelType levelType(const format::Format &format, int k) {
  if (format.levels[k].isFullyDense())
    return *sparse::buildLevelType(sparse::LevelFormat::Dense, {});
  // Repeats at the innermost listed level need no mark: operands that have them are never merged there.
  std::vector<sparse::LevelPropNonDefault> properties;
  if (isSingletonBelow(format, k + 1))
    properties.push_back(sparse::LevelPropNonDefault::Nonunique);
  if (!isSingletonBelow(format, k))
    return *sparse::buildLevelType(sparse::LevelFormat::Compressed, properties);
  properties.push_back(sparse::LevelPropNonDefault::SoA);
  return *sparse::buildLevelType(sparse::LevelFormat::Singleton, properties);
}

/// Blocks have constant extents, so that their loops unroll.
llvm::SmallVector<int64_t> levelShape(const sema::Tensor &tensor) {
  llvm::SmallVector<int64_t> shape;
  for (const Level &level : tensor.format.levels)
    shape.push_back(level.part == Part::Remainder ? level.block : mlir::ShapedType::kDynamic);
  return shape;
}

/// Collects the keys of one level.
class LevelKeys {
public:
  LevelKeys(const sema::Tensor &tensor, const sema::Kernel &kernel, mlir::MLIRContext &context)
      : tensor_(tensor), kernel_(kernel), builder_(&context) {}

  mlir::DictionaryAttr of(int k) {
    keys_.clear();
    const Level &level = tensor_.format.levels[k];
    if (level.isFixedWidth())
      add("fixed", level.width ? mlir::Attribute(builder_.getI64IntegerAttr(*level.width))
                               : BindAttr::get(builder_.getContext(), BindKind::Width, tensor_.name, k));
    else if (level.isSingleton() && !isSingletonBelow(tensor_.format, k))
      add("fixed", builder_.getI64IntegerAttr(1));
    if (level.extent == Extent::Closed)
      addClosed(k);
    if (level.isRaggedDense())
      add("implicit", builder_.getUnitAttr());
    if (level.part == Part::Difference)
      add("signed", builder_.getUnitAttr());
    if (!level.ordered)
      add("unordered", builder_.getUnitAttr());
    if (tensor_.format.interleaved && !level.isDense())
      addInterleaved(k);
    return builder_.getDictionaryAttr(keys_);
  }

private:
  void add(llvm::StringRef key, mlir::Attribute value) { keys_.push_back(builder_.getNamedAttr(key, value)); }

  mlir::Attribute form(const format::ClosedForm &closed) {
    return builder_.getDenseI64ArrayAttr({closed.constant, closed.slope, closed.size});
  }

  mlir::Attribute extentOf(int dim) { return ExtentAttr::get(builder_.getContext(), kernel_.extents[tensor_.extents[dim]].name); }

  void addClosed(int k) {
    const Level &level = tensor_.format.levels[k];
    add("closed", form(level.length));
    add("of", extentOf(level.dim));
    if (k > 0)
      add("parents", extentOf(tensor_.format.levels[k - 1].dim));
    if (level.isRaggedDense())
      add("start", form(level.start));
  }

  void addInterleaved(int k) {
    const int first = tensor_.format.firstListed();
    add("interleaved", builder_.getDenseI64ArrayAttr({tensor_.format.levelCount() - first, k - first}));
  }

  const sema::Tensor &tensor_;
  const sema::Kernel &kernel_;
  mlir::Builder builder_;
  llvm::SmallVector<mlir::NamedAttribute> keys_;
};

} // namespace

mlir::RankedTensorType denseType(const sema::Tensor &tensor, mlir::MLIRContext &context) {
  llvm::SmallVector<int64_t> shape(tensor.order(), mlir::ShapedType::kDynamic);
  return mlir::RankedTensorType::get(shape, elementType(tensor.type, context));
}

mlir::RankedTensorType sparseType(const sema::Tensor &tensor, mlir::MLIRContext &context) {
  llvm::SmallVector<sparse::LevelType> levels;
  for (int k = 0; k < tensor.format.levelCount(); ++k)
    levels.push_back(levelType(tensor.format, k));
  auto encoding = sparse::SparseTensorEncodingAttr::get(
      &context, levels, mlir::AffineMap::getMultiDimIdentityMap(levels.size(), &context), mlir::AffineMap(),
      format::bits(tensor.format.pointers), format::bits(tensor.format.indices));
  return mlir::RankedTensorType::get(levelShape(tensor), elementType(tensor.type, context), encoding);
}

mlir::RankedTensorType standInType(const sema::Tensor &tensor, mlir::MLIRContext &context) {
  return mlir::RankedTensorType::get(levelShape(tensor), elementType(tensor.type, context));
}

llvm::SmallVector<ExtentAttr> dimensionAttributes(const sema::Tensor &tensor, const sema::Kernel &kernel,
                                                  mlir::MLIRContext &context) {
  llvm::SmallVector<ExtentAttr> extents;
  for (sema::ExtentId extent : tensor.extents)
    extents.push_back(ExtentAttr::get(&context, kernel.extents[extent].name));
  return extents;
}

llvm::SmallVector<ExtentAttr> extentAttributes(const sema::Tensor &tensor, const sema::Kernel &kernel,
                                               mlir::MLIRContext &context) {
  if (tensor.format.isDense())
    return dimensionAttributes(tensor, kernel, context);
  llvm::SmallVector<ExtentAttr> extents;
  for (const Level &level : tensor.format.levels) {
    const llvm::StringRef name = kernel.extents[tensor.extents[level.dim]].name;
    switch (level.part) {
    case Part::Whole:
      extents.push_back(ExtentAttr::get(&context, name));
      break;
    case Part::Quotient:
      extents.push_back(ExtentAttr::get(&context, name, level.block));
      break;
    case Part::Remainder:
    case Part::Difference:
      extents.push_back(ExtentAttr::get(&context, {}));
      break;
    }
  }
  return extents;
}

mlir::ArrayAttr levelAttributes(const sema::Tensor &tensor, const sema::Kernel &kernel, mlir::MLIRContext &context) {
  LevelKeys keys(tensor, kernel, context);
  llvm::SmallVector<mlir::Attribute> levels;
  for (int k = 0; k < tensor.format.levelCount(); ++k)
    levels.push_back(keys.of(k));
  return mlir::ArrayAttr::get(&context, levels);
}

mlir::DictionaryAttr scheduleAttribute(const sema::Schedule &schedule, const sema::Step &step,
                                       mlir::MLIRContext &context) {
  mlir::Builder builder(&context);
  llvm::SmallVector<mlir::NamedAttribute> keys;
  const auto add = [&](llvm::StringRef key, const std::optional<int64_t> &value) {
    if (value)
      keys.push_back(builder.getNamedAttr(key, builder.getI64IntegerAttr(*value)));
  };
  add("tile", schedule.tile);
  add("unroll", schedule.unroll);
  add("prefetch", schedule.prefetch);
  add("chunk", schedule.chunk);
  if (schedule.parallel) {
    llvm::StringRef variable = *schedule.parallel;
    if (!sema::hasOutermostLoop(step, *schedule.parallel))
      variable = sema::kNotParallel;
    keys.push_back(builder.getNamedAttr("parallel", builder.getStringAttr(variable)));
  }
  return builder.getDictionaryAttr(keys);
}

bool hasPadding(const format::Format &format) {
  return llvm::any_of(format.levels, [](const Level &level) {
    return level.part == Part::Remainder || level.part == Part::Difference;
  });
}

} // namespace spc::mlirgen
