#include "mlirgen/records.h"

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

RecordBuilder::RecordBuilder(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location,
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

bool RecordBuilder::isSparse(OperandId operand) const {
  const sema::Operand &read = body_.term.operands[operand];
  return !body_.kernel.tensors[read.tensor].format.isDense() && !read.follows;
}

llvm::SmallVector<int> RecordBuilder::loopsOf(OperandId operand) const {
  llvm::SmallVector<int> loops;
  for (const sema::Index &index : body_.term.operands[operand].indices)
    for (const sema::IndexTerm &part : index)
      loops.push_back(static_cast<int>(part.loop.index()));
  llvm::sort(loops);
  return loops;
}

/// Where the operand stores an entry.
RecordBuilder::Record RecordBuilder::stored(OperandId operand) {
  auto op = sparse::UnaryOp::create(builder_, location_, leafType(operand), uses_[operand.index()]);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *block =
      builder_.createBlock(&op.getPresentRegion(), {}, {uses_[operand.index()].getType()}, {location_});
  yield(leafOf(operand, present(operand, block->getArgument(0))));
  return {op.getResult(), {{operand, {}}}, loopsOf(operand), true};
}

/// At every coordinate that the operand has. What an absent region yields has to be made outside of the generic.
RecordBuilder::Record RecordBuilder::everywhere(OperandId operand) {
  Record record = stored(operand);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointAfterValue(body_.fills[operand.index()]);
  const Value missing = leafOf(operand, {});
  builder_.createBlock(&record.value.getDefiningOp<sparse::UnaryOp>().getAbsentRegion());
  yield(missing);
  record.isUnion = false;
  return record;
}

/// Where both are present.
RecordBuilder::Record RecordBuilder::both(const Record &left, const Record &right) {
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
RecordBuilder::Record RecordBuilder::either(Record left, Record right) {
  const bool isUnion = left.isUnion && right.isUnion && left.loops == right.loops;
  if (!isUnion) {
    const Record all = withAllOf(left, right);
    right = withAllOf(right, left);
    left = all;
  }
  Record record = both(left, right);
  const Pair pair = pairOf(left, right);
  auto op = record.value.getDefiningOp<sparse::BinaryOp>();
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *onlyLeft = builder_.createBlock(&op.getLeftRegion(), {}, {left.value.getType()}, {location_});
  yield(joinedValue(pair, left, onlyLeft->getArgument(0), right, {}));
  mlir::Block *onlyRight = builder_.createBlock(&op.getRightRegion(), {}, {right.value.getType()}, {location_});
  yield(joinedValue(pair, left, {}, right, onlyRight->getArgument(0)));
  record.isUnion = isUnion;
  return record;
}

/// The same places, with an operand that may be missing there.
RecordBuilder::Record RecordBuilder::withLookup(const Record &record, OperandId operand) {
  if (isSparse(operand) && unionOf(record.loops, loopsOf(operand)) != record.loops)
    return both(record, everywhere(operand));
  const Pair pair = pairWith(record, operand);
  const mlir::Type element = uses_[operand.index()].getType();
  auto op = sparse::BinaryOp::create(builder_, location_, pair.type, record.value, uses_[operand.index()]);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *overlap =
      builder_.createBlock(&op.getOverlapRegion(), {}, {record.value.getType(), element}, {location_, location_});
  const auto yieldWith = [&](Value known, const Element &found) {
    const Value both = insert(LLVM::PoisonOp::create(builder_, location_, pair.type), known, {0});
    yield(insert(both, leafOf(operand, found), {1}));
  };
  yieldWith(overlap->getArgument(0), present(operand, overlap->getArgument(1)));
  if (isSparse(operand)) {
    mlir::Block *only = builder_.createBlock(&op.getLeftRegion(), {}, {record.value.getType()}, {location_});
    yieldWith(only->getArgument(0), {});
  }
  return {op.getResult(), pair.layout, unionOf(record.loops, loopsOf(operand)), false};
}

/// The places of a record where an operand stores nothing.
RecordBuilder::Record RecordBuilder::without(const Record &record, OperandId operand) {
  if (unionOf(record.loops, loopsOf(operand)) != record.loops)
    return both(record, missing(operand));
  const bool isHeld = holds(record, operand);
  const mlir::Type own = record.value.getType();
  const Pair pair = isHeld ? Pair{own, record.layout, false} : pairWith(record, operand);
  auto op = sparse::BinaryOp::create(builder_, location_, pair.type, record.value, uses_[operand.index()]);
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
  return {op.getResult(), pair.layout, record.loops, false};
}

/// At every coordinate at which an operand stores nothing.
RecordBuilder::Record RecordBuilder::missing(OperandId operand) {
  Record record = everywhere(operand);
  mlir::Block &present = record.value.getDefiningOp<sparse::UnaryOp>().getPresentRegion().front();
  mlir::OpBuilder::InsertionGuard guard(builder_);
  while (!present.empty())
    present.back().erase();
  builder_.setInsertionPointToEnd(&present);
  yieldAbsent(record.value.getType());
  return record;
}

/// Sums need a value also where there is none. Side effects keep it where it is, until spc-skip-absent takes it away.
void RecordBuilder::yieldAbsent(mlir::Type type) {
  sparse::YieldOp::create(builder_, location_, dialect::AbsentOp::create(builder_, location_, type));
}

RecordBuilder::Record RecordBuilder::withAllOf(Record record, const Record &other) {
  for (const Leaf &leaf : other.layout)
    if (!holds(record, leaf.operand))
      record = withLookup(record, leaf.operand);
  return record;
}

/// The same places, with what is not there: the last region reads dense operands where they are, if the record's loops
/// come to them. MLIR follows each field of a record back on its own, so that many fields take it very long.
RecordBuilder::Record RecordBuilder::withMissing(Record record, llvm::ArrayRef<OperandId> operands) {
  for (OperandId operand : operands)
    if (!holds(record, operand) && (isSparse(operand) || unionOf(record.loops, loopsOf(operand)) != record.loops))
      record = withLookup(record, operand);
  return record;
}

/// Halves with halves, so that no record is nested deep.
RecordBuilder::Record RecordBuilder::joined(llvm::ArrayRef<Record> records, bool isIntersection) {
  if (records.size() == 1)
    return records.front();
  const size_t half = (records.size() + 1) / 2;
  const Record left = joined(records.take_front(half), isIntersection);
  const Record right = joined(records.drop_front(half), isIntersection);
  return isIntersection ? both(left, right) : either(left, right);
}

RecordBuilder::Record RecordBuilder::gatherFrom(const Domain &domain) {
  if (domain.kind == Domain::Kind::Stored)
    return stored(domain.operand);
  if (domain.kind == Domain::Kind::Missing)
    return missing(domain.operand);
  llvm::SmallVector<Record> parts;
  for (const Domain &part : domain.parts)
    if (part.kind != Domain::Kind::Missing)
      parts.push_back(gatherFrom(part));
  std::optional<Record> record;
  if (!parts.empty())
    record = joined(parts, domain.kind == Domain::Kind::All);
  for (const Domain &part : domain.parts)
    if (part.kind == Domain::Kind::Missing)
      record = record ? without(*record, part.operand) : missing(part.operand);
  return *record;
}

RecordBuilder::Record RecordBuilder::gather() {
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
  llvm::SmallVector<Record> records;
  for (OperandId operand : sparseOperands)
    records.push_back(everywhere(operand));
  return withMissing(joined(records, /*isIntersection=*/true), all);
}

Value RecordBuilder::compute(mlir::Type type, llvm::function_ref<Value(llvm::ArrayRef<Element>)> body) {
  const Record record = gather();
  auto op = sparse::UnaryOp::create(builder_, location_, type, record.value);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *block = builder_.createBlock(&op.getPresentRegion(), {}, {record.value.getType()}, {location_});
  Elements elements;
  for (Value use : uses_)
    elements.push_back({use, {}});
  unpack(block->getArgument(0), record.layout, elements);
  sparse::YieldOp::create(builder_, location_, body(elements));
  return op.getResult();
}

} // namespace spc::mlirgen
