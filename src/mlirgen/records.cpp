#include "mlirgen/records.h"

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

/// What an element is in a record: LLVM's structs hold no complex numbers.
static llvm::SmallVector<mlir::Type> fieldsOf(mlir::Type element) {
  if (auto complexType = mlir::dyn_cast<mlir::ComplexType>(element))
    return {complexType.getElementType(), complexType.getElementType()};
  return {element};
}

static llvm::SmallVector<int> unionOf(llvm::ArrayRef<int> a, llvm::ArrayRef<int> b) {
  llvm::SmallVector<int> result(a);
  for (int operand : b)
    if (!llvm::is_contained(result, operand))
      result.push_back(operand);
  llvm::sort(result);
  return result;
}

static void collectStored(const Domain &domain, llvm::SmallVectorImpl<bool> &operands) {
  if (domain.kind == Domain::Kind::Stored || domain.kind == Domain::Kind::Missing)
    operands[domain.operand] = true;
  for (const Domain &part : domain.parts)
    collectStored(part, operands);
}

/// Takes out the operands whose values the expression reads.
static void collectRead(const sema::Expr &expr, llvm::SmallVectorImpl<bool> &unread) {
  if (const auto *use = std::get_if<sema::Use>(&expr.node))
    unread[use->operand] = false;
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
    operands[std::get<sema::Use>(call->arguments.front()->node).operand] = true;
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
  for (int operand = 0; operand < static_cast<int>(uses.size()); ++operand)
    isFlagged_[operand] = isFlagged_[operand] && isSparse(operand);
  // An output that shares a pattern, and operands that follow another, find their places by the loads of its values.
  const sema::Tensor &target = body.kernel.tensors[body.statement.target];
  keepsLoad_.assign(uses.size(), !target.format.isDense() && !target.isAssembled);
  for (const sema::Operand &operand : body.term.operands)
    if (operand.follows)
      keepsLoad_[*operand.follows] = true;
  collectRead(*body.term.expr, keepsLoad_);
}

bool RecordBuilder::isSparse(int operand) const {
  const sema::Operand &read = body_.term.operands[operand];
  return !body_.kernel.tensors[read.tensor].format.isDense() && !read.follows;
}

llvm::SmallVector<int> RecordBuilder::loopsOf(int operand) const {
  llvm::SmallVector<int> loops;
  for (const sema::Index &index : body_.term.operands[operand].indices)
    for (const sema::IndexTerm &part : index)
      loops.push_back(part.loop);
  llvm::sort(loops);
  return loops;
}

mlir::Type RecordBuilder::typeOf(llvm::ArrayRef<int> operands) {
  llvm::SmallVector<mlir::Type> fields;
  for (int operand : operands) {
    fields.append(fieldsOf(uses_[operand].getType()));
    if (isFlagged_[operand])
      fields.push_back(builder_.getI1Type());
  }
  return LLVM::LLVMStructType::getLiteral(builder_.getContext(), fields);
}

void RecordBuilder::unpack(Value record, llvm::ArrayRef<int> operands, Elements &elements) {
  int64_t field = 0;
  const auto next = [&]() -> Value {
    return LLVM::ExtractValueOp::create(builder_, location_, record, llvm::ArrayRef<int64_t>(field++));
  };
  for (int operand : operands) {
    Value element = next();
    const mlir::Type type = uses_[operand].getType();
    if (mlir::isa<mlir::ComplexType>(type))
      element = complex::CreateOp::create(builder_, location_, type, element, next());
    elements[operand] = {element, isFlagged_[operand] ? next() : Value()};
  }
}

Value RecordBuilder::flag(bool isStored) {
  return mlir::arith::ConstantOp::create(builder_, location_, builder_.getBoolAttr(isStored));
}

RecordBuilder::Element RecordBuilder::present(int operand, Value value) {
  return {value, keepsLoad_[operand] ? trueOf(value) : flag(true)};
}

/// True, computed from an element in a way that MLIR does not fold (LLVM does).
Value RecordBuilder::trueOf(Value element) {
  namespace arith = mlir::arith;
  if (mlir::isa<mlir::ComplexType>(element.getType()))
    element = complex::ReOp::create(builder_, location_, element);
  const unsigned bits = element.getType().getIntOrFloatBitWidth();
  const mlir::Type integer = builder_.getIntegerType(bits);
  if (!mlir::isa<mlir::IntegerType>(element.getType()))
    element = arith::BitcastOp::create(builder_, location_, integer, element);
  const auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder_, location_, builder_.getIntegerAttr(integer, value));
  };
  const Value even = arith::ShLIOp::create(builder_, location_, element, number(1));
  const Value zero = arith::AndIOp::create(builder_, location_, even, number(1));
  return arith::CmpIOp::create(builder_, location_, arith::CmpIPredicate::eq, zero, number(0));
}

Value RecordBuilder::pack(llvm::ArrayRef<int> operands, const Elements &elements) {
  Value record = LLVM::PoisonOp::create(builder_, location_, typeOf(operands));
  int64_t field = 0;
  const auto insert = [&](Value value) {
    record = LLVM::InsertValueOp::create(builder_, location_, record, value, llvm::ArrayRef<int64_t>(field++));
  };
  for (int operand : operands) {
    const Element element = elements[operand].value ? elements[operand] : Element{body_.fills[operand], {}};
    if (mlir::isa<mlir::ComplexType>(element.value.getType())) {
      insert(complex::ReOp::create(builder_, location_, element.value));
      insert(complex::ImOp::create(builder_, location_, element.value));
    } else {
      insert(element.value);
    }
    if (isFlagged_[operand])
      insert(element.isStored ? element.isStored : flag(false));
  }
  return record;
}

void RecordBuilder::yield(llvm::ArrayRef<int> operands, const Elements &elements) {
  sparse::YieldOp::create(builder_, location_, pack(operands, elements));
}

/// Where the operand stores an entry.
RecordBuilder::Record RecordBuilder::stored(int operand) {
  const llvm::SmallVector<int> operands = {operand};
  auto op = sparse::UnaryOp::create(builder_, location_, typeOf(operands), uses_[operand]);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *block = builder_.createBlock(&op.getPresentRegion(), {}, {uses_[operand].getType()}, {location_});
  Elements elements = nothing();
  elements[operand] = present(operand, block->getArgument(0));
  yield(operands, elements);
  return {op.getResult(), operands, loopsOf(operand), true};
}

/// At every coordinate that the operand has. What an absent region yields has to be made outside of the generic.
RecordBuilder::Record RecordBuilder::everywhere(int operand) {
  Record record = stored(operand);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointAfterValue(body_.fills[operand]);
  const Value missing = pack(record.operands, nothing());
  builder_.createBlock(&record.value.getDefiningOp<sparse::UnaryOp>().getAbsentRegion());
  sparse::YieldOp::create(builder_, location_, missing);
  record.isUnion = false;
  return record;
}

/// Where both are present.
RecordBuilder::Record RecordBuilder::both(const Record &left, const Record &right) {
  const llvm::SmallVector<int> operands = unionOf(left.operands, right.operands);
  auto op = sparse::BinaryOp::create(builder_, location_, typeOf(operands), left.value, right.value);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *overlap = builder_.createBlock(&op.getOverlapRegion(), {}, {left.value.getType(), right.value.getType()},
                                              {location_, location_});
  Elements elements = nothing();
  unpack(overlap->getArgument(0), left.operands, elements);
  unpack(overlap->getArgument(1), right.operands, elements);
  yield(operands, elements);
  return {op.getResult(), operands, unionOf(left.loops, right.loops), false};
}

/// Where one of them is present. What only the absent one holds is missing there if that one is a union; else both have
/// to hold the same.
RecordBuilder::Record RecordBuilder::either(Record left, Record right) {
  const bool isUnion = left.isUnion && right.isUnion && left.loops == right.loops;
  if (!isUnion) {
    const Record all = withAllOf(left, right.operands);
    right = withAllOf(right, left.operands);
    left = all;
  }
  Record record = both(left, right);
  auto op = record.value.getDefiningOp<sparse::BinaryOp>();
  mlir::OpBuilder::InsertionGuard guard(builder_);
  for (const auto &[region, side] : {std::pair(&op.getLeftRegion(), &left), std::pair(&op.getRightRegion(), &right)}) {
    mlir::Block *only = builder_.createBlock(region, {}, {side->value.getType()}, {location_});
    Elements known = nothing();
    unpack(only->getArgument(0), side->operands, known);
    yield(record.operands, known);
  }
  record.isUnion = isUnion;
  return record;
}

/// The same places, with an operand that may be missing there.
RecordBuilder::Record RecordBuilder::withLookup(const Record &record, int operand) {
  if (isSparse(operand) && unionOf(record.loops, loopsOf(operand)) != record.loops)
    return both(record, everywhere(operand));
  const llvm::SmallVector<int> operands = unionOf(record.operands, {operand});
  const mlir::Type element = uses_[operand].getType();
  auto op = sparse::BinaryOp::create(builder_, location_, typeOf(operands), record.value, uses_[operand]);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *overlap =
      builder_.createBlock(&op.getOverlapRegion(), {}, {record.value.getType(), element}, {location_, location_});
  Elements elements = nothing();
  unpack(overlap->getArgument(0), record.operands, elements);
  elements[operand] = present(operand, overlap->getArgument(1));
  yield(operands, elements);
  if (isSparse(operand)) {
    mlir::Block *only = builder_.createBlock(&op.getLeftRegion(), {}, {record.value.getType()}, {location_});
    Elements known = nothing();
    unpack(only->getArgument(0), record.operands, known);
    yield(operands, known);
  }
  return {op.getResult(), operands, unionOf(record.loops, loopsOf(operand)), false};
}

/// The places of a record where an operand stores nothing.
RecordBuilder::Record RecordBuilder::without(const Record &record, int operand) {
  if (unionOf(record.loops, loopsOf(operand)) != record.loops)
    return both(record, missing(operand));
  const llvm::SmallVector<int> operands = unionOf(record.operands, {operand});
  auto op = sparse::BinaryOp::create(builder_, location_, typeOf(operands), record.value, uses_[operand]);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *only = builder_.createBlock(&op.getLeftRegion(), {}, {record.value.getType()}, {location_});
  Elements known = nothing();
  unpack(only->getArgument(0), record.operands, known);
  yield(operands, known);
  builder_.createBlock(&op.getOverlapRegion(), {}, {record.value.getType(), uses_[operand].getType()},
                       {location_, location_});
  yieldAbsent(operands);
  return {op.getResult(), operands, record.loops, false};
}

/// At every coordinate at which an operand stores nothing.
RecordBuilder::Record RecordBuilder::missing(int operand) {
  Record record = everywhere(operand);
  mlir::Block &present = record.value.getDefiningOp<sparse::UnaryOp>().getPresentRegion().front();
  mlir::OpBuilder::InsertionGuard guard(builder_);
  while (!present.empty())
    present.back().erase();
  builder_.setInsertionPointToEnd(&present);
  yieldAbsent(record.operands);
  return record;
}

/// Sums need a value also where there is none. Side effects keep it where it is, until spc-skip-absent takes it away.
void RecordBuilder::yieldAbsent(llvm::ArrayRef<int> operands) {
  auto absent = LLVM::InlineAsmOp::create(builder_, location_, typeOf(operands), mlir::ValueRange(), "spc.absent", "=r",
                                          /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                          nullptr, nullptr);
  sparse::YieldOp::create(builder_, location_, absent.getRes());
}

RecordBuilder::Record RecordBuilder::withAllOf(Record record, llvm::ArrayRef<int> operands) {
  for (int operand : operands)
    if (!llvm::is_contained(record.operands, operand))
      record = withLookup(record, operand);
  return record;
}

/// The same places, with what is not there: the last region reads dense operands where they are, if the record's loops
/// come to them. MLIR follows each field of a record back on its own, so that many fields take it very long.
RecordBuilder::Record RecordBuilder::withMissing(Record record, llvm::ArrayRef<int> operands) {
  for (int operand : operands)
    if (!llvm::is_contained(record.operands, operand) &&
        (isSparse(operand) || unionOf(record.loops, loopsOf(operand)) != record.loops))
      record = withLookup(record, operand);
  return record;
}

/// Halves with halves: the deeper fields are packed, the longer MLIR takes to follow them back.
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
  llvm::SmallVector<int> sparseOperands, all;
  for (int operand = 0; operand < static_cast<int>(uses_.size()); ++operand) {
    if (body_.scalars[operand])
      continue;
    all.push_back(operand);
    if (isSparse(operand))
      sparseOperands.push_back(operand);
  }
  if (body_.term.domain->kind != Domain::Kind::Everywhere)
    return withMissing(gatherFrom(*body_.term.domain), all);
  llvm::SmallVector<Record> records;
  for (int operand : sparseOperands)
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
  unpack(block->getArgument(0), record.operands, elements);
  sparse::YieldOp::create(builder_, location_, body(elements));
  return op.getResult();
}

} // namespace spc::mlirgen
