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
  state_.assign(region_.slots.size() * places_.size(), Value());
  // All of a slot is read before any of it is written, where vectors overlap.
  for (const Slot &slot : region_.slots)
    if (!slot.isFresh)
      for (auto [vector, place] : llvm::zip_equal(vectorsOf(slot), places_))
        vector = elements.load(slot.buffer, indicesAt(slot, place), slot.along);
  for (Operation *op : region_.operations)
    writeOperation(*op);
  for (const Slot &slot : region_.slots)
    for (auto [vector, place] : llvm::zip_equal(vectorsOf(slot), places_))
      elements.store(vector, slot.buffer, indicesAt(slot, place), slot.along);
}

llvm::SmallVector<Value> StripWriter::indicesAt(const Slot &slot, Value index) {
  llvm::SmallVector<Value> indices;
  for (Value other : slot.indices)
    indices.push_back(other ? lookup(other) : index);
  return indices;
}

void StripWriter::writeOperation(Operation &op) {
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

void StripWriter::writeDense(scf::ForOp loop) {
  VectorBody body(builder_, loop, strip_.lanes);
  for (size_t v = 0; v < places_.size(); ++v) {
    const auto held = [&](memref::LoadOp load) {
      const Slot *slot = region_.slotOf(load);
      return slot ? vectorsOf(*slot)[v] : Value();
    };
    const auto hold = [&](memref::StoreOp store, Value value) { vectorsOf(*region_.slotOf(store))[v] = value; };
    body.write(copies_.front(), places_[v], {}, held, hold);
  }
}

} // namespace spc::transforms
