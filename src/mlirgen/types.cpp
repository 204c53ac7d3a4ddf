#include "mlirgen/types.h"

#include "sema/division.h"

#include "format/levels.h"
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
using format::Level;
using format::LevelKind;
using format::Part;

namespace {

sparse::LevelType levelType(const format::Format &format, int k) {
  // Repeats at the innermost listed level need no mark: operands that have them are never merged there.
  std::vector<sparse::LevelPropNonDefault> properties;
  if (format::continuesParent(format, k + 1))
    properties.push_back(sparse::LevelPropNonDefault::Nonunique);
  switch (format::kindOf(format, k)) {
  case LevelKind::Dense:
    return *sparse::buildLevelType(sparse::LevelFormat::Dense, {});
  case LevelKind::Singleton:
    properties.push_back(sparse::LevelPropNonDefault::SoA);
    return *sparse::buildLevelType(sparse::LevelFormat::Singleton, properties);
  case LevelKind::Compressed:
  case LevelKind::FixedWidth:
  case LevelKind::RaggedDense:
  case LevelKind::ClosedDense:
  case LevelKind::ClosedCompressed:
    break;
  }
  return *sparse::buildLevelType(sparse::LevelFormat::Compressed, properties);
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
    const bool isListed = tensor_.format.interleaved && !level.isDense();
    const int first = tensor_.format.firstListed();
    std::optional<int64_t> fixed;
    BindAttr width;
    FormAttr length, start;
    bool isImplicit = false;
    switch (format::kindOf(tensor_.format, k)) {
    case LevelKind::Dense:
    case LevelKind::Compressed:
    case LevelKind::Singleton:
      break;
    case LevelKind::FixedWidth:
      fixed = level.width;
      if (!level.width)
        width = BindAttr::get(context_, BindKind::Width, tensor_.name, k);
      break;
    case LevelKind::RaggedDense:
      isImplicit = true;
      break;
    case LevelKind::ClosedDense:
      isImplicit = true;
      length = form(level.length);
      start = form(level.start);
      break;
    case LevelKind::ClosedCompressed:
      length = form(level.length);
      break;
    }
    return LevelAttr::get(context_, fixed, width, length, length ? extentOf(level) : ExtentAttr(),
                          length && k > 0 ? extentOf(tensor_.format.levels[k - 1]) : ExtentAttr(), start, isImplicit,
                          isListed ? k - first : -1, isListed ? listedLevels() : 0, level.part == Part::Difference,
                          !level.ordered, level.isFound);
  }

private:
  /// Of a temporary's, its tail is none.
  int64_t listedLevels() const {
    return llvm::count_if(tensor_.format.levels, [](const Level &level) { return !level.isDense(); });
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
  return denseType(tensor, tensor.type, context);
}

mlir::RankedTensorType denseType(const sema::Tensor &tensor, sema::ValueType type, mlir::MLIRContext &context) {
  llvm::SmallVector<int64_t> shape(tensor.order(), mlir::ShapedType::kDynamic);
  return mlir::RankedTensorType::get(shape, elementType(type, context));
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

mlir::RankedTensorType proxyType(const sema::Tensor &tensor, mlir::MLIRContext &context) {
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

llvm::SmallVector<LevelAttr> levelAttributes(const sema::Tensor &tensor, const sema::Kernel &kernel,
                                             mlir::MLIRContext &context) {
  const LevelDescriber describer(tensor, kernel, context);
  llvm::SmallVector<LevelAttr> levels;
  for (int k = 0; k < tensor.format.levelCount(); ++k)
    levels.push_back(describer.of(k));
  return levels;
}

dialect::DivisionAttr divisionAttribute(const sema::Kernel &kernel, const sema::Statement &statement,
                                        mlir::MLIRContext &context) {
  const sema::Division division = sema::divisionOf(kernel, statement);
  if (division.kind == sema::Division::Kind::None)
    return {};
  const auto items = [&] {
    if (!division.items)
      return dialect::BindAttr::get(&context, dialect::BindKind::Count, kernel.tensors[*division.root].name, 0);
    const std::string &extent = kernel.extents[division.items->extent].name;
    return dialect::BindAttr::get(dialect::ExtentAttr::get(&context, extent, division.items->block));
  };
  const bool isOwned = division.kind == sema::Division::Kind::Owners;
  return dialect::DivisionAttr::get(&context, isOwned ? dialect::DivisionKind::Owners : dialect::DivisionKind::Copies,
                                    items());
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

} // namespace spc::mlirgen
