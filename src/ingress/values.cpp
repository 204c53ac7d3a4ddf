// Constants, sizes and scalars.
#include "ingress/body.h"
#include "ingress/encodings.h"
#include "ingress/raiser.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

namespace spc::ingress {

namespace sparse = mlir::sparse_tensor;
using language::ExtentSum;

namespace {

/// A number of a constant's elements.
language::ConstantNumber numberOf(const llvm::APInt &value, bool isSigned) {
  llvm::SmallString<24> digits;
  const bool isNegative = isSigned && value.isNegative() && value.getBitWidth() > 1;
  (isNegative ? -value.sext(value.getBitWidth() + 1) : value.zext(value.getBitWidth() + 1)).toString(digits, 10, false);
  language::ConstantNumber number = language::integerOfDigits(std::string_view(digits.data(), digits.size()));
  if (isNegative) {
    number.real = -number.real;
    number.rest = static_cast<int16_t>(-number.rest);
  }
  return number;
}

double doubleOf(llvm::APFloat value) {
  bool loses = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return value.convertToDouble();
}

/// All elements, row by row; false of types that constants do not have.
bool collect(mlir::ElementsAttr elements, std::vector<language::ConstantNumber> &numbers) {
  const mlir::Type type = elements.getElementType();
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type); integer || type.isIndex()) {
    if (auto values = elements.tryGetValues<llvm::APInt>())
      for (const llvm::APInt &value : *values)
        numbers.push_back(numberOf(value, !integer || !integer.isUnsigned()));
    else
      return false;
  } else if (mlir::isa<mlir::FloatType>(type)) {
    if (auto values = elements.tryGetValues<llvm::APFloat>())
      for (const llvm::APFloat &value : *values)
        numbers.push_back({doubleOf(value)});
    else
      return false;
  } else if (auto values = elements.tryGetValues<std::complex<llvm::APFloat>>()) {
    for (const std::complex<llvm::APFloat> &value : *values)
      numbers.push_back({doubleOf(value.real()), doubleOf(value.imag())});
  } else {
    return false;
  }
  return true;
}

/// The numbers of a resource, whose bytes are those of a dense array.
mlir::ElementsAttr withBytes(mlir::ElementsAttr elements) {
  auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(elements);
  bool detectsSplat = false;
  mlir::AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return elements;
  auto type = mlir::cast<mlir::RankedTensorType>(resource.getType());
  return mlir::DenseElementsAttr::isValidRawBuffer(type, blob->getData(), detectsSplat)
             ? mlir::DenseElementsAttr::getFromRawBuffer(type, blob->getData())
             : elements;
}

} // namespace

bool Raiser::readValue(mlir::Operation *operation) {
  mlir::Attribute constant;
  if (operation->getNumResults() == 1 && mlir::matchPattern(operation, mlir::m_Constant(&constant))) {
    readConstant(operation, operation->getResult(0), constant);
    return true;
  }
  if (readSize(operation))
    return true;
  if (auto extract = mlir::dyn_cast<mlir::tensor::ExtractOp>(operation)) {
    BodyReader body(*this, operation);
    scalars_[extract.getResult()] = body.read(extract.getResult());
    return true;
  }
  if (auto elements = mlir::dyn_cast<mlir::tensor::FromElementsOp>(operation);
      elements && elements.getElements().size() == 1) {
    held_[elements.getResult()] = {Held::Kind::Same, "", scalar(operation, elements.getElements().front()),
                                   extentsOf(elements.getType(), {}), false};
    return true;
  }
  if (auto splat = mlir::dyn_cast<mlir::tensor::SplatOp>(operation)) {
    held_[splat.getResult()] = {
        Held::Kind::Same, "", scalar(operation, splat.getInput()),
        extentsOf(splat.getType(),
                  mlir::getMixedValues(splat.getType().getShape(), splat.getDynamicSizes(), operation->getContext())),
        false};
    return true;
  }
  if (auto count = mlir::dyn_cast<sparse::NumberOfEntriesOp>(operation)) {
    const Held *source = find(operation, count.getTensor());
    if (!source)
      return true;
    const Maker make = maker(operation);
    const std::vector<std::string> loops = loopNames(source->extents.size());
    scalars_[count.getResult()] = {
        make.reduce(language::Reduction::Sum, loops,
                    make.cast("i64", make.call(language::Function::Pattern,
                                               make.access(source->name, plain(operation, loops))))),
        nullptr};
    return true;
  }
  if (operation->getNumResults() == 1 && operation->getNumRegions() == 0 && isComputed(operation)) {
    readScalar(operation);
    return true;
  }
  return false;
}

void Raiser::readScalar(mlir::Operation *operation) {
  BodyReader body(*this, operation);
  const bool isOfRefused = llvm::any_of(
      operation->getOperands(), [&](mlir::Value operand) { return refused_.contains(operand.getDefiningOp()); });
  if (isOfRefused)
    refused_.insert(operation);
  Element value = isOfRefused ? Element{} : body.read(operation->getResult(0));
  if (refused_.contains(operation)) // what is left of it is not made larger
    value = {maker(operation).number(0), nullptr};
  scalars_[operation->getResult(0)] = std::move(value);
}

void Raiser::readConstant(mlir::Operation *operation, mlir::Value result, mlir::Attribute value) {
  if (auto elements = mlir::dyn_cast<mlir::ElementsAttr>(value))
    return declareConstant(operation, result, elements);
  BodyReader body(*this, operation);
  scalars_[result] = {body.literal(value, result.getType()), nullptr};
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(value); integer && result.getType().isIndex())
    sizes_[result] = {{}, integer.getInt()};
}

syntax::ExprPtr Raiser::constant(mlir::Operation *user, language::ConstantNumber number, mlir::Type type) {
  const Maker make = maker(user);
  auto value = std::make_shared<language::ConstantDecl>();
  value->numbers.push_back(number);
  value->where = make.where();
  const std::string name = freshName("literal");
  declare(name, type, {}, make.where(), false);
  constants_[name] = value;
  kernel_.tree.declarations.back().constant = std::move(value);
  return make.name(name);
}

bool Raiser::isNaN(const syntax::Expr &number) const {
  const auto *access = std::get_if<syntax::Access>(&number.node);
  const auto known = access ? constants_.find(access->tensor.text) : constants_.end();
  return known != constants_.end() && known->second->shape.empty() && std::isnan(known->second->numbers.front().real);
}

void Raiser::declareConstant(mlir::Operation *operation, mlir::Value result, mlir::ElementsAttr elements) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(result.getType());
  if (!type) {
    refuse(kModuleConstant, operation, "a constant that is no ranked tensor");
    return;
  }
  std::vector<language::ExtentDecl> extents = extentsOf(type, {});
  if (elements.isSplat() && !mlir::isa<mlir::SparseElementsAttr>(elements)) {
    BodyReader body(*this, operation);
    held_[result] = {Held::Kind::Same, "",
                     body.literal(elements.getSplatValue<mlir::Attribute>(), type.getElementType()), std::move(extents),
                     false};
    return;
  }
  const Span where = places_.of(operation);
  auto constant = std::make_shared<language::ConstantDecl>();
  constant->shape = type.getShape();
  constant->where = where;
  if (!collect(withBytes(elements), constant->numbers)) {
    refuse(kModuleConstant, operation, "the numbers of this constant cannot be read");
    return;
  }
  const std::string name = freshName("literal");
  declare(name, type, extents, where, false);
  constants_[name] = constant;
  kernel_.tree.declarations.back().constant = std::move(constant);
  held_[result] = {Held::Kind::Stored, name, nullptr, std::move(extents), false};
}

std::vector<language::ExtentDecl> Raiser::extentsOf(mlir::RankedTensorType type,
                                                    llvm::ArrayRef<mlir::OpFoldResult> sizes) {
  std::vector<language::ExtentDecl> extents;
  const Span where = places_.of(function_);
  for (int64_t k = 0; k < type.getRank(); ++k)
    if (!type.isDynamicDim(k))
      extents.push_back({type.getDimSize(k), where});
    else if (static_cast<size_t>(k) < sizes.size())
      extents.push_back(extentOf(sizes[k], function_));
    else
      extents.push_back({int64_t(0), where});
  return extents;
}

language::ExtentDecl Raiser::extentOf(mlir::OpFoldResult size, mlir::Operation *user) {
  const Span where = places_.of(user);
  if (std::optional<int64_t> known = mlir::getConstantIntValue(size))
    return {*known, where};
  if (const std::optional<ExtentSum> sum = sizeOf(mlir::cast<mlir::Value>(size)))
    return extentFrom(*sum, where);
  mlir::Operation *definition = mlir::cast<mlir::Value>(size).getDefiningOp();
  if (Diagnostic *wrong =
          refuse(kModuleSize, definition ? definition : user, "a tensor's size is no sum of products of other sizes"))
    wrong->advise("sizes come from arguments' dimensions, by tensor.dim, and whole numbers");
  return {int64_t(0), where};
}

std::optional<ExtentSum> Raiser::sumOf(mlir::OpFoldResult size) {
  if (std::optional<int64_t> known = mlir::getConstantIntValue(size))
    return ExtentSum{{}, *known};
  return sizeOf(mlir::cast<mlir::Value>(size));
}

syntax::ExprPtr Raiser::scalar(mlir::Operation *user, mlir::Value value) {
  return BodyReader(*this, user).read(value).value;
}

std::optional<ExtentSum> Raiser::sizeOf(mlir::Value value) {
  const auto known = sizes_.find(value);
  return known == sizes_.end() ? std::nullopt : std::optional(known->second);
}

void Raiser::readLevelSize(sparse::LvlOp level) {
  const Held *source = find(level, level.getSource());
  const std::optional<uint64_t> k = level.getConstantLvlIndex();
  const sparse::SparseTensorType type(mlir::cast<mlir::RankedTensorType>(level.getSource().getType()));
  if (!source)
    return;
  if (!k || *k >= static_cast<uint64_t>(type.getLvlRank())) {
    refuse(kModuleSize, level, "the number of a level is computed, or there is no such level");
    return;
  }
  const int64_t size = type.getLvlShape()[*k];
  const mlir::AffineExpr coordinate =
      type.isIdentity() ? mlir::getAffineDimExpr(*k, level.getContext()) : type.getDimToLvl().getResult(*k);
  const auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(coordinate);
  if (!mlir::ShapedType::isDynamic(size))
    sizes_[level.getResult()] = {{}, size};
  else if (dim)
    sizes_[level.getResult()] = sizeSum(source->extents[dim.getPosition()]);
  else
    refuse(kModuleSize, level, "how many blocks there are, where nothing says the size of the dimension");
}

bool Raiser::readSize(mlir::Operation *operation) {
  if (auto dim = mlir::dyn_cast<mlir::tensor::DimOp>(operation)) {
    const Held *source = find(operation, dim.getSource());
    const std::optional<int64_t> k = dim.getConstantIndex();
    if (!k || (source && static_cast<size_t>(*k) >= source->extents.size()))
      refuse(kModuleSize, operation, "the number of a dimension is computed, or there is no such dimension");
    else if (source)
      sizes_[dim.getResult()] = sizeSum(source->extents[*k]);
    return true;
  }
  if (auto level = mlir::dyn_cast<sparse::LvlOp>(operation)) {
    readLevelSize(level);
    return true;
  }
  if (operation->getNumResults() != 1 || !operation->getResult(0).getType().isIndex() ||
      operation->getNumOperands() != 2)
    return false;
  const std::optional<ExtentSum> left = sizeOf(operation->getOperand(0)), right = sizeOf(operation->getOperand(1));
  if (!left || !right)
    return false;
  ExtentSum sum = *left;
  if (mlir::isa<mlir::arith::MulIOp>(operation))
    sum = product(*left, *right);
  else if (mlir::isa<mlir::arith::AddIOp, mlir::arith::SubIOp>(operation))
    addTo(sum, *right, mlir::isa<mlir::arith::AddIOp>(operation) ? 1 : -1);
  else
    return false;
  sizes_[operation->getResult(0)] = std::move(sum);
  return true;
}

} // namespace spc::ingress
