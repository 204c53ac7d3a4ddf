// Runs that go by a plan, or make one.
#include "dialect/runtime_types.h"
#include "transforms/assembly/identity.h"
#include "transforms/assembly/run_values.h"
#include "transforms/assembly/run_writer.h"

namespace spc::transforms {

namespace LLVM = mlir::LLVM;
namespace arith = mlir::arith;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;
using RunSlot = runtime::RunSlot;

// The parts of a planned run: the keys point to the place of the next key that is met, the values to the end of the
// row's places, the slots to the row's values.

Value RunWriter::placeAt(ImplicitLocOpBuilder &ops, Value address) {
  return arith::ExtUIOp::create(ops, ops.getI64Type(), LLVM::LoadOp::create(ops, ops.getI16Type(), address));
}

Value RunWriter::nextPlace(ImplicitLocOpBuilder &ops) {
  const Value address = loadPointer(ops, part(Keys));
  LLVM::StoreOp::create(ops, elementOf(ops, ops.getI16Type(), address, 1), part(Keys));
  return placeAt(ops, address);
}

/// What is at the next key's place. The row may have met its last key: then any number will do.
Value RunWriter::peekPlace(ImplicitLocOpBuilder &ops, mlir::Attribute identity) {
  const Value next = loadPointer(ops, part(Keys)), end = loadPointer(ops, part(Values));
  const Value isThere = LLVM::ICmpOp::create(ops, LLVM::ICmpPredicate::ult, next, end);
  auto found = mlir::scf::IfOp::create(ops, mlir::TypeRange{type_.getValue()}, isThere, /*withElseRegion=*/true);
  ImplicitLocOpBuilder yes = thenBuilder(ops, found);
  mlir::scf::YieldOp::create(yes, loadSlot(yes, placeAt(yes, next), type_.getValue()));
  ImplicitLocOpBuilder no(ops.getLoc(), found.getElseBodyBuilder(ops.getListener()));
  mlir::scf::YieldOp::create(no, identityConstant(no, type_.getValue(), identity));
  return found.getResult(0);
}

void RunWriter::beginRow(ImplicitLocOpBuilder &ops, Value coordinate, mlir::Attribute identity) {
  const LLVM::LLVMStructType layout = dialect::structType<runtime::PlannedRow>(ops.getContext());
  const Value row = coordinate ? toInt(ops, coordinate) : constant(ops, 0);
  const Value first = elementOf(ops, layout, field(ops, RunSlot::planned), row);
  const Value next = elementOf(ops, layout, first, 1);
  const auto numberIn = [&](Value of, int32_t slot) {
    return loadInt(ops, elementOf(ops, ops.getI64Type(), of, slot));
  };
  const Value all = field(ops, RunSlot::places);
  const auto placesOf = [&](Value of) {
    return elementOf(ops, ops.getI16Type(), all, numberIn(of, runtime::PlannedRowSlot::places));
  };
  const Value begin = numberIn(first, runtime::PlannedRowSlot::values);
  const Value count = arith::SubIOp::create(ops, numberIn(next, runtime::PlannedRowSlot::values), begin);
  const Value values = elementAddress(ops, field(ops, RunSlot::values), begin);
  LLVM::StoreOp::create(ops, placesOf(first), part(Keys));
  LLVM::StoreOp::create(ops, placesOf(next), part(Values));
  LLVM::StoreOp::create(ops, values, part(Slots));
  const Value start = identityConstant(ops, type_.getValue(), identity);
  auto fill = mlir::scf::ForOp::create(ops, constant(ops, 0), count, constant(ops, 1));
  ImplicitLocOpBuilder inside(ops.getLoc(), mlir::OpBuilder::atBlockBegin(fill.getBody(), ops.getListener()));
  storeElement(inside, elementAddress(inside, values, fill.getInductionVar()), start);
}

} // namespace spc::transforms
