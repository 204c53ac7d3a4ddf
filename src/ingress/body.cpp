#include "ingress/body.h"

#include "ingress/encodings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>

namespace spc::ingress {

namespace arith = mlir::arith;
namespace complex = mlir::complex;
namespace math = mlir::math;
using language::BinaryOp;
using language::Function;
using syntax::ExprPtr;

namespace {

/// A tree larger than this is refused: a value that is used twice is written twice, over and over.
constexpr size_t kMostNodes = 20'000;

std::optional<BinaryOp> arithmeticOf(mlir::Operation *operation) {
  if (mlir::isa<arith::AddFOp, arith::AddIOp, complex::AddOp>(operation))
    return BinaryOp::Add;
  if (mlir::isa<arith::SubFOp, arith::SubIOp, complex::SubOp>(operation))
    return BinaryOp::Sub;
  if (mlir::isa<arith::MulFOp, arith::MulIOp, complex::MulOp>(operation))
    return BinaryOp::Mul;
  if (mlir::isa<arith::DivFOp, complex::DivOp>(operation))
    return BinaryOp::Div;
  return std::nullopt;
}

bool isBit(mlir::Value value) {
  return value.getType().isInteger(1);
}

} // namespace

bool isComputed(mlir::Operation *operation) {
  const mlir::Type type = operation->getResult(0).getType();
  return (type.isIntOrIndexOrFloat() || mlir::isa<mlir::ComplexType>(type)) &&
         mlir::isa_and_nonnull<arith::ArithDialect, math::MathDialect, complex::ComplexDialect>(
             operation->getDialect());
}

Element BodyReader::tooLarge() {
  raiser_.refuse(kModuleSize, statement_, "this has more than 20000 operations once each value is written out");
  return nothing();
}

Element BodyReader::read(mlir::Value value) {
  if (const auto known = known_.find(value); known != known_.end()) {
    size_ += ingress::sizeOf(*known->second.value);
    return size_ > kMostNodes ? tooLarge() : clone(known->second);
  }
  if (const auto scalar = raiser_.scalars_.find(value); scalar != raiser_.scalars_.end()) {
    size_ += ingress::sizeOf(*scalar->second.value);
    return size_ > kMostNodes ? tooLarge() : clone(scalar->second);
  }
  if (const auto size = raiser_.sizes_.find(value); size != raiser_.sizes_.end())
    return {sizeExpr(maker(), size->second), nullptr};
  mlir::Operation *operation = value.getDefiningOp();
  if (size_ > kMostNodes)
    return tooLarge();
  mlir::Attribute constant;
  if (operation && mlir::matchPattern(value, mlir::m_Constant(&constant)))
    return {literal(constant, value.getType()), nullptr};
  if (!operation || (!isComputed(operation) && !mlir::isa<mlir::linalg::IndexOp, mlir::tensor::ExtractOp>(operation) &&
                     operation->getName().getDialectNamespace() != "sparse_tensor")) {
    const bool isOnItsWay = mlir::isa<mlir::BlockArgument>(value) && mlir::isa<mlir::linalg::GenericOp>(statement_);
    raiser_.refuse(isOnItsWay ? kModuleReduction : kModuleOperation, operation ? operation : statement_,
                   operation    ? "'" + operation->getName().getStringRef().str() +
                                      "' has no counterpart in an expression of the kernel language"
                   : isOnItsWay ? "what one result holds on the way is read for another one"
                                : std::string("a value that is no number of the kernel language"));
    return nothing();
  }
  mlir::Operation *outer = at_;
  at_ = operation;
  Element element = readOperation(operation, value);
  at_ = outer;
  size_ += ingress::sizeOf(*element.value);
  return element;
}

ExprPtr BodyReader::literal(mlir::Attribute value, mlir::Type type) {
  const Maker make = maker();
  mlir::Operation *user = at_ ? at_ : statement_;
  if (auto number = mlir::dyn_cast<mlir::FloatAttr>(value)) {
    const double known = number.getValueAsDouble();
    return std::isnan(known) ? raiser_.constant(user, {known}, type) : make.number(known);
  }
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(value))
    return type.isInteger(1) ? make.truth(!integer.getValue().isZero())
                             : make.integer(integer.getValue().getSExtValue());
  const auto parts = mlir::dyn_cast<mlir::ArrayAttr>(value);
  const auto real = parts && parts.size() == 2 ? mlir::dyn_cast<mlir::FloatAttr>(parts[0]) : mlir::FloatAttr();
  const auto imaginary = real ? mlir::dyn_cast<mlir::FloatAttr>(parts[1]) : mlir::FloatAttr();
  if (imaginary)
    return imaginary.getValue().isZero() && !imaginary.getValue().isNegative()
               ? literal(real, real.getType())
               : raiser_.constant(user, {real.getValueAsDouble(), imaginary.getValueAsDouble()}, type);
  raiser_.refuse(kModuleConstant, user, "a number that the kernel language does not have");
  return make.number(0);
}

ExprPtr BodyReader::both(ExprPtr left, ExprPtr right) {
  if (!left || !right)
    return left ? std::move(left) : std::move(right);
  if (isNumber(*left, 0) || isNumber(*right, 0))
    return maker().truth(false);
  return maker().call(Function::And, std::move(left), std::move(right));
}

ExprPtr BodyReader::either(ExprPtr left, ExprPtr right) {
  if (!left || !right)
    return nullptr;
  if (isNumber(*left, 0))
    return right;
  if (isNumber(*right, 0))
    return left;
  return maker().call(Function::Or, std::move(left), std::move(right));
}

Element BodyReader::readOperation(mlir::Operation *operation, mlir::Value value) {
  const Maker make = maker();
  if (auto index = mlir::dyn_cast<mlir::linalg::IndexOp>(operation)) {
    const std::string &loop = loops_[index.getDim()];
    const auto known = fixed_.find(loop);
    return {known == fixed_.end() ? make.name(loop) : make.integer(known->second), nullptr};
  }
  if (auto extract = mlir::dyn_cast<mlir::tensor::ExtractOp>(operation))
    return readExtract(extract);
  if (auto unary = mlir::dyn_cast<mlir::sparse_tensor::UnaryOp>(operation))
    return readUnary(unary);
  if (auto binary = mlir::dyn_cast<mlir::sparse_tensor::BinaryOp>(operation))
    return readBinary(binary);
  if (auto select = mlir::dyn_cast<mlir::sparse_tensor::SelectOp>(operation))
    return readSelect(select);
  if (mlir::isa<arith::CmpFOp, arith::CmpIOp>(operation))
    return readComparison(operation);
  if (mlir::isa<arith::SelectOp>(operation))
    return readSelection(operation);
  if (const std::optional<BinaryOp> op = arithmeticOf(operation)) {
    Element left = read(operation->getOperand(0)), right = read(operation->getOperand(1));
    ExprPtr domain = *op == BinaryOp::Mul   ? both(std::move(left.domain), std::move(right.domain))
                     : *op == BinaryOp::Div ? std::move(left.domain)
                                            : either(std::move(left.domain), std::move(right.domain));
    if (isBit(value)) // of bits, a sum wraps around
      return {make.call(*op == BinaryOp::Mul ? Function::And : Function::Xor, std::move(left.value),
                        std::move(right.value)),
              std::move(domain)};
    return {make.binary(*op, std::move(left.value), std::move(right.value)), std::move(domain)};
  }
  return readConversion(operation);
}

} // namespace spc::ingress
