#include "mlirgen/term_body.h"

#include "format/levels.h"
#include "mlirgen/arithmetic.h"
#include "mlirgen/element_tuples.h"
#include "mlirgen/functions.h"
#include "mlirgen/padding.h"
#include "mlirgen/term_coordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/FoldUtils.h"

namespace spc::mlirgen {
namespace {

namespace arith = mlir::arith;

class TermEmitter {
public:
  /// `uses`: the operands' elements and scalars by operand number. `inSparseTerm`: the sparsifier takes apart what is
  /// emitted.
  TermEmitter(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<mlir::Value> uses,
              bool inSparseTerm, mlir::Block &block)
      : body_(body), builder_(builder), location_(location), type_(body.statement.computeType),
        targetType_(sema::sumType(body.kernel, body.statement)), arithmetic_(builder, location, inSparseTerm),
        uses_(uses), coordinates_(body, builder, location, block) {}

  /// The term's value for one point of its iteration space, in the target's type. `stored`: of a term with a domain, an
  /// i1 for each operand that an expression's domain names; of one without, whose loops are not the sparsifier's, an i1
  /// for each sparse operand.
  mlir::Value value(llvm::ArrayRef<mlir::Value> stored = {}) {
    stored_ = stored;
    const sema::ValueType own = body_.term.expr->type;
    mlir::Value result = emit(*body_.term.expr);
    if (body_.repeats)
      result = arithmetic_.repeat(own, result, body_.repeats);
    for (const sema::Operand &operand : body_.term.operands)
      if (operand.skipsDiagonal)
        result = arithmetic_.keepIf(
            own,
            [this, row = coordinates_.of(operand.diagonal[0]), column = coordinates_.of(operand.diagonal[1])] {
              return compare(arith::CmpIPredicate::ne, coordinates_.sum(row), coordinates_.sum(column));
            },
            result);
    for (const Bound &bound : body_.bounds)
      result = arithmetic_.keepIf(
          own,
          [this, at = coordinates_.of(bound.index), extent = bound.extent] {
            return compare(arith::CmpIPredicate::ult, coordinates_.sum(at), extent);
          },
          result);
    return arithmetic_.convert(result, own, targetType_);
  }

  /// A part of the term, in the statement's type.
  mlir::Value part(const sema::Expr &expr) { return emitAs(expr, type_); }

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

private:
  bool isSparse(const sema::Operand &operand) const {
    return !body_.kernel.tensors[operand.tensor].format.isDense() && !operand.follows;
  }

  mlir::Value emit(const sema::Expr &expr) {
    return std::visit([&](const auto &node) { return emitNode(node, expr.type); }, expr.node);
  }

  mlir::Value emitAs(const sema::Expr &expr, sema::ValueType type) {
    return arithmetic_.convert(emit(expr), expr.type, type);
  }

  mlir::Value emitNode(const sema::Literal &literal, sema::ValueType type) {
    return arithmetic_.hide(arithmetic_.constant(type, literal.value), body_.zero);
  }

  mlir::Value emitNode(const sema::Use &use, sema::ValueType type) {
    const sema::Operand &operand = body_.term.operands[use.operand];
    const sema::Tensor &tensor = body_.kernel.tensors[operand.tensor];
    const sema::ValueType own = tensor.type;
    mlir::Value element = uses_[use.operand.index()];
    // Read as mirror images, entries of a Hermitian matrix are their conjugates.
    if (operand.skipsDiagonal && format::isHermitian(tensor.format.symmetry) && sema::isComplex(own))
      element = arithmetic_.conjugate(element);
    if (!body_.scalars[use.operand.index()])
      return arithmetic_.convert(element, own, type);
    mlir::OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointAfterValue(element);
    return Arithmetic(builder_, location_, false).convert(element, own, type);
  }

  mlir::Value emitNode(const sema::IndexValue &index, sema::ValueType type) {
    // Not index_cast: it would fold with the one that made a coordinate an index, and leave the coordinate itself,
    // which formats without an array of them do not have.
    mlir::Value number = arith::IndexCastUIOp::create(builder_, location_, builder_.getI64Type(),
                                                      coordinates_.sum(coordinates_.of(index.index)));
    return emitCall(builder_, location_, sema::Function::Cast, type, TypedValue{number, sema::ValueType::I64});
  }

  mlir::Value emitNode(const sema::Negate &negate, sema::ValueType type) {
    return arithmetic_.negate(type, emit(*negate.operand));
  }

  mlir::Value emitNode(const sema::Binary &binary, sema::ValueType type) {
    return keepIn(binary.domain, emitArithmetic(binary, type), type, binary.outside);
  }

  /// `outside` where a domain decides that.
  mlir::Value keepIn(const std::optional<sema::Domain> &domain, mlir::Value value, sema::ValueType type,
                     double outside) {
    if (!domain)
      return value;
    return arith::SelectOp::create(builder_, location_, isIn(*domain), value, arithmetic_.constant(type, outside));
  }

  /// An i1.
  mlir::Value isIn(const sema::Domain &domain) {
    if (domain.kind == sema::Domain::Kind::Stored)
      return stored_[domain.operand.index()];
    if (domain.kind == sema::Domain::Kind::Missing) {
      const mlir::Value yes = arith::ConstantOp::create(builder_, location_, builder_.getBoolAttr(true));
      return arith::XOrIOp::create(builder_, location_, stored_[domain.operand.index()], yes);
    }
    mlir::Value result;
    for (const sema::Domain &part : domain.parts) {
      const mlir::Value one = isIn(part);
      if (!result)
        result = one;
      else if (domain.kind == sema::Domain::Kind::All)
        result = arith::AndIOp::create(builder_, location_, result, one);
      else
        result = arith::OrIOp::create(builder_, location_, result, one);
    }
    return result;
  }

  mlir::Value emitArithmetic(const sema::Binary &binary, sema::ValueType type) {
    switch (binary.op) {
    case sema::BinaryOp::Add:
    case sema::BinaryOp::Sub:
      return emitSum(binary, type);
    case sema::BinaryOp::Mul:
      return emitProduct(binary, type);
    case sema::BinaryOp::Div:
      return emitQuotient(binary, type);
    }
    llvm_unreachable("every operator is handled");
  }

  mlir::Value emitSum(const sema::Binary &sum, sema::ValueType type) {
    const mlir::Value left = emitAs(*sum.left, type), right = emitAs(*sum.right, type);
    return ofThose(sum, type, left, right);
  }

  mlir::Value emitProduct(const sema::Binary &product, sema::ValueType type) {
    const mlir::Value left = emit(*product.left), right = emit(*product.right);
    if (product.masks)
      Arithmetic::markFactor(right);
    if (product.left->type == product.right->type)
      return arithmetic_.multiply(type, left, right);
    return product.left->type == type ? arithmetic_.scale(left, right) : arithmetic_.scale(right, left);
  }

  mlir::Value emitQuotient(const sema::Binary &quotient, sema::ValueType type) {
    const mlir::Value numerator = emitAs(*quotient.left, type);
    const mlir::Value divisor = divisorBeside(quotient, emit(*quotient.right));
    return quotient.right->type == type ? arithmetic_.divide(type, numerator, divisor)
                                        : arithmetic_.divideParts(numerator, divisor);
  }

  /// Whether a sum leaves out those of its addends that have no entry, which the sparsifier sees to elsewhere.
  bool choosesAddends() const { return !body_.term.domain && !stored_.empty(); }

  /// An i1: whether all sparse factors of some addend have an entry here; null where it has none.
  mlir::Value presence(const sema::Expr &expr) {
    if (const auto *use = std::get_if<sema::Use>(&expr.node))
      return stored_[use->operand.index()];
    if (const auto *negate = std::get_if<sema::Negate>(&expr.node))
      return presence(*negate->operand);
    if (const auto *call = std::get_if<sema::Call>(&expr.node))
      return call->arguments.empty() ? mlir::Value() : presence(*call->arguments.front());
    const auto *binary = std::get_if<sema::Binary>(&expr.node);
    if (!binary)
      return {};
    const mlir::Value left = presence(*binary->left), right = presence(*binary->right);
    if (!left || !right)
      return left ? left : right;
    if (binary->op == sema::BinaryOp::Add || binary->op == sema::BinaryOp::Sub)
      return arith::OrIOp::create(builder_, location_, left, right);
    return arith::AndIOp::create(builder_, location_, left, right);
  }

  /// A sum, or a difference, of those of its sides that have an entry, of which there is one: the other one counts as
  /// what adding leaves any number as it is, be it a zero with a sign.
  mlir::Value ofThose(const sema::Binary &sum, sema::ValueType type, mlir::Value left, mlir::Value right) {
    const bool isSum = sum.op == sema::BinaryOp::Add;
    if (choosesAddends()) {
      const mlir::Value zero = arithmetic_.constant(type, 0);
      const mlir::Value negativeZero =
          sema::isFloat(type) || sema::isComplex(type) ? arithmetic_.negate(type, zero) : zero;
      left = orElse(presence(*sum.left), left, negativeZero);
      right = orElse(presence(*sum.right), right, isSum ? negativeZero : zero);
    }
    return isSum ? arithmetic_.add(type, left, right) : arithmetic_.subtract(type, left, right);
  }

  mlir::Value orElse(mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return condition ? selectWithoutBranch(builder_, location_, condition, yes, no, body_.unknownZero) : yes;
  }

  /// A divisor, but 1 where a factor of the term or of the numerator is padding: that is no entry, and 0 / 0 or 0 times
  /// an infinity would be none either.
  mlir::Value divisorBeside(const sema::Binary &quotient, mlir::Value divisor) {
    if (std::holds_alternative<sema::Literal>(quotient.right->node))
      return divisor;
    for (sema::OperandId id : paddedBeside(body_.kernel, body_.term, *quotient.left))
      divisor = arithmetic_.oneAtZeros(quotient.right->type, divisor,
                                       body_.kernel.tensors[body_.term.operands[id].tensor].type, uses_[id.index()]);
    return divisor;
  }

  /// A bool: all elements of a dense operand count as stored, but those that are marked.
  mlir::Value emitPattern(const sema::Use &use) {
    const mlir::Type type = elementType(sema::ValueType::Bool, *builder_.getContext());
    const sema::Tensor &tensor = body_.kernel.tensors[body_.term.operands[use.operand].tensor];
    if (const auto *temporary = tensor.as<sema::Temporary>(); temporary && temporary->marksMissing)
      return arith::ExtUIOp::create(builder_, location_, type, isUnmarked(uses_[use.operand.index()]));
    const mlir::Value isStored = stored_.empty() ? mlir::Value() : stored_[use.operand.index()];
    return isStored ? arith::ExtUIOp::create(builder_, location_, type, isStored).getResult()
                    : arithmetic_.hide(arithmetic_.constant(sema::ValueType::Bool, 1), body_.zero);
  }

  /// Whether a float is anything but -0.
  mlir::Value isUnmarked(mlir::Value element) {
    const unsigned width = element.getType().getIntOrFloatBitWidth();
    const mlir::Type integer = builder_.getIntegerType(width);
    const mlir::Value bits = arith::BitcastOp::create(builder_, location_, integer, element);
    const mlir::Value mark = arith::ConstantOp::create(
        builder_, location_, builder_.getIntegerAttr(integer, llvm::APInt::getSignMask(width)));
    return arith::CmpIOp::create(builder_, location_, arith::CmpIPredicate::ne, bits, mark);
  }

  mlir::Value emitNode(const sema::Call &call, sema::ValueType type) {
    if (call.function == sema::Function::Pattern)
      return emitPattern(std::get<sema::Use>(call.arguments.front()->node));
    llvm::SmallVector<TypedValue> arguments;
    for (const sema::ExprPtr &argument : call.arguments)
      arguments.push_back({emit(*argument), argument->type});
    return keepIn(call.domain, emitCall(builder_, location_, call.function, type, arguments), type, call.outside);
  }

  mlir::Value compare(arith::CmpIPredicate predicate, mlir::Value left, mlir::Value right) {
    return arith::CmpIOp::create(builder_, location_, predicate, left, right);
  }

  const TermBody &body_;
  mlir::OpBuilder &builder_;
  mlir::Location location_;
  sema::ValueType type_, targetType_;
  Arithmetic arithmetic_;
  llvm::SmallVector<mlir::Value> uses_;
  llvm::ArrayRef<mlir::Value> stored_;
  TermCoordinates coordinates_;
};

/// The operands' elements by operand number: scalars, else block arguments in order.
llvm::SmallVector<mlir::Value> usesOf(const TermBody &body, mlir::ValueRange arguments) {
  llvm::SmallVector<mlir::Value> uses;
  size_t next = 0;
  for (mlir::Value scalar : body.scalars)
    uses.push_back(scalar ? scalar : arguments[next++]);
  return uses;
}

/// The target's element with one more value taken in. A sum is an addition that the sparsifier knows; of anything else
/// it has to be told.
mlir::Value reduced(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location, mlir::Value target,
                    mlir::Value value) {
  const sema::ValueType type = sema::sumType(body.kernel, body.statement);
  if (!body.hasSparseOperand)
    return combine(builder, location, body.statement.reduction, type, target, value);
  namespace sparse = mlir::sparse_tensor;
  auto op = sparse::ReduceOp::create(builder, location, target, value, body.identity);
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *both =
      builder.createBlock(&op.getRegion(), {}, {target.getType(), value.getType()}, {location, location});
  sparse::YieldOp::create(
      builder, location,
      combine(builder, location, body.statement.reduction, type, both->getArgument(0), both->getArgument(1)));
  return op.getResult();
}

void yield(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location, mlir::Value target,
           mlir::Value value) {
  const sema::ValueType type = sema::sumType(body.kernel, body.statement);
  if (body.identity)
    value = reduced(body, builder, location, target, value);
  else if (!body.term.overwrites)
    value = Arithmetic(builder, location, false).add(type, target, value);
  mlir::linalg::YieldOp::create(builder, location, value);
}

/// The value of a term with a domain: all that it reads is brought together, and computed with in one region.
mlir::Value valueInDomain(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location,
                          llvm::ArrayRef<mlir::Value> uses, mlir::Block &block) {
  const sema::ValueType type = sema::sumType(body.kernel, body.statement);
  ElementTupleBuilder tuples(body, builder, location, uses);
  return tuples.compute(
      elementType(type, *builder.getContext()), [&](llvm::ArrayRef<ElementTupleBuilder::Element> elements) {
        llvm::SmallVector<mlir::Value> values, stored;
        for (const ElementTupleBuilder::Element &element : elements) {
          values.push_back(element.value);
          stored.push_back(element.isStored);
        }
        return TermEmitter(body, builder, location, values, /*inSparseTerm=*/false, block).value(stored);
      });
}

/// Folds what the sparsifier would, and drops what is left unused.
void fold(mlir::Block &block) {
  mlir::OperationFolder folder(block.front().getContext());
  for (mlir::Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    (void)folder.tryToFold(&op);
  // A reverse iterator is the place behind its operation, which is gone once that is erased: these are noted first.
  llvm::SmallVector<mlir::Operation *> folded;
  for (mlir::Operation &op : block.without_terminator())
    folded.push_back(&op);
  for (mlir::Operation *op : llvm::reverse(folded))
    if (mlir::isOpTriviallyDead(op))
      op->erase();
}

} // namespace

void emitTermBody(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange arguments) {
  mlir::Block &block = *mlir::cast<mlir::BlockArgument>(arguments.back()).getOwner();
  const llvm::SmallVector<mlir::Value> uses = usesOf(body, arguments);
  const mlir::Value value = body.term.domain
                                ? valueInDomain(body, builder, location, uses, block)
                                : TermEmitter(body, builder, location, uses, body.hasSparseOperand, block).value();
  yield(body, builder, location, arguments.back(), value);
}

mlir::Value emitTermValue(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location,
                          llvm::ArrayRef<mlir::Value> values, llvm::ArrayRef<mlir::Value> stored) {
  return TermEmitter(body, builder, location, values, /*inSparseTerm=*/false, *builder.getInsertionBlock())
      .value(stored);
}

mlir::Value emitPart(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location,
                     llvm::ArrayRef<mlir::Value> values, const sema::Expr &part) {
  return TermEmitter(body, builder, location, values, /*inSparseTerm=*/false, *builder.getInsertionBlock()).part(part);
}

void keepSparseOperands(const TermBody &body, mlir::linalg::GenericOp generic) {
  const sema::ValueType type = body.statement.computeType;
  if (!body.hasSparseOperand || body.term.domain || sema::isFloat(type) || sema::isComplex(type))
    return;
  mlir::Block &block = *generic.getBody();
  fold(block);
  mlir::OpBuilder builder(&block, block.end());
  TermEmitter emitter(body, builder, generic.getLoc(), usesOf(body, block.getArguments()), true, block);
  if (!emitter.lacksSparseOperand())
    return;
  while (!block.empty())
    block.back().erase();
  yield(body, builder, generic.getLoc(), block.getArguments().back(), emitter.zero());
}

} // namespace spc::mlirgen
