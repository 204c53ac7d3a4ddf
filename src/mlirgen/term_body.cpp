#include "mlirgen/term_body.h"

#include "mlirgen/types.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

namespace spc::mlirgen {
namespace {

namespace arith = mlir::arith;
namespace sparse = mlir::sparse_tensor;

class ExprEmitter {
public:
  ExprEmitter(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange arguments)
      : body_(body), builder_(builder), location_(location), type_(floatType(body.computeType, *builder.getContext())) {
    size_t next = 0;
    for (mlir::Value scalar : body.scalars)
      uses_.push_back(scalar ? scalar : arguments[next++]);
  }

  mlir::Value emit(const sema::Expr &expr) {
    return std::visit([this](const auto &node) { return emitNode(node); }, expr.node);
  }

  /// `value` as `type`, widened or rounded.
  mlir::Value convert(mlir::Value value, mlir::Type type) {
    if (value.getType() == type)
      return value;
    if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(builder_, location_, type, value);
    return arith::TruncFOp::create(builder_, location_, type, value);
  }

  /// `value` added up `body.repeats` times; zero times is 0, whatever the value.
  mlir::Value repeat(mlir::Value value) {
    if (!body_.repeats)
      return value;
    if (!body_.hasSparseOperand)
      return multiplyByCount(value);
    auto op = sparse::UnaryOp::create(builder_, location_, type_, value);
    mlir::OpBuilder::InsertionGuard guard(builder_);
    mlir::Block *present = builder_.createBlock(&op.getPresentRegion(), {}, {type_}, {location_});
    sparse::YieldOp::create(builder_, location_, multiplyByCount(present->getArgument(0)));
    return op.getResult();
  }

private:
  mlir::Value multiplyByCount(mlir::Value value) {
    mlir::Type integer = builder_.getI64Type();
    mlir::Value count = arith::IndexCastOp::create(builder_, location_, integer, body_.repeats);
    mlir::Value factor = arith::UIToFPOp::create(builder_, location_, type_, count);
    mlir::Value product = arith::MulFOp::create(builder_, location_, value, factor);
    mlir::Value none = arith::ConstantOp::create(builder_, location_, builder_.getI64IntegerAttr(0));
    mlir::Value zero = arith::ConstantOp::create(builder_, location_, builder_.getFloatAttr(type_, 0));
    mlir::Value isEmpty = arith::CmpIOp::create(builder_, location_, arith::CmpIPredicate::eq, count, none);
    return arith::SelectOp::create(builder_, location_, isEmpty, zero, product);
  }

  mlir::Value emitNode(const sema::Literal &literal) {
    return arith::ConstantOp::create(builder_, location_, builder_.getFloatAttr(type_, literal.value));
  }

  mlir::Value emitNode(const sema::Use &use) { return convert(uses_[use.operand], type_); }

  mlir::Value emitNode(const sema::Negate &negate) {
    return arith::NegFOp::create(builder_, location_, emit(*negate.operand));
  }

  mlir::Value emitNode(const sema::Binary &binary) {
    mlir::Value left = emit(*binary.left);
    mlir::Value right = emit(*binary.right);
    switch (binary.op) {
    case sema::BinaryOp::Add:
      return arith::AddFOp::create(builder_, location_, left, right);
    case sema::BinaryOp::Sub:
      return arith::SubFOp::create(builder_, location_, left, right);
    case sema::BinaryOp::Mul:
      return arith::MulFOp::create(builder_, location_, left, right);
    case sema::BinaryOp::Div:
      return divide(left, right);
    }
    llvm_unreachable("every operator is handled");
  }

  mlir::Value divide(mlir::Value numerator, mlir::Value divisor) {
    if (!body_.hasSparseOperand)
      return arith::DivFOp::create(builder_, location_, numerator, divisor);
    auto op = sparse::BinaryOp::create(builder_, location_, type_, numerator, divisor);
    mlir::OpBuilder::InsertionGuard guard(builder_);
    mlir::Block *overlap = builder_.createBlock(&op.getOverlapRegion(), {}, {type_, type_}, {location_, location_});
    auto quotient = arith::DivFOp::create(builder_, location_, overlap->getArgument(0), overlap->getArgument(1));
    sparse::YieldOp::create(builder_, location_, quotient.getResult());
    return op.getResult();
  }

  const TermBody &body_;
  mlir::OpBuilder &builder_;
  mlir::Location location_;
  mlir::FloatType type_;
  llvm::SmallVector<mlir::Value> uses_;
};

} // namespace

void emitTermBody(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange arguments) {
  ExprEmitter emitter(body, builder, location, arguments);
  mlir::Value target = arguments.back();
  mlir::Value value = emitter.convert(emitter.repeat(emitter.emit(*body.term.expr)), target.getType());
  if (!body.term.overwrites)
    value = arith::AddFOp::create(builder, location, target, value);
  mlir::linalg::YieldOp::create(builder, location, value);
}

} // namespace spc::mlirgen
