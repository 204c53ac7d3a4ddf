#include "mlirgen/element_tuples.h"

#include "dialect/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

namespace spc::mlirgen {

namespace complex = mlir::complex;
namespace sparse = mlir::sparse_tensor;
namespace LLVM = mlir::LLVM;
using mlir::Value;
using sema::Domain;
using sema::OperandId;

static llvm::SmallVector<int> unionOf(llvm::ArrayRef<int> a, llvm::ArrayRef<int> b) {
  llvm::SmallVector<int> result(a);
  for (int loop : b)
    if (!llvm::is_contained(result, loop))
      result.push_back(loop);
  llvm::sort(result);
  return result;
}

static void collectStored(const Domain &domain, llvm::SmallVectorImpl<bool> &operands) {
  if (domain.kind == Domain::Kind::Stored || domain.kind == Domain::Kind::Missing)
    operands[domain.operand.index()] = true;
  for (const Domain &part : domain.parts)
    collectStored(part, operands);
}

/// Takes out the operands whose values the expression reads.
static void collectRead(const sema::Expr &expr, llvm::SmallVectorImpl<bool> &unread) {
  if (const auto *use = std::get_if<sema::Use>(&expr.node))
    unread[use->operand.index()] = false;
  if (const auto *negate = std::get_if<sema::Negate>(&expr.node))
    collectRead(*negate->operand, unread);
  if (const auto *binary = std::get_if<sema::Binary>(&expr.node)) {
    collectRead(*binary->left, unread);
    collectRead(*binary->right, unread);
  }
  if (const auto *call = std::get_if<sema::Call>(&expr.node); call && call->function != sema::Function::Pattern)
    for (const sema::ExprPtr &argument : call->arguments)
      collectRead(*argument, unread);
}

/// The operands whose absence the expression asks for, or that makes a product of it 0.
static void collectDeciding(const sema::Expr &expr, llvm::SmallVectorImpl<bool> &operands) {
  if (const auto *negate = std::get_if<sema::Negate>(&expr.node))
    collectDeciding(*negate->operand, operands);
  const auto *call = std::get_if<sema::Call>(&expr.node);
  if (call && call->function == sema::Function::Pattern)
    operands[std::get<sema::Use>(call->arguments.front()->node).operand.index()] = true;
  if (call && call->domain)
    collectStored(*call->domain, operands);
  if (call)
    for (const sema::ExprPtr &argument : call->arguments)
      collectDeciding(*argument, operands);
  const auto *binary = std::get_if<sema::Binary>(&expr.node);
  if (!binary)
    return;
  if (binary->domain)
    collectStored(*binary->domain, operands);
  collectDeciding(*binary->left, operands);
  collectDeciding(*binary->right, operands);
}

ElementTupleBuilder::ElementTupleBuilder(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location,
                                         llvm::ArrayRef<Value> uses)
    : body_(body), builder_(builder), location_(location), uses_(uses), isFlagged_(uses.size()) {
  collectDeciding(*body.term.expr, isFlagged_);
  for (OperandId operand : body.term.operands.ids())
    isFlagged_[operand.index()] = isFlagged_[operand.index()] && isSparse(operand);
  // An output that shares a pattern, and operands that follow another, find their places by the loads of its values.
  const sema::Tensor &target = body.kernel.tensors[body.statement.target];
  keepsLoad_.assign(uses.size(), !target.format.isDense() && !target.isAssembled());
  for (const sema::Operand &operand : body.term.operands)
    if (operand.follows)
      keepsLoad_[operand.follows->index()] = true;
  collectRead(*body.term.expr, keepsLoad_);
}

bool ElementTupleBuilder::isSparse(OperandId operand) const {
  const sema::Operand &read = body_.term.operands[operand];
  return !body_.kernel.tensors[read.tensor].format.isDense() && !read.follows;
}

llvm::SmallVector<int> ElementTupleBuilder::loopsOf(OperandId operand) const {
  llvm::SmallVector<int> loops;
  for (const sema::Index &index : body_.term.operands[operand].indices)
    for (const sema::IndexTerm &part : index.terms)
      loops.push_back(static_cast<int>(part.loop.index()));
  llvm::sort(loops);
  return loops;
}

/// Where the operand stores an entry.
ElementTupleBuilder::ElementTuple ElementTupleBuilder::stored(OperandId operand) {
  auto op = sparse::UnaryOp::create(builder_, location_, leafType(operand), uses_[operand.index()]);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *block =
      builder_.createBlock(&op.getPresentRegion(), {}, {uses_[operand.index()].getType()}, {location_});
  yield(leafOf(operand, present(operand, block->getArgument(0))));
  return {op.getResult(), {{operand, {}}}, loopsOf(operand), true};
}

/// At every coordinate that the operand has. What an absent region yields has to be made outside of the generic.
ElementTupleBuilder::ElementTuple ElementTupleBuilder::everywhere(OperandId operand) {
  ElementTuple tuple = stored(operand);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointAfterValue(body_.fills[operand.index()]);
  const Value missing = leafOf(operand, {});
  builder_.createBlock(&tuple.value.getDefiningOp<sparse::UnaryOp>().getAbsentRegion());
  yield(missing);
  tuple.isUnion = false;
  return tuple;
}

/// Where both are present.
ElementTupleBuilder::ElementTuple ElementTupleBuilder::both(const ElementTuple &left, const ElementTuple &right) {
  const Pair pair = pairOf(left, right);
  auto op = sparse::BinaryOp::create(builder_, location_, pair.type, left.value, right.value);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *overlap = builder_.createBlock(&op.getOverlapRegion(), {}, {left.value.getType(), right.value.getType()},
                                              {location_, location_});
  yield(joinedValue(pair, left, overlap->getArgument(0), right, overlap->getArgument(1)));
  return {op.getResult(), pair.layout, unionOf(left.loops, right.loops), false};
}

/// Where one of them is present. What only the absent one holds is missing there if that one is a union; else both have
/// to hold the same.
ElementTupleBuilder::ElementTuple ElementTupleBuilder::either(ElementTuple left, ElementTuple right) {
  const bool isUnion = left.isUnion && right.isUnion && left.loops == right.loops;
  if (!isUnion) {
    const ElementTuple all = withAllOf(left, right);
    right = withAllOf(right, left);
    left = all;
  }
  ElementTuple tuple = both(left, right);
  const Pair pair = pairOf(left, right);
  auto op = tuple.value.getDefiningOp<sparse::BinaryOp>();
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *onlyLeft = builder_.createBlock(&op.getLeftRegion(), {}, {left.value.getType()}, {location_});
  yield(joinedValue(pair, left, onlyLeft->getArgument(0), right, {}));
  mlir::Block *onlyRight = builder_.createBlock(&op.getRightRegion(), {}, {right.value.getType()}, {location_});
  yield(joinedValue(pair, left, {}, right, onlyRight->getArgument(0)));
  tuple.isUnion = isUnion;
  return tuple;
}

/// The same places, with an operand that may be missing there.
ElementTupleBuilder::ElementTuple ElementTupleBuilder::withLookup(const ElementTuple &tuple, OperandId operand) {
  if (isSparse(operand) && unionOf(tuple.loops, loopsOf(operand)) != tuple.loops)
    return both(tuple, everywhere(operand));
  const Pair pair = pairWith(tuple, operand);
  const mlir::Type element = uses_[operand.index()].getType();
  auto op = sparse::BinaryOp::create(builder_, location_, pair.type, tuple.value, uses_[operand.index()]);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *overlap =
      builder_.createBlock(&op.getOverlapRegion(), {}, {tuple.value.getType(), element}, {location_, location_});
  const auto yieldWith = [&](Value known, const Element &found) {
    const Value both = insert(LLVM::PoisonOp::create(builder_, location_, pair.type), known, {0});
    yield(insert(both, leafOf(operand, found), {1}));
  };
  yieldWith(overlap->getArgument(0), present(operand, overlap->getArgument(1)));
  if (isSparse(operand)) {
    mlir::Block *only = builder_.createBlock(&op.getLeftRegion(), {}, {tuple.value.getType()}, {location_});
    yieldWith(only->getArgument(0), {});
  }
  return {op.getResult(), pair.layout, unionOf(tuple.loops, loopsOf(operand)), false};
}

/// The places of an element tuple where an operand stores nothing.
ElementTupleBuilder::ElementTuple ElementTupleBuilder::without(const ElementTuple &tuple, OperandId operand) {
  if (unionOf(tuple.loops, loopsOf(operand)) != tuple.loops)
    return both(tuple, missing(operand));
  const bool isHeld = holds(tuple, operand);
  const mlir::Type own = tuple.value.getType();
  const Pair pair = isHeld ? Pair{own, tuple.layout, false} : pairWith(tuple, operand);
  auto op = sparse::BinaryOp::create(builder_, location_, pair.type, tuple.value, uses_[operand.index()]);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *only = builder_.createBlock(&op.getLeftRegion(), {}, {own}, {location_});
  Value known = only->getArgument(0);
  if (!isHeld) {
    known = insert(LLVM::PoisonOp::create(builder_, location_, pair.type), known, {0});
    known = insert(known, leafOf(operand, {}), {1});
  }
  yield(known);
  builder_.createBlock(&op.getOverlapRegion(), {}, {own, uses_[operand.index()].getType()}, {location_, location_});
  yieldAbsent(pair.type);
  return {op.getResult(), pair.layout, tuple.loops, false};
}

/// At every coordinate at which an operand stores nothing.
ElementTupleBuilder::ElementTuple ElementTupleBuilder::missing(OperandId operand) {
  ElementTuple tuple = everywhere(operand);
  mlir::Block &present = tuple.value.getDefiningOp<sparse::UnaryOp>().getPresentRegion().front();
  mlir::OpBuilder::InsertionGuard guard(builder_);
  while (!present.empty())
    present.back().erase();
  builder_.setInsertionPointToEnd(&present);
  yieldAbsent(tuple.value.getType());
  return tuple;
}

/// Sums need a value also where there is none. Side effects keep it where it is, until spc-skip-absent takes it away.
void ElementTupleBuilder::yieldAbsent(mlir::Type type) {
  sparse::YieldOp::create(builder_, location_, dialect::AbsentOp::create(builder_, location_, type));
}

ElementTupleBuilder::ElementTuple ElementTupleBuilder::withAllOf(ElementTuple tuple, const ElementTuple &other) {
  for (const Leaf &leaf : other.layout)
    if (!holds(tuple, leaf.operand))
      tuple = withLookup(tuple, leaf.operand);
  return tuple;
}

/// The same places, with what is not there: the last region reads dense operands where they are, if the tuple's loops
/// come to them. MLIR follows each field of an element tuple back on its own, so that many fields take it very long.
ElementTupleBuilder::ElementTuple ElementTupleBuilder::withMissing(ElementTuple tuple,
                                                                   llvm::ArrayRef<OperandId> operands) {
  for (OperandId operand : operands)
    if (!holds(tuple, operand) && (isSparse(operand) || unionOf(tuple.loops, loopsOf(operand)) != tuple.loops))
      tuple = withLookup(tuple, operand);
  return tuple;
}

/// Halves with halves, so that no tuple is nested deep.
ElementTupleBuilder::ElementTuple ElementTupleBuilder::joined(llvm::ArrayRef<ElementTuple> tuples,
                                                              bool isIntersection) {
  if (tuples.size() == 1)
    return tuples.front();
  const size_t half = (tuples.size() + 1) / 2;
  const ElementTuple left = joined(tuples.take_front(half), isIntersection);
  const ElementTuple right = joined(tuples.drop_front(half), isIntersection);
  return isIntersection ? both(left, right) : either(left, right);
}

ElementTupleBuilder::ElementTuple ElementTupleBuilder::gatherFrom(const Domain &domain) {
  if (domain.kind == Domain::Kind::Stored)
    return stored(domain.operand);
  if (domain.kind == Domain::Kind::Missing)
    return missing(domain.operand);
  llvm::SmallVector<ElementTuple> parts;
  for (const Domain &part : domain.parts)
    if (part.kind != Domain::Kind::Missing)
      parts.push_back(gatherFrom(part));
  std::optional<ElementTuple> tuple;
  if (!parts.empty())
    tuple = joined(parts, domain.kind == Domain::Kind::All);
  for (const Domain &part : domain.parts)
    if (part.kind == Domain::Kind::Missing)
      tuple = tuple ? without(*tuple, part.operand) : missing(part.operand);
  return *tuple;
}

ElementTupleBuilder::ElementTuple ElementTupleBuilder::gather() {
  llvm::SmallVector<OperandId> sparseOperands, all;
  for (OperandId operand : body_.term.operands.ids()) {
    if (body_.scalars[operand.index()])
      continue;
    all.push_back(operand);
    if (isSparse(operand))
      sparseOperands.push_back(operand);
  }
  if (body_.term.domain->kind != Domain::Kind::Everywhere)
    return withMissing(gatherFrom(*body_.term.domain), all);
  llvm::SmallVector<ElementTuple> tuples;
  for (OperandId operand : sparseOperands)
    tuples.push_back(everywhere(operand));
  return withMissing(joined(tuples, /*isIntersection=*/true), all);
}

Value ElementTupleBuilder::compute(mlir::Type type, llvm::function_ref<Value(llvm::ArrayRef<Element>)> body) {
  const ElementTuple tuple = gather();
  auto op = sparse::UnaryOp::create(builder_, location_, type, tuple.value);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *block = builder_.createBlock(&op.getPresentRegion(), {}, {tuple.value.getType()}, {location_});
  Elements elements;
  for (Value use : uses_)
    elements.push_back({use, {}});
  unpack(block->getArgument(0), tuple.layout, elements);
  sparse::YieldOp::create(builder_, location_, body(elements));
  return op.getResult();
}

} // namespace spc::mlirgen
