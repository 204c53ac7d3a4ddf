#include "ingress/encodings.h"

#include "format/rule.h"

#include "mlir/IR/BuiltinTypes.h"

namespace spc::ingress {

namespace sparse = mlir::sparse_tensor;
using format::Level;
using mlir::AffineExprKind;

namespace {

std::optional<format::IndexType> indexType(unsigned width) {
  switch (width) {
  case 8:
    return format::IndexType::U8;
  case 16:
    return format::IndexType::U16;
  case 32:
    return format::IndexType::I32;
  case 0: // that of `index`
  case 64:
    return format::IndexType::I64;
  default:
    return std::nullopt;
  }
}

/// The dimension of -d.
std::optional<int> negated(mlir::AffineExpr expr) {
  auto product = mlir::dyn_cast<mlir::AffineBinaryOpExpr>(expr);
  if (!product || product.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(product.getLHS());
  auto factor = mlir::dyn_cast<mlir::AffineConstantExpr>(product.getRHS());
  return dim && factor && factor.getValue() == -1 ? std::optional<int>(dim.getPosition()) : std::nullopt;
}

/// Which coordinate a level has. False of one that no format has.
bool setCoordinate(Level &level, mlir::AffineExpr expr) {
  if (auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expr)) {
    level.dim = dim.getPosition();
    return true;
  }
  auto binary = mlir::dyn_cast<mlir::AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(binary.getLHS());
  auto number = mlir::dyn_cast<mlir::AffineConstantExpr>(binary.getRHS());
  if (dim && number && (expr.getKind() == AffineExprKind::FloorDiv || expr.getKind() == AffineExprKind::Mod)) {
    level.dim = dim.getPosition();
    level.part = expr.getKind() == AffineExprKind::Mod ? format::Part::Remainder : format::Part::Quotient;
    level.block = number.getValue();
    return level.block > 0;
  }
  if (expr.getKind() != AffineExprKind::Add)
    return false;
  auto right = mlir::dyn_cast<mlir::AffineDimExpr>(binary.getRHS());
  const std::optional<int> minusRight = negated(binary.getRHS()), minusLeft = negated(binary.getLHS());
  level.part = format::Part::Difference;
  if (dim && minusRight) {
    level.dim = dim.getPosition();
    level.minus = *minusRight;
    return true;
  }
  if (right && minusLeft) {
    level.dim = right.getPosition();
    level.minus = *minusLeft;
    return true;
  }
  return false;
}

/// How a level lists its coordinates; why it does not in a format.
std::string setStorage(Level &level, sparse::LevelType type) {
  switch (type.getLvlFmt()) {
  case sparse::LevelFormat::Dense:
  case sparse::LevelFormat::Batch:
    return "";
  case sparse::LevelFormat::Compressed:
  case sparse::LevelFormat::LooseCompressed:
    level.extent = format::Extent::Ragged;
    break;
  case sparse::LevelFormat::Singleton:
    level.width = 1;
    break;
  case sparse::LevelFormat::NOutOfM:
    level.width = sparse::getN(type);
    break;
  case sparse::LevelFormat::Undef:
    return "an undefined level";
  }
  level.storage = format::Storage::Compressed;
  level.unique = !type.isa<sparse::LevelPropNonDefault::Nonunique>();
  level.ordered = !type.isa<sparse::LevelPropNonDefault::Nonordered>();
  return "";
}

/// Whether the coordinates of a COO are one array of structs; singletons say so by what they lack.
bool isInterleaved(sparse::SparseTensorEncodingAttr encoding) {
  return llvm::any_of(encoding.getLvlTypes(), [](sparse::LevelType type) {
    return type.isa<sparse::LevelFormat::Singleton>() && !type.isa<sparse::LevelPropNonDefault::SoA>();
  });
}

/// How arrays differ from those that MLIR's levels have; empty where they do not.
std::string differenceOf(sparse::SparseTensorEncodingAttr encoding) {
  const auto has = [&](sparse::LevelFormat format) {
    return llvm::any_of(encoding.getLvlTypes(), [&](sparse::LevelType type) { return type.getLvlFmt() == format; });
  };
  std::string difference;
  if (has(sparse::LevelFormat::Batch))
    difference = "a batch is a dense level, whose arrays go on from one to the next without padding";
  if (has(sparse::LevelFormat::LooseCompressed))
    difference += std::string(difference.empty() ? "" : "; ") +
                  "a loose_compressed level is a compressed one, whose segments begin where others end";
  return difference;
}

} // namespace

FormatOrReason formatOf(sparse::SparseTensorEncodingAttr encoding) {
  format::Format format;
  const auto pointers = indexType(encoding.getPosWidth()), indices = indexType(encoding.getCrdWidth());
  if (!pointers || !indices)
    return {std::nullopt, "positions or coordinates of another width than 8, 16, 32 or 64 bits", {}};
  format.pointers = *pointers;
  format.indices = *indices;
  const mlir::AffineMap map = encoding.getDimToLvl();
  for (unsigned k = 0; k < encoding.getLvlTypes().size(); ++k) {
    Level level;
    const mlir::AffineExpr expr = map ? map.getResult(k) : mlir::getAffineDimExpr(k, encoding.getContext());
    if (!setCoordinate(level, expr))
      return {std::nullopt, "a level of another coordinate than i, i floordiv n, i mod n or j - i", {}};
    if (std::string reason = setStorage(level, encoding.getLvlTypes()[k]); !reason.empty())
      return {std::nullopt, std::move(reason), {}};
    format.levels.push_back(level);
  }
  if (const std::optional<format::LevelProblem> problem = format::checkLevels(format.levels))
    return {std::nullopt, problem->message, {}};
  format.interleaved = isInterleaved(encoding);
  if (!format.hasPointers())
    format.pointers = format::IndexType::I32;
  if (!format.hasIndices())
    format.indices = format::IndexType::I32;
  return {std::move(format), "", differenceOf(encoding)};
}

std::string typeName(mlir::Type type) {
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (type.isF32())
    return "f32";
  if (type.isF64())
    return "f64";
  if (type.isIndex())
    return "i64";
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return "bool";
    for (unsigned width : {8, 16, 32, 64})
      if (integer.getWidth() == width)
        return (integer.isUnsigned() ? "u" : "i") + std::to_string(width);
  }
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return "cf32";
    if (complex.getElementType().isF64())
      return "cf64";
  }
  return "";
}

std::string withoutSign(mlir::Type type) {
  return "u" + typeName(type).substr(1);
}

bool listsEntries(mlir::Type type) {
  const auto encoding = sparse::getSparseTensorEncoding(type);
  return encoding && !encoding.isAllDense();
}

} // namespace spc::ingress
