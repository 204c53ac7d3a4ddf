#include "mlirgen/term_body.h"

#include "mlirgen/arithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/FoldUtils.h"

namespace spc::mlirgen {
namespace {

namespace arith = mlir::arith;

class TermEmitter {
public:
  TermEmitter(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange arguments)
      : body_(body), builder_(builder), location_(location), type_(body.statement.computeType),
        targetType_(body.kernel.tensors[body.statement.target].type), target_(arguments.back()),
        arithmetic_(builder, location, body.hasSparseOperand) {
    size_t next = 0;
    for (mlir::Value scalar : body.scalars)
      uses_.push_back(scalar ? scalar : arguments[next++]);
  }

  /// The term's value for one point of its iteration space, in the target's type.
  mlir::Value value() {
    mlir::Value result = emit(*body_.term.expr);
    if (body_.repeats)
      result = arithmetic_.repeat(type_, result, body_.repeats);
    for (const sema::Operand &operand : body_.term.operands)
      if (operand.skipsDiagonal)
        result = keepIf(result, [this, row = loopsOf(operand.diagonal[0]), column = loopsOf(operand.diagonal[1])] {
          return compare(arith::CmpIPredicate::ne, sum(row), sum(column));
        });
    for (const Bound &bound : body_.bounds)
      result = keepIf(result, [this, loops = loopsOf(bound.index), extent = bound.extent] {
        return compare(arith::CmpIPredicate::ult, sum(loops), extent);
      });
    return arithmetic_.convert(result, type_, targetType_);
  }

  /// The product of the sparse operands' patterns: 0 wherever all of them store an entry.
  mlir::Value zero() {
    mlir::Value product;
    for (auto [number, operand] : llvm::enumerate(body_.term.operands)) {
      if (!isSparse(operand))
        continue;
      const sema::ValueType type = body_.kernel.tensors[operand.tensor].type;
      const mlir::Value entry = arithmetic_.zeroPerEntry(uses_[number], type, targetType_);
      product = product ? arithmetic_.multiply(targetType_, product, entry) : entry;
    }
    return product;
  }

  /// Whether a sparse operand's element is used no more.
  bool lacksSparseOperand() const {
    return llvm::any_of(llvm::enumerate(body_.term.operands), [&](auto numbered) {
      return isSparse(numbered.value()) && uses_[numbered.index()].use_empty();
    });
  }

  void yield(mlir::Value value) {
    if (!body_.term.overwrites)
      value = arithmetic_.add(targetType_, target_, value);
    mlir::linalg::YieldOp::create(builder_, location_, value);
  }

private:
  bool isSparse(const sema::Operand &operand) const { return !body_.kernel.tensors[operand.tensor].format.isDense(); }

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

  using ScaledLoops = llvm::SmallVector<std::pair<mlir::Value, int64_t>>;

  /// The loop variables of a coordinate.
  ScaledLoops loopsOf(const sema::Index &index) {
    ScaledLoops loops;
    for (const sema::IndexTerm &part : index)
      loops.emplace_back(mlir::linalg::IndexOp::create(builder_, location_, body_.places[part.loop]), part.scale);
    return loops;
  }

  mlir::Value sum(const ScaledLoops &loops) {
    mlir::Value sum;
    for (auto [loop, factor] : loops) {
      mlir::Value scale = arith::ConstantIndexOp::create(builder_, location_, factor);
      mlir::Value scaled = arith::MulIOp::create(builder_, location_, loop, scale);
      sum = sum ? arith::AddIOp::create(builder_, location_, sum, scaled).getResult() : scaled;
    }
    return sum;
  }

  mlir::Value compare(arith::CmpIPredicate predicate, mlir::Value left, mlir::Value right) {
    return arith::CmpIOp::create(builder_, location_, predicate, left, right);
  }

  /// The loop variables that a condition needs stand outside of it: no linalg.index is allowed in its region.
  mlir::Value keepIf(mlir::Value value, llvm::function_ref<mlir::Value()> condition) {
    return arithmetic_.keepIf(type_, condition, value);
  }

  const TermBody &body_;
  mlir::OpBuilder &builder_;
  mlir::Location location_;
  sema::ValueType type_, targetType_;
  mlir::Value target_;
  Arithmetic arithmetic_;
  llvm::SmallVector<mlir::Value> uses_;
};

/// Folds what the sparsifier would, and drops what is left unused.
void fold(mlir::Block &block) {
  mlir::OperationFolder folder(block.front().getContext());
  for (mlir::Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    (void)folder.tryToFold(&op);
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block.without_terminator())))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

} // namespace

void emitTermBody(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange arguments) {
  TermEmitter emitter(body, builder, location, arguments);
  emitter.yield(emitter.value());
}

void keepSparseOperands(const TermBody &body, mlir::linalg::GenericOp generic) {
  const sema::ValueType type = body.statement.computeType;
  if (!body.hasSparseOperand || sema::isFloat(type) || sema::isComplex(type))
    return;
  mlir::Block &block = *generic.getBody();
  fold(block);
  mlir::OpBuilder builder(&block, block.end());
  TermEmitter emitter(body, builder, generic.getLoc(), block.getArguments());
  if (!emitter.lacksSparseOperand())
    return;
  while (!block.empty())
    block.back().erase();
  emitter.yield(emitter.zero());
}

} // namespace spc::mlirgen
