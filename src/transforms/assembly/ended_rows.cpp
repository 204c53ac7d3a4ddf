// How rows end.
#include "transforms/assembly/run_values.h"
#include "transforms/assembly/run_writer.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace spc::transforms {

namespace LLVM = mlir::LLVM;
namespace arith = mlir::arith;
namespace functions = runtime::functions;
using dialect::RunForm;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;

Value RunWriter::rowLength(ImplicitLocOpBuilder &ops) {
  return call(ops, functions::row_length, {part(Handle), loadInt(ops, part(Count))}).getResult();
}

void RunWriter::joinRow(ImplicitLocOpBuilder &ops, Value before) {
  const Value count = loadInt(ops, part(Count));
  LLVM::StoreOp::create(ops, call(ops, functions::row_join, {part(Handle), count, before}).getResult(), part(Count));
  reload(ops);
}

void RunWriter::sortRow(ImplicitLocOpBuilder &ops) {
  const runtime::Function *own = functions::row_sort_of(keyBytes(type_), valueBytes(type_));
  const Value sorted =
      call(ops, own ? *own : functions::row_sort, {part(Handle), loadInt(ops, part(Count))}).getResult();
  LLVM::StoreOp::create(ops, sorted, part(Count));
}

void RunWriter::endRow(ImplicitLocOpBuilder &ops, mlir::ValueRange coordinates) {
  for (auto [k, coordinate] : llvm::enumerate(coordinates)) {
    const Value place = elementOf(ops, ops.getI64Type(), part(Coordinates), static_cast<int32_t>(k));
    LLVM::StoreOp::create(ops, toInt(ops, coordinate), place);
  }
  if (type_.getForm() == RunForm::Place)
    return;
  const Value run = part(Handle), row = part(Coordinates), count = loadInt(ops, part(Count));
  Value ended;
  if (type_.getForm() == RunForm::Record) {
    ended = call(ops, functions::row_record, {run, count, row}).getResult();
  } else if (type_.appends()) {
    ended = call(ops, functions::row_end, {run, count, row}).getResult();
  } else if (type_.getForm() == RunForm::Hash) {
    const runtime::Function *own = functions::hash_flush_of(keyBytes(type_), valueBytes(type_));
    ended = call(ops, own ? *own : functions::hash_flush, {run, count, row}).getResult();
  } else {
    storeWord(ops);
    const Value bits = constant(ops, 64);
    const Value first = arith::MulIOp::create(ops, loadInt(ops, part(First)), bits);
    const Value after = arith::MulIOp::create(ops, plusOne(ops, loadInt(ops, part(Last))), bits);
    const Value last = arith::SubIOp::create(ops, after, constant(ops, 1));
    const runtime::Function *own = functions::row_flush_of(keyBytes(type_), valueBytes(type_));
    ended = call(ops, own ? *own : functions::row_flush, {run, count, first, last, row}).getResult();
    clearTouched(ops);
  }
  LLVM::StoreOp::create(ops, ended, part(Count));
  reload(ops);
}

Value RunWriter::notesRows(ImplicitLocOpBuilder &ops) {
  const Value null = LLVM::ZeroOp::create(ops, pointerType(ops.getContext()));
  const Value lengths = call(ops, functions::row_lengths, {part(Handle)}).getResult();
  return LLVM::ICmpOp::create(ops, LLVM::ICmpPredicate::ne, lengths, null);
}

void RunWriter::endRows(ImplicitLocOpBuilder &ops, Value first, Value count, Value pointers, Value row) {
  const mlir::Type noted = ops.getI32Type();
  const Value lengths = call(ops, functions::row_lengths, {part(Handle)}).getResult();
  const Value from = elementOf(ops, noted, lengths, first);
  const Value none = arith::ConstantIndexOp::create(ops, 0), one = arith::ConstantIndexOp::create(ops, 1);
  auto rows = mlir::scf::ForOp::create(ops, none, count, one);
  ImplicitLocOpBuilder each(ops.getLoc(), mlir::OpBuilder::atBlockTerminator(rows.getBody()));
  const Value place = arith::AddIOp::create(each, row, rows.getInductionVar());
  const Value begin = mlir::memref::LoadOp::create(each, pointers, place);
  const Value end = mlir::memref::LoadOp::create(each, pointers, arith::AddIOp::create(each, place, one).getResult());
  Value length = arith::SubIOp::create(each, end, begin);
  const unsigned bits = length.getType().getIntOrFloatBitWidth();
  if (bits > noted.getIntOrFloatBitWidth())
    length = arith::TruncIOp::create(each, noted, length);
  else if (bits < noted.getIntOrFloatBitWidth())
    length = arith::ExtUIOp::create(each, noted, length);
  LLVM::StoreOp::create(each, length, elementOf(each, noted, from, toInt(each, rows.getInductionVar())));
  call(ops, functions::rows_end, {part(Handle), loadInt(ops, part(Count))});
}

} // namespace spc::transforms
