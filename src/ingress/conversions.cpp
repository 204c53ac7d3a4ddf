// Conversions between types, and operations that are functions of the language.
#include "ingress/body.h"
#include "ingress/encodings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/StringMap.h"

namespace spc::ingress {

namespace arith = mlir::arith;
namespace complex = mlir::complex;
namespace math = mlir::math;
using language::BinaryOp;
using language::Function;
using syntax::ExprPtr;

namespace {

/// The operations that are functions of the language, argument by argument.
const llvm::StringMap<Function> &functions() {
  static const llvm::StringMap<Function> table = {
      {"arith.maximumf", Function::Max},
      {"arith.maxnumf", Function::MaxNumber},
      {"arith.minimumf", Function::Min},
      {"arith.minnumf", Function::MinNumber},
      {"arith.maxsi", Function::Max},
      {"arith.minsi", Function::Min},
      {"arith.divsi", Function::Divide},
      {"arith.remsi", Function::Modulo},
      {"arith.remf", Function::Modulo},
      {"arith.shli", Function::ShiftLeft},
      {"arith.shrsi", Function::ShiftRight},
      {"arith.andi", Function::BitAnd},
      {"arith.ori", Function::BitOr},
      {"arith.xori", Function::BitXor},
      {"math.absf", Function::Abs},
      {"math.absi", Function::Abs},
      {"math.floor", Function::Floor},
      {"math.ceil", Function::Ceil},
      {"math.trunc", Function::Trunc},
      {"math.round", Function::Round},
      {"math.roundeven", Function::RoundEven},
      {"math.sqrt", Function::Sqrt},
      {"math.cbrt", Function::Cbrt},
      {"math.exp", Function::Exp},
      {"math.exp2", Function::Exp2},
      {"math.expm1", Function::Expm1},
      {"math.log", Function::Log},
      {"math.log2", Function::Log2},
      {"math.log1p", Function::Log1p},
      {"math.sin", Function::Sin},
      {"math.cos", Function::Cos},
      {"math.tan", Function::Tan},
      {"math.sinh", Function::Sinh},
      {"math.cosh", Function::Cosh},
      {"math.tanh", Function::Tanh},
      {"math.asin", Function::Asin},
      {"math.acos", Function::Acos},
      {"math.atan", Function::Atan},
      {"math.asinh", Function::Asinh},
      {"math.acosh", Function::Acosh},
      {"math.atanh", Function::Atanh},
      {"math.erf", Function::Erf},
      {"math.powf", Function::Pow},
      {"math.atan2", Function::Atan2},
      {"math.copysign", Function::CopySign},
      {"complex.conj", Function::Conj},
      {"complex.re", Function::Real},
      {"complex.im", Function::Imag},
      {"complex.abs", Function::Abs},
      {"complex.angle", Function::Arg},
  };
  return table;
}

/// Those of integers without a sign, of operands as they have none.
const llvm::StringMap<Function> &unsignedFunctions() {
  static const llvm::StringMap<Function> table = {
      {"arith.maxui", Function::Max},    {"arith.minui", Function::Min},        {"arith.divui", Function::Divide},
      {"arith.remui", Function::Modulo}, {"arith.shrui", Function::ShiftRight},
  };
  return table;
}

/// Whether a function of zeros is 0, so that there is nothing where its operands have nothing.
bool keepsZero(Function function) {
  switch (function) {
  case Function::Cos:
  case Function::Cosh:
  case Function::Exp:
  case Function::Exp2:
  case Function::Log:
  case Function::Log2:
  case Function::Acos:
  case Function::Acosh:
  case Function::Pow:
  case Function::Atan2:
  case Function::Modulo:
    return false;
  default:
    return true;
  }
}

} // namespace

Element BodyReader::readConversion(mlir::Operation *operation) {
  const Maker make = maker();
  if (mlir::isa<arith::NegFOp, complex::NegOp>(operation)) {
    Element element = read(operation->getOperand(0));
    element.value = make.negate(std::move(element.value));
    return element;
  }
  if (mlir::isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::FPToSIOp, arith::TruncIOp, arith::IndexCastOp,
                arith::ExtSIOp, arith::ExtUIOp, arith::UIToFPOp, arith::IndexCastUIOp, arith::FPToUIOp>(operation))
    return readCast(operation);
  if (std::optional<Element> found = readComplex(operation))
    return std::move(*found);
  if (mlir::isa<math::RsqrtOp>(operation))
    return {make.binary(BinaryOp::Div, make.number(1), make.call(Function::Sqrt, read(operation->getOperand(0)).value)),
            nullptr};
  if (mlir::isa<math::FmaOp>(operation)) {
    Element a = read(operation->getOperand(0)), b = read(operation->getOperand(1)), c = read(operation->getOperand(2));
    ExprPtr product = make.binary(BinaryOp::Mul, std::move(a.value), std::move(b.value));
    return {make.binary(BinaryOp::Add, std::move(product), std::move(c.value)),
            either(both(std::move(a.domain), std::move(b.domain)), std::move(c.domain))};
  }
  return readFunction(operation);
}

Element BodyReader::readCast(mlir::Operation *operation) {
  const Maker make = maker();
  const mlir::Type from = operation->getOperand(0).getType(), to = operation->getResult(0).getType();
  Element element = read(operation->getOperand(0));
  const std::string type = raiser_.typeOf(operation, to);
  if (const auto *loop = std::get_if<syntax::Access>(&element.value->node);
      loop && from.isIndex() && type == "i64" && llvm::is_contained(loops_, loop->tensor.text))
    return element;      // its value has that type
  if (to.isInteger(1)) { // the last bit
    ExprPtr bit = make.call(Function::BitAnd, std::move(element.value), make.number(1));
    element.value = make.call(Function::NotEqual, std::move(bit), make.number(0));
    return element;
  }
  const bool isWithoutSign = mlir::isa<arith::ExtUIOp, arith::UIToFPOp, arith::IndexCastUIOp>(operation);
  if (isWithoutSign && !from.isInteger(1) && !from.isIndex())
    element.value = make.cast(withoutSign(from), std::move(element.value));
  if (mlir::isa<arith::FPToUIOp>(operation))
    element.value = make.cast(withoutSign(to), std::move(element.value));
  element.value = make.cast(type, std::move(element.value));
  if (mlir::isa<arith::ExtSIOp, arith::SIToFPOp>(operation) && from.isInteger(1)) // of one bit, a sign
    element.value = make.negate(std::move(element.value));
  return element;
}

Element BodyReader::readFunction(mlir::Operation *operation) {
  const Maker make = maker();
  const mlir::Type type = operation->getResult(0).getType();
  const llvm::StringRef name = operation->getName().getStringRef();
  const auto signedOne = functions().find(name), unsignedOne = unsignedFunctions().find(name);
  const bool isUnsigned = unsignedOne != unsignedFunctions().end();
  if (signedOne == functions().end() && !isUnsigned) {
    raiser_.refuse(kModuleOperation, operation, "'" + name.str() + "' has no counterpart in the kernel language");
    return nothing();
  }
  Function function = isUnsigned ? unsignedOne->second : signedOne->second;
  if (type.isInteger(1) && language::isIntegral(function))
    function = function == Function::BitAnd  ? Function::And
               : function == Function::BitOr ? Function::Or
                                             : Function::Xor;
  const bool isProduct = function == Function::And || function == Function::BitAnd;
  std::vector<ExprPtr> arguments;
  ExprPtr domain;
  for (unsigned k = 0; k < operation->getNumOperands(); ++k) {
    Element argument = read(operation->getOperand(k));
    if (k == 0)
      domain = std::move(argument.domain);
    else if (isProduct)
      domain = both(std::move(domain), std::move(argument.domain));
    else if (!language::isAbsorbedByFirst(function))
      domain = either(std::move(domain), std::move(argument.domain));
    arguments.push_back(isUnsigned ? make.cast(withoutSign(type), std::move(argument.value))
                                   : std::move(argument.value));
  }
  ExprPtr value = make.call(function, std::move(arguments));
  if (isUnsigned)
    value = make.cast(typeName(type), std::move(value));
  return {std::move(value), keepsZero(function) ? std::move(domain) : nullptr};
}

} // namespace spc::ingress
