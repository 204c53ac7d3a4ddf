#include "transforms/vector/tile_writer.h"

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

void TileWriter::findPlaces() {
  const auto add = [&](Value start, int64_t vectors) -> Value {
    Value offset = arith::ConstantIndexOp::create(builder_, location_, vectors * tile_.lanes);
    return vectors == 0 ? start : arith::AddIOp::create(builder_, location_, start, offset).getResult();
  };
  // Vectors that may overlap are moved together, so that all addresses follow from two.
  const int64_t firm = tile_.count - tile_.clamped;
  Value tail = tile_.base;
  if (tile_.clamped > 0)
    tail = arith::MinSIOp::create(builder_, location_, add(tile_.base, firm), add(region_.size, -tile_.clamped));
  for (int64_t v = 0; v < tile_.count; ++v)
    places_.push_back(v < firm ? add(tile_.base, v) : add(tail, v - firm));
}

void TileWriter::write() {
  findPlaces();
  VectorBody elements(builder_, mlir::cast<scf::ForOp>(*region_.dense.begin()), tile_.lanes);
  state_.assign(region_.slots.size() * places_.size(), Value());
  for (const Slot &slot : region_.slots)
    if (!slot.isFresh && !slot.isLocal)
      loadSlot(slot, elements);
  for (Operation *op : region_.operations)
    writeOperation(*op);
  for (const Slot &slot : region_.slots)
    if (!slot.isLocal)
      storeSlot(slot, elements);
}

/// Reads a slot whole, before any of it is written: its vectors may overlap.
void TileWriter::loadSlot(const Slot &slot, VectorBody &elements) {
  for (auto [vector, place] : llvm::zip_equal(vectorsOf(slot), places_))
    vector = elements.load(slot.buffer, indicesAt(slot, place), slot.along);
}

void TileWriter::storeSlot(const Slot &slot, VectorBody &elements) {
  for (auto [vector, place] : llvm::zip_equal(vectorsOf(slot), places_))
    elements.store(vector, slot.buffer, indicesAt(slot, place), slot.along);
}

llvm::SmallVector<Value> TileWriter::indicesAt(const Slot &slot, Value index) {
  llvm::SmallVector<Value> indices;
  for (Value other : slot.indices)
    indices.push_back(other ? lookup(other) : index);
  return indices;
}

void TileWriter::writeOperation(Operation &op) {
  if (region_.dense.contains(&op))
    writeDense(mlir::cast<scf::ForOp>(op));
  else if (auto loop = mlir::dyn_cast<scf::ForOp>(op))
    keepLoopAsItIs(cloneFor(loop));
  else if (auto merge = mlir::dyn_cast<scf::WhileOp>(op))
    cloneWhile(merge);
  else if (auto choice = mlir::dyn_cast<scf::IfOp>(op))
    cloneIf(choice);
  else
    builder_.clone(op, copies_.front());
}

/// The local slots that a dense loop stores to.
llvm::SmallVector<const Slot *> TileWriter::localSlotsOf(scf::ForOp loop) const {
  llvm::SmallVector<const Slot *> slots;
  for (auto store : loop.getBody()->getOps<memref::StoreOp>())
    if (const Slot *slot = region_.slotOf(store); slot->isLocal && !llvm::is_contained(slots, slot))
      slots.push_back(slot);
  return slots;
}

void TileWriter::writeDense(scf::ForOp loop) {
  VectorBody body(builder_, loop, tile_.lanes);
  const llvm::SmallVector<const Slot *> locals = localSlotsOf(loop);
  for (const Slot *slot : locals)
    loadSlot(*slot, body);
  for (size_t v = 0; v < places_.size(); ++v) {
    const auto promotedLoad = [&](memref::LoadOp load) {
      const Slot *slot = region_.slotOf(load);
      return slot ? vectorsOf(*slot)[v] : Value();
    };
    const auto promotedStore = [&](memref::StoreOp store, Value value) {
      vectorsOf(*region_.slotOf(store))[v] = value;
    };
    body.write(copies_.front(), places_[v], {}, promotedLoad, promotedStore);
  }
  // The state is handed on by loops around: what is in memory is no part of it.
  for (const Slot *slot : locals) {
    storeSlot(*slot, body);
    llvm::fill(vectorsOf(*slot), Value());
  }
}

} // namespace spc::transforms
