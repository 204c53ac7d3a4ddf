#include "transforms/assembly/run_writer.h"

#include "dialect/runtime_types.h"
#include "transforms/assembly/identity.h"
#include "transforms/assembly/run_values.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

namespace LLVM = mlir::LLVM;
namespace arith = mlir::arith;
using dialect::RunForm;
using dialect::RunType;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;

namespace {

using RunSlot = runtime::RunSlot;
namespace functions = runtime::functions;

constexpr int64_t kNoWord = INT64_MAX / 64; ///< beyond every word of bits

Value flagConstant(ImplicitLocOpBuilder &ops, bool value) {
  return arith::ConstantOp::create(ops, ops.getBoolAttr(value));
}

/// Room for `count` values of `type` in the frame of the function around `ops`.
Value variable(ImplicitLocOpBuilder &ops, mlir::Type type, int64_t count = 1) {
  mlir::Region *region = ops.getInsertionBlock()->getParent();
  while (auto outer = region->getParentOp()->getParentOfType<mlir::FunctionOpInterface>())
    region = &outer.getFunctionBody();
  const mlir::OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToStart(&region->front());
  return LLVM::AllocaOp::create(ops, pointerType(ops.getContext()), type, constant(ops, count));
}

/// `count` bits from bit % 64 on
Value bitsOf(ImplicitLocOpBuilder &ops, Value bit, int64_t count = 1) {
  const Value place = arith::AndIOp::create(ops, bit, constant(ops, 63));
  return arith::ShLIOp::create(ops, constant(ops, (int64_t{1} << count) - 1), place);
}

/// How many neighbouring elements a value is for.
int64_t lanesOf(mlir::Type type) {
  auto vector = mlir::dyn_cast_or_null<mlir::VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

void setBits(ImplicitLocOpBuilder &ops, Value words, Value number, Value bits) {
  const Value address = elementOf(ops, ops.getI64Type(), words, number);
  const Value word = loadInt(ops, address);
  LLVM::StoreOp::create(ops, arith::OrIOp::create(ops, word, bits).getResult(), address);
}

} // namespace

Value toInt(ImplicitLocOpBuilder &ops, Value index) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  if (cast && cast.getIn().getType() == ops.getI64Type())
    return cast.getIn();
  return ops.createOrFold<arith::IndexCastOp>(ops.getI64Type(), index);
}

size_t RunWriter::partCount(RunForm form) {
  return form == RunForm::Dense ? Parts : Bits;
}

RunWriter::RunWriter(ImplicitLocOpBuilder &ops, RunType type) : type_(type), parts_(Parts) {
  for (const Part number : {Count, Capacity, First, Last, Word, WordBits})
    parts_[number] = variable(ops, ops.getI64Type());
  for (const Part pointer : {Keys, Values, Slots})
    parts_[pointer] = variable(ops, pointerType(ops.getContext()));
  parts_[Coordinates] = variable(ops, ops.getI64Type(), std::max<int64_t>(1, type.getRow()));
}

/// A field of runtime::Run.
Value RunWriter::field(ImplicitLocOpBuilder &ops, unsigned slot) {
  const LLVM::LLVMStructType layout = dialect::structType<runtime::Run>(ops.getContext());
  const Value address = LLVM::GEPOp::create(ops, pointerType(ops.getContext()), layout, part(Handle),
                                            {LLVM::GEPArg(0), LLVM::GEPArg(static_cast<int32_t>(slot))});
  return LLVM::LoadOp::create(ops, layout.getBody()[slot], address);
}

/// Loads what a call of the runtime may have moved.
void RunWriter::reload(ImplicitLocOpBuilder &ops) {
  LLVM::StoreOp::create(ops, field(ops, RunSlot::keys), part(Keys));
  LLVM::StoreOp::create(ops, field(ops, RunSlot::values), part(Values));
  LLVM::StoreOp::create(ops, field(ops, RunSlot::capacity), part(Capacity));
  if (!type_.appends())
    LLVM::StoreOp::create(ops, field(ops, RunSlot::slots), part(Slots));
}

Value RunWriter::begin(ImplicitLocOpBuilder &ops, Value assembly, Value chunk, int64_t run) {
  const auto form = static_cast<int64_t>(type_.appends() ? runtime::Form::Append : runtime::Form::Workspace);
  const Value number = toInt(ops, chunk), nest = constant(ops, run);
  parts_[Handle] = call(ops, functions::run_begin, {assembly, number, nest, constant(ops, form)}).getResult();
  const Value null = LLVM::ZeroOp::create(ops, pointerType(ops.getContext()));
  return LLVM::ICmpOp::create(ops, LLVM::ICmpPredicate::ne, part(Handle), null);
}

Value RunWriter::isDense(ImplicitLocOpBuilder &ops) {
  const Value null = LLVM::ZeroOp::create(ops, pointerType(ops.getContext()));
  return LLVM::ICmpOp::create(ops, LLVM::ICmpPredicate::ne, field(ops, RunSlot::bits), null);
}

Value RunWriter::isHash(ImplicitLocOpBuilder &ops) {
  const Value null = LLVM::ZeroOp::create(ops, pointerType(ops.getContext()));
  return LLVM::ICmpOp::create(ops, LLVM::ICmpPredicate::eq, field(ops, RunSlot::planned), null);
}

RunWriter RunWriter::enter(ImplicitLocOpBuilder &ops, RunForm form) {
  RunWriter nest(type_.in(form), mlir::ValueRange(parts_).take_front(partCount(form)));
  LLVM::StoreOp::create(ops, constant(ops, 0), part(Count));
  nest.reload(ops);
  if (form == RunForm::Dense) {
    nest.parts_[Bits] = field(ops, RunSlot::bits);
    nest.parts_[Summary] = field(ops, RunSlot::summary);
    nest.clearTouched(ops);
  }
  return nest;
}

void RunWriter::end(ImplicitLocOpBuilder &ops) {
  call(ops, functions::run_end, {part(Handle), loadInt(ops, part(Count))});
}

void RunWriter::makeRoom(ImplicitLocOpBuilder &ops, Value isNeeded, Value more) {
  auto needed = mlir::scf::IfOp::create(ops, isNeeded, /*withElseRegion=*/false);
  ImplicitLocOpBuilder grow = thenBuilder(ops, needed);
  const Value count = loadInt(grow, part(Count));
  LLVM::StoreOp::create(grow, call(grow, functions::run_grow, {part(Handle), count, more}).getResult(), part(Count));
  reload(grow);
}

/// How many entries fit, compared to `more`.
Value RunWriter::compareRoom(ImplicitLocOpBuilder &ops, arith::CmpIPredicate predicate, Value more) {
  const Value capacity = loadInt(ops, part(Capacity));
  const Value room = arith::SubIOp::create(ops, capacity, loadInt(ops, part(Count)));
  return arith::CmpIOp::create(ops, predicate, room, more);
}

Value RunWriter::reserve(ImplicitLocOpBuilder &ops, Value most) {
  makeRoom(ops, compareRoom(ops, arith::CmpIPredicate::slt, most), most);
  return compareRoom(ops, arith::CmpIPredicate::sge, most);
}

void RunWriter::append(ImplicitLocOpBuilder &ops, Value key, Value value, bool isReserved) {
  if (!isReserved) {
    const Value used = loadInt(ops, part(Count));
    const Value isFull = arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, used, loadInt(ops, part(Capacity)));
    makeRoom(ops, isFull, constant(ops, 1));
  }
  const Value count = writeNext(ops, key, value);
  LLVM::StoreOp::create(ops, plusOne(ops, count), part(Count));
}

void RunWriter::appendIf(ImplicitLocOpBuilder &ops, Value condition, Value key, Value value) {
  const Value count = writeNext(ops, key, value);
  const Value more = arith::ExtUIOp::create(ops, ops.getI64Type(), condition);
  LLVM::StoreOp::create(ops, arith::AddIOp::create(ops, count, more).getResult(), part(Count));
}

/// Writes what is to be the next entry. Returns how many there are before it.
Value RunWriter::writeNext(ImplicitLocOpBuilder &ops, Value key, Value value) {
  const Value count = loadInt(ops, part(Count));
  if (type_.getKey() != key.getType())
    key = ops.createOrFold<arith::TruncIOp>(type_.getKey(), key);
  LLVM::StoreOp::create(ops, key, elementOf(ops, type_.getKey(), loadPointer(ops, part(Keys)), count));
  if (value)
    storeElement(ops, elementAddress(ops, loadPointer(ops, part(Values)), count), value);
  return count;
}

Value RunWriter::locate(ImplicitLocOpBuilder &ops, Value key) {
  switch (type_.getForm()) {
  case RunForm::Append:
  case RunForm::Workspace:
  case RunForm::Dense:
    return key;
  case RunForm::Record:
    append(ops, key, {}, /*isReserved=*/false);
    return key;
  case RunForm::Place:
    return nextPlace(ops);
  case RunForm::Hash:
    break;
  }
  const Value slot = call(ops, functions::locate, {part(Handle), key}).getResult();
  LLVM::StoreOp::create(ops, field(ops, RunSlot::slots), part(Slots));
  return slot;
}

Value RunWriter::peek(ImplicitLocOpBuilder &ops, Value key, mlir::Attribute identity) {
  if (type_.getForm() == RunForm::Place)
    return peekPlace(ops, identity);
  const bool isHash = type_.getForm() == RunForm::Hash;
  if (!isHash && !identity) // 0 is what untouched slots hold
    return loadSlot(ops, key, type_.getValue());
  const Value slot = isHash ? call(ops, functions::find, {part(Handle), key}).getResult() : key;
  const Value isThere =
      isHash ? arith::CmpIOp::create(ops, arith::CmpIPredicate::sge, slot, constant(ops, 0)) : isTouched(ops, key);
  auto found = mlir::scf::IfOp::create(ops, mlir::TypeRange{type_.getValue()}, isThere, /*withElseRegion=*/true);
  ImplicitLocOpBuilder yes = thenBuilder(ops, found);
  mlir::scf::YieldOp::create(yes, loadSlot(yes, slot, type_.getValue()));
  ImplicitLocOpBuilder no(ops.getLoc(), found.getElseBodyBuilder(ops.getListener()));
  mlir::scf::YieldOp::create(no, identityConstant(no, type_.getValue(), identity));
  return found.getResult(0);
}

/// Whether a key of a dense workspace has a value; the bits of the current word are in a variable.
Value RunWriter::isTouched(ImplicitLocOpBuilder &ops, Value key) {
  const Value word = arith::ShRUIOp::create(ops, key, constant(ops, 6));
  const Value address = elementOf(ops, ops.getI64Type(), part(Bits), word);
  const Value isCurrent = arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, word, loadInt(ops, part(Word)));
  const Value pending = arith::SelectOp::create(ops, isCurrent, loadInt(ops, part(WordBits)), constant(ops, 0));
  const Value bits = arith::OrIOp::create(ops, loadInt(ops, address), pending);
  const Value own = arith::AndIOp::create(ops, bits, bitsOf(ops, key));
  return arith::CmpIOp::create(ops, arith::CmpIPredicate::ne, own, constant(ops, 0));
}

/// Notes that a dense workspace has `count` entries from `key` on, whose bits are of one word. Neighbouring keys share
/// a word: its bits stay in a register until another word's turn comes, since a store and a load of the same word for
/// each key would wait for one another.
void RunWriter::touch(ImplicitLocOpBuilder &ops, Value key, int64_t count) {
  const Value word = arith::ShRUIOp::create(ops, key, constant(ops, 6));
  const Value isOther = arith::CmpIOp::create(ops, arith::CmpIPredicate::ne, word, loadInt(ops, part(Word)));
  auto other = mlir::scf::IfOp::create(ops, isOther, /*withElseRegion=*/false);
  ImplicitLocOpBuilder change = thenBuilder(ops, other);
  storeWord(change);
  LLVM::StoreOp::create(change, word, part(Word));
  const Value bits = arith::OrIOp::create(ops, loadInt(ops, part(WordBits)), bitsOf(ops, key, count));
  LLVM::StoreOp::create(ops, bits, part(WordBits));
}

void RunWriter::storeWord(ImplicitLocOpBuilder &ops) {
  const Value bits = loadInt(ops, part(WordBits));
  const Value isTouched = arith::CmpIOp::create(ops, arith::CmpIPredicate::ne, bits, constant(ops, 0));
  auto touched = mlir::scf::IfOp::create(ops, isTouched, /*withElseRegion=*/false);
  ImplicitLocOpBuilder store = thenBuilder(ops, touched);
  const Value word = loadInt(store, part(Word));
  setBits(store, part(Bits), word, bits);
  setBits(store, part(Summary), arith::ShRUIOp::create(store, word, constant(store, 6)), bitsOf(store, word));
  const Value first = arith::MinSIOp::create(store, loadInt(store, part(First)), word);
  LLVM::StoreOp::create(store, first, part(First));
  const Value last = arith::MaxSIOp::create(store, loadInt(store, part(Last)), word);
  LLVM::StoreOp::create(store, last, part(Last));
  LLVM::StoreOp::create(store, constant(store, 0), part(WordBits));
}

/// No key is touched.
void RunWriter::clearTouched(ImplicitLocOpBuilder &ops) {
  LLVM::StoreOp::create(ops, constant(ops, kNoWord), part(First));
  LLVM::StoreOp::create(ops, constant(ops, -1), part(Last));
  LLVM::StoreOp::create(ops, constant(ops, 0), part(Word));
  LLVM::StoreOp::create(ops, constant(ops, 0), part(WordBits));
}

Value RunWriter::elementAddress(ImplicitLocOpBuilder &ops, Value array, Value position) {
  const mlir::Type part = wordPart(type_.getValue());
  if (part != type_.getValue())
    position = arith::ShLIOp::create(ops, position, constant(ops, 1));
  return elementOf(ops, part, array, position);
}

void RunWriter::storeElement(ImplicitLocOpBuilder &ops, Value address, Value value) {
  const mlir::Type part = wordPart(type_.getValue());
  if (part == type_.getValue()) {
    LLVM::StoreOp::create(ops, value, address, valueBytes(type_));
    return;
  }
  const Value next = elementOf(ops, part, address, 1);
  LLVM::StoreOp::create(ops, mlir::complex::ReOp::create(ops, value).getResult(), address);
  LLVM::StoreOp::create(ops, mlir::complex::ImOp::create(ops, value).getResult(), next);
}

Value RunWriter::loadSlot(ImplicitLocOpBuilder &ops, Value slot, mlir::Type type) {
  const Value address = elementAddress(ops, loadPointer(ops, part(Slots)), slot);
  const mlir::Type part = wordPart(type_.getValue());
  if (type != type_.getValue())
    return LLVM::LoadOp::create(ops, type, address, valueBytes(type_));
  const Value first = LLVM::LoadOp::create(ops, part, address);
  if (part == type_.getValue())
    return first;
  const Value second = LLVM::LoadOp::create(ops, part, elementOf(ops, part, address, 1));
  return mlir::complex::CreateOp::create(ops, type_.getValue(), first, second);
}

void RunWriter::storeSlot(ImplicitLocOpBuilder &ops, Value key, Value slot, Value value) {
  if (type_.getForm() == RunForm::Dense)
    touch(ops, key, value ? lanesOf(value.getType()) : 1);
  if (value)
    storeElement(ops, elementAddress(ops, loadPointer(ops, part(Slots)), slot), value);
}

Value RunWriter::makeFlag(ImplicitLocOpBuilder &ops) {
  const Value flag = variable(ops, ops.getI1Type());
  LLVM::StoreOp::create(ops, flagConstant(ops, false), flag);
  return flag;
}

void RunWriter::raise(ImplicitLocOpBuilder &ops, Value flag) {
  LLVM::StoreOp::create(ops, flagConstant(ops, true), flag);
}

Value RunWriter::isRaised(ImplicitLocOpBuilder &ops, Value flag) {
  return LLVM::LoadOp::create(ops, ops.getI1Type(), flag);
}

} // namespace spc::transforms
