#include "transforms/vector/strip_writer.h"

#include "transforms/util/loop_hints.h"
#include "transforms/util/vector_body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Operation;
using mlir::Value;

void StripWriter::findPlaces() {
  const auto add = [&](Value start, int64_t vectors) -> Value {
    Value offset = arith::ConstantIndexOp::create(builder_, location_, vectors * strip_.lanes);
    return vectors == 0 ? start : arith::AddIOp::create(builder_, location_, start, offset).getResult();
  };
  // Those that may overlap are moved together, so that all addresses come from two.
  const int64_t firm = strip_.count - strip_.clamped;
  Value tail = strip_.base;
  if (strip_.clamped > 0)
    tail = arith::MinSIOp::create(builder_, location_, add(strip_.base, firm), add(region_.size, -strip_.clamped));
  for (int64_t v = 0; v < strip_.count; ++v)
    places_.push_back(v < firm ? add(strip_.base, v) : add(tail, v - firm));
}

void StripWriter::write() {
  findPlaces();
  VectorBody elements(builder_, mlir::cast<scf::ForOp>(*region_.dense.begin()), strip_.lanes);
  // All of a slot is read before any of it is written, where vectors overlap.
  for (const Slot &slot : region_.slots) {
    Vectors values;
    for (Value place : slot.isFresh ? llvm::ArrayRef<Value>() : llvm::ArrayRef<Value>(places_))
      values.push_back(elements.load(slot.buffer, indicesAt(slot, place), slot.along));
    slots_.push_back(values);
  }
  for (Operation *op : region_.operations)
    writeOperation(*op);
  for (const Slot &slot : region_.slots)
    for (auto [value, place] : llvm::zip_equal(accumulators(slot), places_))
      elements.store(value, slot.buffer, indicesAt(slot, place), slot.along);
}

llvm::SmallVector<Value> StripWriter::indicesAt(const Slot &slot, Value index) {
  llvm::SmallVector<Value> indices;
  for (Value other : slot.indices)
    indices.push_back(other ? scalars_.lookupOrDefault(other) : index);
  return indices;
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
  VectorBody body(builder_, loop, strip_.lanes);
  for (size_t v = 0; v < places_.size(); ++v) {
    const auto held = [&](memref::LoadOp load) {
      const Slot *slot = region_.slotOf(load);
      return slot ? accumulators(*slot)[v] : Value();
    };
    const auto hold = [&](memref::StoreOp store, Value value) {
      Vectors &values = accumulators(*region_.slotOf(store));
      values.resize(places_.size());
      values[v] = value;
    };
    body.write(scalars_, places_[v], {}, held, hold);
  }
}

llvm::SmallVector<Value> StripWriter::withSlots(mlir::ValueRange values) {
  llvm::SmallVector<Value> all;
  for (Value value : values)
    all.push_back(scalars_.lookupOrDefault(value));
  for (Vectors &vectors : slots_)
    for (Value value : vectors)
      all.push_back(value);
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

void StripWriter::writeFor(scf::ForOp loop) {
  auto clone = scf::ForOp::create(builder_, loop.getLoc(), scalars_.lookupOrDefault(loop.getLowerBound()),
                                  scalars_.lookupOrDefault(loop.getUpperBound()),
                                  scalars_.lookupOrDefault(loop.getStep()), withSlots(loop.getInitArgs()));
  clone->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  keepLoopAsItIs(clone);
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
