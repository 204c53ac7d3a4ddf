#include "mlirgen/term_body.h"

#include "mlirgen/arithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace spc::mlirgen {
namespace {

namespace arith = mlir::arith;

class TermEmitter {
public:
  TermEmitter(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange arguments)
      : body_(body), builder_(builder), location_(location), type_(body.statement.computeType),
        arithmetic_(builder, location, body.hasSparseOperand) {
    size_t next = 0;
    for (mlir::Value scalar : body.scalars)
      uses_.push_back(scalar ? scalar : arguments[next++]);
  }

  /// The term's value for one point of its iteration space, in the target's type.
  mlir::Value value(sema::ValueType targetType) {
    mlir::Value result = emit(*body_.term.expr);
    if (body_.repeats)
      result = arithmetic_.repeat(type_, result, body_.repeats);
    for (const sema::Operand &operand : body_.term.operands)
      if (operand.skipsDiagonal) {
        const llvm::SmallVector<mlir::Value> loops = loopsOf(operand);
        result = arithmetic_.keepIf(
            type_, [&] { return isOffDiagonal(operand, loops); }, result);
      }
    return arithmetic_.convert(result, type_, targetType);
  }

  Arithmetic &arithmetic() { return arithmetic_; }

private:
  mlir::Value emit(const sema::Expr &expr) {
    return std::visit([this](const auto &node) { return emitNode(node); }, expr.node);
  }

  mlir::Value emitNode(const sema::Literal &literal) { return arithmetic_.constant(type_, literal.value); }

  mlir::Value emitNode(const sema::Use &use) {
    const sema::Operand &operand = body_.term.operands[use.operand];
    if (body_.scalars[use.operand])
      return uses_[use.operand];
    return arithmetic_.convert(uses_[use.operand], body_.kernel.tensors[operand.tensor].type, type_);
  }

  mlir::Value emitNode(const sema::Negate &negate) { return arithmetic_.negate(type_, emit(*negate.operand)); }

  mlir::Value emitNode(const sema::Binary &binary) {
    mlir::Value left = emit(*binary.left);
    mlir::Value right = emit(*binary.right);
    switch (binary.op) {
    case sema::BinaryOp::Add:
      return arithmetic_.add(type_, left, right);
    case sema::BinaryOp::Sub:
      return arithmetic_.subtract(type_, left, right);
    case sema::BinaryOp::Mul:
      return arithmetic_.multiply(type_, left, right);
    case sema::BinaryOp::Div:
      return arithmetic_.divide(type_, left, right);
    }
    llvm_unreachable("every operator is handled");
  }

  /// The loop variables of the operand's two coordinates.
  llvm::SmallVector<mlir::Value> loopsOf(const sema::Operand &operand) {
    llvm::SmallVector<mlir::Value> loops;
    for (const sema::Index &index : operand.diagonal)
      for (const sema::IndexTerm &part : index)
        loops.push_back(mlir::linalg::IndexOp::create(builder_, location_, body_.places[part.loop]));
    return loops;
  }

  mlir::Value isOffDiagonal(const sema::Operand &operand, llvm::ArrayRef<mlir::Value> loops) {
    llvm::SmallVector<mlir::Value, 2> coordinates;
    for (const sema::Index &index : operand.diagonal) {
      mlir::Value sum;
      for (const sema::IndexTerm &part : index) {
        mlir::Value scale = arith::ConstantIndexOp::create(builder_, location_, part.scale);
        mlir::Value scaled = arith::MulIOp::create(builder_, location_, loops.front(), scale);
        sum = sum ? arith::AddIOp::create(builder_, location_, sum, scaled).getResult() : scaled;
        loops = loops.drop_front();
      }
      coordinates.push_back(sum);
    }
    return arith::CmpIOp::create(builder_, location_, arith::CmpIPredicate::ne, coordinates[0], coordinates[1]);
  }

  const TermBody &body_;
  mlir::OpBuilder &builder_;
  mlir::Location location_;
  sema::ValueType type_;
  Arithmetic arithmetic_;
  llvm::SmallVector<mlir::Value> uses_;
};

} // namespace

void emitTermBody(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange arguments) {
  TermEmitter emitter(body, builder, location, arguments);
  const sema::ValueType targetType = body.kernel.tensors[body.statement.target].type;
  mlir::Value value = emitter.value(targetType);
  if (!body.term.overwrites)
    value = emitter.arithmetic().add(targetType, arguments.back(), value);
  mlir::linalg::YieldOp::create(builder, location, value);
}

} // namespace spc::mlirgen
