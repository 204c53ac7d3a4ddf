#include "mlirgen/types.h"

#include "mlirgen/arithmetic.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/Builders.h"

namespace spc::mlirgen {

namespace sparse = mlir::sparse_tensor;
using dialect::BindAttr;
using dialect::BindKind;
using dialect::ExtentAttr;
using dialect::FormAttr;
using dialect::LevelAttr;
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

/// Says of a tensor's levels what MLIR's level types do not.
class LevelDescriber {
public:
  LevelDescriber(const sema::Tensor &tensor, const sema::Kernel &kernel, mlir::MLIRContext &context)
      : tensor_(tensor), kernel_(kernel), context_(&context) {}

  LevelAttr of(int k) const {
    const Level &level = tensor_.format.levels[k];
    const bool isClosed = level.extent == Extent::Closed, isListed = tensor_.format.interleaved && !level.isDense();
    const int first = tensor_.format.firstListed();
    BindAttr width;
    if (level.isFixedWidth() && !level.width)
      width = BindAttr::get(context_, BindKind::Width, tensor_.name, k);
    return LevelAttr::get(context_, fixed(k), width, isClosed ? form(level.length) : FormAttr(),
                          isClosed ? extentOf(level) : ExtentAttr(),
                          isClosed && k > 0 ? extentOf(tensor_.format.levels[k - 1]) : ExtentAttr(),
                          isClosed && level.isRaggedDense() ? form(level.start) : FormAttr(), level.isRaggedDense(),
                          isListed ? k - first : -1, isListed ? tensor_.format.levelCount() - first : 0,
                          level.part == Part::Difference, !level.ordered);
  }

private:
  std::optional<int64_t> fixed(int k) const {
    const Level &level = tensor_.format.levels[k];
    if (level.isFixedWidth())
      return level.width;
    return level.isSingleton() && !isSingletonBelow(tensor_.format, k) ? std::optional<int64_t>(1) : std::nullopt;
  }

  FormAttr form(const format::ClosedForm &closed) const {
    return FormAttr::get(context_, closed.constant, closed.slope, closed.size);
  }

  ExtentAttr extentOf(const Level &level) const {
    return ExtentAttr::get(context_, kernel_.extents[tensor_.extents[level.dim]].name);
  }

  const sema::Tensor &tensor_;
  const sema::Kernel &kernel_;
  mlir::MLIRContext *context_;
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
  const LevelDescriber describer(tensor, kernel, context);
  llvm::SmallVector<mlir::Attribute> levels;
  for (int k = 0; k < tensor.format.levelCount(); ++k)
    levels.push_back(describer.of(k));
  return mlir::ArrayAttr::get(&context, levels);
}

dialect::ScheduleAttr scheduleAttribute(const sema::Schedule &schedule, const sema::Step &step,
                                        mlir::MLIRContext &context) {
  std::string_view variable = schedule.parallel ? *schedule.parallel : std::string_view();
  if (schedule.parallel && !sema::hasOutermostLoop(step, *schedule.parallel))
    variable = sema::kNotParallel;
  if (!schedule.tile && !schedule.unroll && !schedule.prefetch && !schedule.chunk && variable.empty())
    return {};
  return dialect::ScheduleAttr::get(&context, schedule.tile, schedule.unroll, schedule.prefetch, schedule.chunk,
                                    variable);
}

bool hasPadding(const format::Format &format) {
  return llvm::any_of(format.levels, [](const Level &level) {
    return level.part == Part::Remainder || level.part == Part::Difference;
  });
}

} // namespace spc::mlirgen
