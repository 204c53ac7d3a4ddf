#include "transforms/strip_writer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Operation;
using mlir::Value;

void StripWriter::findPlaces() {
  Value lanes = arith::ConstantIndexOp::create(builder_, location_, strip_.lanes);
  Value last = arith::SubIOp::create(builder_, location_, region_.size, lanes);
  for (int64_t v = 0; v < strip_.count; ++v) {
    Value offset = arith::ConstantIndexOp::create(builder_, location_, v * strip_.lanes);
    Value place = v == 0 ? strip_.base : arith::AddIOp::create(builder_, location_, strip_.base, offset).getResult();
    // The first one is whole: who chose the shape knows that.
    if (v > 0 && v >= strip_.count - strip_.clamped)
      place = arith::MinSIOp::create(builder_, location_, place, last);
    places_.push_back(place);
  }
}

void StripWriter::write() {
  findPlaces();
  // All of a slot is read before any of it is written, where vectors overlap.
  for (const Slot &slot : region_.slots) {
    Vectors values;
    for (Value place : slot.isFresh ? llvm::ArrayRef<Value>() : llvm::ArrayRef<Value>(places_))
      values.push_back(load(slot.buffer, indicesAt(slot, place), slot.along));
    slots_.push_back(values);
  }
  for (Operation *op : region_.operations)
    writeOperation(*op);
  for (const Slot &slot : region_.slots)
    for (auto [value, place] : llvm::zip_equal(accumulators(slot), places_))
      store(value, slot, place);
}

mlir::Type StripWriter::vectorOf(mlir::Type element) const {
  return strip_.lanes == 1 ? element : mlir::Type(mlir::VectorType::get({strip_.lanes}, element));
}

Value StripWriter::broadcast(Value value) {
  if (strip_.lanes == 1 || mlir::isa<mlir::VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder_, location_, vectorOf(value.getType()), value);
}

llvm::SmallVector<Value> StripWriter::indicesAt(const Slot &slot, Value index) {
  llvm::SmallVector<Value> indices;
  for (Value other : slot.indices)
    indices.push_back(other ? scalars_.lookupOrDefault(other) : index);
  return indices;
}

namespace {

/// A view of `buffer` whose last dimension is the one of unit stride, as accesses to vectors want it.
Value withUnitLast(mlir::OpBuilder &builder, mlir::Location location, Value buffer, unsigned unit,
                   llvm::SmallVectorImpl<Value> &indices) {
  const unsigned rank = indices.size();
  if (unit + 1 == rank)
    return buffer;
  llvm::SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (dim != unit)
      order.push_back(dim);
  order.push_back(unit);
  std::rotate(indices.begin() + unit, indices.begin() + unit + 1, indices.end());
  auto map = mlir::AffineMapAttr::get(mlir::AffineMap::getPermutationMap(order, builder.getContext()));
  return memref::TransposeOp::create(builder, location, buffer, map);
}

} // namespace

Value StripWriter::load(Value buffer, llvm::ArrayRef<Value> at, unsigned unit) {
  llvm::SmallVector<Value> indices(at);
  if (strip_.lanes == 1)
    return memref::LoadOp::create(builder_, location_, buffer, indices);
  Value view = withUnitLast(builder_, location_, buffer, unit, indices);
  mlir::Type element = mlir::cast<mlir::MemRefType>(buffer.getType()).getElementType();
  return vector::LoadOp::create(builder_, location_, mlir::cast<mlir::VectorType>(vectorOf(element)), view, indices);
}

void StripWriter::store(Value value, const Slot &slot, Value index) {
  llvm::SmallVector<Value> indices = indicesAt(slot, index);
  if (strip_.lanes == 1) {
    memref::StoreOp::create(builder_, location_, value, slot.buffer, indices);
    return;
  }
  Value view = withUnitLast(builder_, location_, slot.buffer, slot.along, indices);
  vector::StoreOp::create(builder_, location_, broadcast(value), view, indices);
}

void StripWriter::writeOperation(Operation &op) {
  if (region_.dense.contains(&op))
    return writeDense(mlir::cast<scf::ForOp>(op));
  if (auto loop = mlir::dyn_cast<scf::ForOp>(op))
    return writeFor(loop);
  if (auto loop = mlir::dyn_cast<scf::WhileOp>(op))
    return writeWhile(loop);
  if (auto choice = mlir::dyn_cast<scf::IfOp>(op))
    return writeIf(choice);
  builder_.clone(op, scalars_);
}

void StripWriter::writeDense(scf::ForOp loop) {
  elements_.clear();
  for (Operation &op : loop.getBody()->without_terminator())
    writeElement(op, loop);
}

void StripWriter::writeElement(Operation &op, scf::ForOp loop) {
  auto isElement = [&](Value value) { return elements_.contains(value); };
  if (auto stored = mlir::dyn_cast<memref::StoreOp>(op)) {
    Value value = stored.getValue();
    accumulators(*region_.slotOf(&op)) =
        isElement(value) ? elements_[value] : Vectors(strip_.count, broadcast(scalars_.lookupOrDefault(value)));
    return;
  }
  if (const Slot *slot = region_.slotOf(&op)) {
    elements_[op.getResult(0)] = accumulators(*slot);
    return;
  }
  // Indices that vary are computed where they are used, for each vector.
  if (op.getResult(0).getType().isIndex() && variesIn(op.getResult(0), loop))
    return;
  auto read = mlir::dyn_cast<memref::LoadOp>(op);
  const bool moves = read && llvm::any_of(read.getIndices(), [&](Value index) { return variesIn(index, loop); });
  if (!moves && llvm::none_of(op.getOperands(), isElement)) {
    builder_.clone(op, scalars_);
    return;
  }
  Vectors results;
  for (int64_t v = 0; v < strip_.count; ++v) {
    if (read) {
      mlir::IRMapping indices(scalars_);
      indices.map(loop.getInductionVar(), places_[v]);
      results.push_back(elementLoad(read, indices));
      continue;
    }
    mlir::IRMapping operands;
    for (Value operand : op.getOperands())
      operands.map(operand, isElement(operand) ? elements_[operand][v] : broadcast(scalars_.lookupOrDefault(operand)));
    Operation *clone = builder_.clone(op, operands);
    clone->getResult(0).setType(vectorOf(op.getResult(0).getType()));
    results.push_back(clone->getResult(0));
  }
  elements_[op.getResult(0)] = results;
}

/// Whether `index` is computed from the loop's variable.
bool StripWriter::variesIn(Value index, scf::ForOp loop) {
  if (index == loop.getInductionVar())
    return true;
  Operation *op = index.getDefiningOp();
  return op && op->getBlock() == loop.getBody() && index.getType().isIndex() &&
         llvm::any_of(op->getOperands(), [&](Value operand) { return variesIn(operand, loop); });
}

Value StripWriter::elementLoad(memref::LoadOp op, mlir::IRMapping &values) {
  llvm::SmallVector<Value> indices;
  for (Value index : op.getIndices())
    indices.push_back(cloneIndex(index, op->getBlock(), values));
  return load(op.getMemRef(), indices, *unitDimension(op.getMemRef()));
}

Value StripWriter::cloneIndex(Value index, mlir::Block *block, mlir::IRMapping &values) {
  if (Value known = values.lookupOrNull(index))
    return known;
  Operation *op = index.getDefiningOp();
  if (!op || op->getBlock() != block)
    return index;
  for (Value operand : op->getOperands())
    values.map(operand, cloneIndex(operand, block, values));
  return builder_.clone(*op, values)->getResult(0);
}

llvm::SmallVector<Value> StripWriter::withSlots(mlir::ValueRange values) {
  llvm::SmallVector<Value> all;
  for (Value value : values)
    all.push_back(scalars_.lookupOrDefault(value));
  for (Vectors &vectors : slots_)
    for (Value value : vectors)
      all.push_back(broadcast(value));
  return all;
}

/// Makes the last of `values` the slots' vectors.
void StripWriter::takeSlots(mlir::ValueRange values) {
  size_t total = 0;
  for (const Vectors &vectors : slots_)
    total += vectors.size();
  values = values.take_back(total);
  for (Vectors &vectors : slots_)
    for (Value &value : vectors) {
      value = values.front();
      values = values.drop_front();
    }
}

/// Fills the block `to`, whose arguments are those of `from` and then the slots.
void StripWriter::writeBlock(mlir::Block &from, mlir::Block &to) {
  mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(&to);
  for (auto [before, after] : llvm::zip_first(from.getArguments(), to.getArguments()))
    scalars_.map(before, after);
  if (to.getNumArguments() > 0)
    takeSlots(to.getArguments());
  for (Operation &op : from.without_terminator())
    writeOperation(op);
  Operation *end = from.getTerminator();
  llvm::SmallVector<Value> results = withSlots(end->getOperands());
  mlir::OperationState state(end->getLoc(), end->getName(), results, mlir::TypeRange());
  builder_.create(state);
}

/// The loops are on vectors already, and long enough where there are a few of them.
void StripWriter::setHints(scf::ForOp loop) {
  namespace LLVM = mlir::LLVM;
  mlir::MLIRContext *context = builder_.getContext();
  const mlir::BoolAttr yes = builder_.getBoolAttr(true);
  auto vectorize = LLVM::LoopVectorizeAttr::get(context, yes, {}, {}, {}, {}, {}, {});
  auto unroll = LLVM::LoopUnrollAttr::get(context, yes, {}, {}, {}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation", LLVM::LoopAnnotationAttr::get(context, {}, vectorize, {}, unroll, {}, {}, {},
                                                                      {}, {}, {}, {}, {}, {}, {}, {}));
}

void StripWriter::writeFor(scf::ForOp loop) {
  auto clone = scf::ForOp::create(builder_, loop.getLoc(), scalars_.lookupOrDefault(loop.getLowerBound()),
                                  scalars_.lookupOrDefault(loop.getUpperBound()),
                                  scalars_.lookupOrDefault(loop.getStep()), withSlots(loop.getInitArgs()));
  clone->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  setHints(clone);
  clone.getBody()->clear();
  writeBlock(*loop.getBody(), *clone.getBody());
  scalars_.map(loop.getResults(), clone.getResults().take_front(loop.getNumResults()));
  takeSlots(clone.getResults());
}

void StripWriter::writeWhile(scf::WhileOp loop) {
  llvm::SmallVector<Value> inits = withSlots(loop.getInits());
  llvm::SmallVector<mlir::Type> types(loop.getResultTypes());
  for (Value value : llvm::ArrayRef<Value>(inits).drop_front(loop.getInits().size()))
    types.push_back(value.getType());
  auto clone = scf::WhileOp::create(builder_, loop.getLoc(), types, inits);
  const auto addBlock = [&](mlir::Region &region, mlir::TypeRange arguments) -> mlir::Block & {
    mlir::Block &block = region.emplaceBlock();
    for (mlir::Type type : arguments)
      block.addArgument(type, loop.getLoc());
    return block;
  };
  writeBlock(*loop.getBeforeBody(), addBlock(clone.getBefore(), mlir::TypeRange(mlir::ValueRange(inits))));
  writeBlock(*loop.getAfterBody(), addBlock(clone.getAfter(), types));
  scalars_.map(loop.getResults(), clone.getResults().take_front(loop.getNumResults()));
  takeSlots(clone.getResults());
}

void StripWriter::writeIf(scf::IfOp choice) {
  llvm::SmallVector<Value> before = withSlots({});
  llvm::SmallVector<mlir::Type> types(choice.getResultTypes());
  for (Value value : before)
    types.push_back(value.getType());
  auto clone = scf::IfOp::create(builder_, choice.getLoc(), types, scalars_.lookupOrDefault(choice.getCondition()),
                                 /*addThenBlock=*/true, /*addElseBlock=*/true);
  writeBlock(*choice.thenBlock(), *clone.thenBlock());
  takeSlots(before);
  if (choice.elseBlock()) {
    writeBlock(*choice.elseBlock(), *clone.elseBlock());
  } else {
    mlir::OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(clone.elseBlock());
    scf::YieldOp::create(builder_, choice.getLoc(), before);
  }
  scalars_.map(choice.getResults(), clone.getResults().take_front(choice.getNumResults()));
  takeSlots(clone.getResults());
}

} // namespace spc::transforms
