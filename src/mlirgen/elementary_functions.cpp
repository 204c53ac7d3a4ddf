#include "mlirgen/elementary_functions.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace spc::mlirgen {

namespace math = mlir::math;
using mlir::Value;
using sema::Function;

static Value emitInverse(mlir::OpBuilder &builder, mlir::Location location, Function function, Value x) {
  switch (function) {
  case Function::Asin:
    return math::AsinOp::create(builder, location, x);
  case Function::Acos:
    return math::AcosOp::create(builder, location, x);
  case Function::Atan:
    return math::AtanOp::create(builder, location, x);
  case Function::Asinh:
    return math::AsinhOp::create(builder, location, x);
  case Function::Acosh:
    return math::AcoshOp::create(builder, location, x);
  case Function::Atanh:
    return math::AtanhOp::create(builder, location, x);
  case Function::Erf:
    return math::ErfOp::create(builder, location, x);
  default:
    llvm_unreachable("every function of one float is handled");
  }
}

Value emitElementary(mlir::OpBuilder &builder, mlir::Location location, Function function, Value x) {
  switch (function) {
  case Function::Floor:
    return math::FloorOp::create(builder, location, x);
  case Function::Ceil:
    return math::CeilOp::create(builder, location, x);
  case Function::Trunc:
    return math::TruncOp::create(builder, location, x);
  case Function::RoundEven:
    return math::RoundEvenOp::create(builder, location, x);
  case Function::Round:
    return math::RoundOp::create(builder, location, x);
  case Function::Sqrt:
    return math::SqrtOp::create(builder, location, x);
  case Function::Cbrt:
    return math::CbrtOp::create(builder, location, x);
  case Function::Exp:
    return math::ExpOp::create(builder, location, x);
  case Function::Exp2:
    return math::Exp2Op::create(builder, location, x);
  case Function::Expm1:
    return math::ExpM1Op::create(builder, location, x);
  case Function::Log:
    return math::LogOp::create(builder, location, x);
  case Function::Log2:
    return math::Log2Op::create(builder, location, x);
  case Function::Log1p:
    return math::Log1pOp::create(builder, location, x);
  case Function::Sin:
    return math::SinOp::create(builder, location, x);
  case Function::Cos:
    return math::CosOp::create(builder, location, x);
  case Function::Tan:
    return math::TanOp::create(builder, location, x);
  case Function::Sinh:
    return math::SinhOp::create(builder, location, x);
  case Function::Cosh:
    return math::CoshOp::create(builder, location, x);
  case Function::Tanh:
    return math::TanhOp::create(builder, location, x);
  default:
    return emitInverse(builder, location, function, x);
  }
}

} // namespace spc::mlirgen
