#include "transforms/assembly/collector.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

namespace LLVM = mlir::LLVM;
namespace arith = mlir::arith;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;

namespace {

using RunSlot = runtime::RunSlot;
namespace functions = runtime::functions;

constexpr int64_t kNoWord = INT64_MAX / 64; ///< beyond every word of bits

Value constant(ImplicitLocOpBuilder &ops, int64_t value) {
  return arith::ConstantOp::create(ops, ops.getI64IntegerAttr(value));
}

Value plusOne(ImplicitLocOpBuilder &ops, Value number) {
  return arith::AddIOp::create(ops, number, constant(ops, 1));
}

mlir::Type wordPart(mlir::Type element) {
  auto complex = mlir::dyn_cast<mlir::ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

/// The bytes of a run's values; 0 where it has none.
unsigned valueBytes(const RunShape &shape) {
  const unsigned partBytes = wordPart(shape.element).getIntOrFloatBitWidth() / 8;
  return shape.patternOnly ? 0 : mlir::isa<mlir::ComplexType>(shape.element) ? 2 * partBytes : partBytes;
}

} // namespace

Collector::Collector(mlir::FunctionOpInterface body, const RunShape &shape)
    : body_(body), shape_(shape), pointer_(LLVM::LLVMPointerType::get(body->getContext())),
      int64_(mlir::IntegerType::get(body->getContext(), 64)) {
  for (Value *number : {&count_, &capacity_, &first_, &last_, &word_, &wordBits_})
    *number = variable(int64_);
  for (Value *pointer : {&keys_, &values_, &slots_})
    *pointer = variable(pointer_);
  coordinates_ = variable(int64_, std::max<int64_t>(1, shape.rowOrder));
  if (const runtime::Function *own = functions::row_flush_of(shape.keyBits / 8, valueBytes(shape)))
    rowFlush_ = own;
  if (const runtime::Function *own = functions::hash_flush_of(shape.keyBits / 8, valueBytes(shape)))
    hashFlush_ = own;
}

Value Collector::variable(mlir::Type type, int64_t count) {
  mlir::OpBuilder start = mlir::OpBuilder::atBlockBegin(&body_.getFunctionBody().front());
  ImplicitLocOpBuilder ops(body_.getLoc(), start);
  return LLVM::AllocaOp::create(ops, pointer_, type, constant(ops, count));
}

Value Collector::load(ImplicitLocOpBuilder &ops, Value variable, mlir::Type type) {
  return LLVM::LoadOp::create(ops, type, variable);
}

Value Collector::field(ImplicitLocOpBuilder &ops, unsigned slot) {
  const LLVM::LLVMStructType layout = dialect::structType<runtime::Run>(ops.getContext());
  const Value address =
      LLVM::GEPOp::create(ops, pointer_, layout, run_, {LLVM::GEPArg(0), LLVM::GEPArg(static_cast<int32_t>(slot))});
  return LLVM::LoadOp::create(ops, layout.getBody()[slot], address);
}

LLVM::CallOp Collector::call(ImplicitLocOpBuilder &ops, const runtime::Function &function, mlir::ValueRange arguments) {
  auto module = body_->getParentOfType<mlir::ModuleOp>();
  return LLVM::CallOp::create(ops, dialect::declareRuntime(module, function, module.getLoc()), arguments);
}

/// What a call of the runtime may have moved.
void Collector::reload(ImplicitLocOpBuilder &ops) {
  LLVM::StoreOp::create(ops, field(ops, RunSlot::keys), keys_);
  LLVM::StoreOp::create(ops, field(ops, RunSlot::values), values_);
  LLVM::StoreOp::create(ops, field(ops, RunSlot::capacity), capacity_);
  if (workspace_ != Workspace::None)
    LLVM::StoreOp::create(ops, field(ops, RunSlot::slots), slots_);
}

Value Collector::begin(ImplicitLocOpBuilder &ops, Value assembly, Value chunk, int64_t run, bool hasWorkspace) {
  const auto form = static_cast<int64_t>(hasWorkspace ? runtime::Form::Workspace : runtime::Form::Append);
  const Value number = toInt(ops, chunk), nest = constant(ops, run);
  return call(ops, functions::run_begin, {assembly, number, nest, constant(ops, form)}).getResult();
}

Value Collector::isDense(ImplicitLocOpBuilder &ops, Value run) {
  run_ = run;
  const Value null = LLVM::ZeroOp::create(ops, pointer_);
  return LLVM::ICmpOp::create(ops, LLVM::ICmpPredicate::ne, field(ops, RunSlot::bits), null);
}

void Collector::open(ImplicitLocOpBuilder &ops, Value run, Workspace workspace) {
  run_ = run;
  workspace_ = workspace;
  LLVM::StoreOp::create(ops, constant(ops, 0), count_);
  reload(ops);
  if (workspace != Workspace::Dense)
    return;
  bits_ = field(ops, RunSlot::bits);
  summary_ = field(ops, RunSlot::summary);
  clearTouched(ops);
}

void Collector::makeRoom(ImplicitLocOpBuilder &ops, Value isNeeded, Value more) {
  auto needed = mlir::scf::IfOp::create(ops, isNeeded, /*withElseRegion=*/false);
  ImplicitLocOpBuilder grow(ops.getLoc(), needed.getThenBodyBuilder());
  const Value count = load(grow, count_, int64_);
  LLVM::StoreOp::create(grow, call(grow, functions::run_grow, {run_, count, more}).getResult(), count_);
  reload(grow);
}

/// Whether fewer than `more` entries fit.
Value Collector::isTight(ImplicitLocOpBuilder &ops, Value more) {
  const Value room = arith::SubIOp::create(ops, load(ops, capacity_, int64_), load(ops, count_, int64_));
  return arith::CmpIOp::create(ops, arith::CmpIPredicate::slt, room, more);
}

Value Collector::reserve(ImplicitLocOpBuilder &ops, Value most) {
  makeRoom(ops, isTight(ops, most), most);
  const Value failed = isTight(ops, most);
  return arith::XOrIOp::create(ops, failed, arith::ConstantOp::create(ops, ops.getBoolAttr(true)).getResult());
}

void Collector::append(ImplicitLocOpBuilder &ops, Value key, Value value, bool isReserved) {
  if (!isReserved) {
    const Value isFull =
        arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, load(ops, count_, int64_), load(ops, capacity_, int64_));
    makeRoom(ops, isFull, constant(ops, 1));
  }
  const Value count = load(ops, count_, int64_);
  const mlir::Type narrow = ops.getIntegerType(shape_.keyBits);
  if (shape_.keyBits < 64)
    key = arith::TruncIOp::create(ops, narrow, key);
  const Value place =
      LLVM::GEPOp::create(ops, pointer_, narrow, load(ops, keys_, pointer_), llvm::ArrayRef<LLVM::GEPArg>{count});
  LLVM::StoreOp::create(ops, key, place);
  if (!shape_.patternOnly)
    storeElement(ops, elementAddress(ops, load(ops, values_, pointer_), count), value);
  LLVM::StoreOp::create(ops, plusOne(ops, count), count_);
}

Value Collector::locate(ImplicitLocOpBuilder &ops, Value key) {
  if (workspace_ != Workspace::Hash)
    return key;
  const Value slot = call(ops, functions::locate, {run_, key}).getResult();
  LLVM::StoreOp::create(ops, field(ops, RunSlot::slots), slots_);
  return slot;
}

Value Collector::peek(ImplicitLocOpBuilder &ops, Value key) {
  if (workspace_ != Workspace::Hash && startsFromZero())
    return loadSlot(ops, key);
  const bool isHash = workspace_ == Workspace::Hash;
  const Value slot = isHash ? call(ops, functions::find, {run_, key}).getResult() : key;
  const Value isThere =
      isHash ? arith::CmpIOp::create(ops, arith::CmpIPredicate::sge, slot, constant(ops, 0)) : isTouched(ops, key);
  auto found = mlir::scf::IfOp::create(ops, mlir::TypeRange{shape_.element}, isThere, /*withElseRegion=*/true);
  ImplicitLocOpBuilder yes(ops.getLoc(), found.getThenBodyBuilder());
  mlir::scf::YieldOp::create(yes, loadSlot(yes, slot));
  ImplicitLocOpBuilder no(ops.getLoc(), found.getElseBodyBuilder());
  mlir::scf::YieldOp::create(no, zero(no));
  return found.getResult(0);
}

/// 1 << (bit % 64)
Value Collector::bitOf(ImplicitLocOpBuilder &ops, Value bit) {
  const Value place = arith::AndIOp::create(ops, bit, constant(ops, 63));
  return arith::ShLIOp::create(ops, constant(ops, 1), place);
}

/// Whether a key of a dense workspace has a value; the bits of the current word are in a variable.
Value Collector::isTouched(ImplicitLocOpBuilder &ops, Value key) {
  const Value word = arith::ShRUIOp::create(ops, key, constant(ops, 6));
  const Value address = LLVM::GEPOp::create(ops, pointer_, int64_, bits_, llvm::ArrayRef<LLVM::GEPArg>{word});
  const Value isCurrent = arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, word, load(ops, word_, int64_));
  const Value pending = arith::SelectOp::create(ops, isCurrent, load(ops, wordBits_, int64_), constant(ops, 0));
  const Value bits = arith::OrIOp::create(ops, LLVM::LoadOp::create(ops, int64_, address), pending);
  const Value own = arith::AndIOp::create(ops, bits, bitOf(ops, key));
  return arith::CmpIOp::create(ops, arith::CmpIPredicate::ne, own, constant(ops, 0));
}

void Collector::setBits(ImplicitLocOpBuilder &ops, Value words, Value number, Value bits) {
  const Value address = LLVM::GEPOp::create(ops, pointer_, int64_, words, llvm::ArrayRef<LLVM::GEPArg>{number});
  const Value word = LLVM::LoadOp::create(ops, int64_, address);
  LLVM::StoreOp::create(ops, arith::OrIOp::create(ops, word, bits).getResult(), address);
}

/// Neighbouring keys share a word: its bits stay in a register until another word's turn comes, since a store and a
/// load of the same word for each key would wait for one another.
void Collector::touch(ImplicitLocOpBuilder &ops, Value key) {
  const Value word = arith::ShRUIOp::create(ops, key, constant(ops, 6));
  const Value isOther = arith::CmpIOp::create(ops, arith::CmpIPredicate::ne, word, load(ops, word_, int64_));
  auto other = mlir::scf::IfOp::create(ops, isOther, /*withElseRegion=*/false);
  ImplicitLocOpBuilder change(ops.getLoc(), other.getThenBodyBuilder());
  storeWord(change);
  LLVM::StoreOp::create(change, word, word_);
  const Value bits = arith::OrIOp::create(ops, load(ops, wordBits_, int64_), bitOf(ops, key));
  LLVM::StoreOp::create(ops, bits, wordBits_);
}

void Collector::storeWord(ImplicitLocOpBuilder &ops) {
  const Value bits = load(ops, wordBits_, int64_);
  const Value isTouched = arith::CmpIOp::create(ops, arith::CmpIPredicate::ne, bits, constant(ops, 0));
  auto touched = mlir::scf::IfOp::create(ops, isTouched, /*withElseRegion=*/false);
  ImplicitLocOpBuilder store(ops.getLoc(), touched.getThenBodyBuilder());
  const Value word = load(store, word_, int64_);
  setBits(store, bits_, word, bits);
  setBits(store, summary_, arith::ShRUIOp::create(store, word, constant(store, 6)), bitOf(store, word));
  const Value first = arith::MinSIOp::create(store, load(store, first_, int64_), word);
  LLVM::StoreOp::create(store, first, first_);
  const Value last = arith::MaxSIOp::create(store, load(store, last_, int64_), word);
  LLVM::StoreOp::create(store, last, last_);
  LLVM::StoreOp::create(store, constant(store, 0), wordBits_);
}

/// No key is touched.
void Collector::clearTouched(ImplicitLocOpBuilder &ops) {
  LLVM::StoreOp::create(ops, constant(ops, kNoWord), first_);
  LLVM::StoreOp::create(ops, constant(ops, -1), last_);
  LLVM::StoreOp::create(ops, constant(ops, 0), word_);
  LLVM::StoreOp::create(ops, constant(ops, 0), wordBits_);
}

Value Collector::elementAddress(ImplicitLocOpBuilder &ops, Value array, Value position) {
  const mlir::Type part = wordPart(shape_.element);
  if (part != shape_.element)
    position = arith::ShLIOp::create(ops, position, constant(ops, 1));
  return LLVM::GEPOp::create(ops, pointer_, part, array, llvm::ArrayRef<LLVM::GEPArg>{position});
}

Value Collector::loadElement(ImplicitLocOpBuilder &ops, Value address) {
  const mlir::Type part = wordPart(shape_.element);
  const Value first = LLVM::LoadOp::create(ops, part, address);
  if (part == shape_.element)
    return first;
  const Value next = LLVM::GEPOp::create(ops, pointer_, part, address, llvm::ArrayRef<LLVM::GEPArg>{1});
  const Value second = LLVM::LoadOp::create(ops, part, next);
  return mlir::complex::CreateOp::create(ops, shape_.element, first, second);
}

void Collector::storeElement(ImplicitLocOpBuilder &ops, Value address, Value value) {
  const mlir::Type part = wordPart(shape_.element);
  if (part == shape_.element) {
    LLVM::StoreOp::create(ops, value, address);
    return;
  }
  const Value next = LLVM::GEPOp::create(ops, pointer_, part, address, llvm::ArrayRef<LLVM::GEPArg>{1});
  LLVM::StoreOp::create(ops, mlir::complex::ReOp::create(ops, value).getResult(), address);
  LLVM::StoreOp::create(ops, mlir::complex::ImOp::create(ops, value).getResult(), next);
}

Value Collector::loadSlot(ImplicitLocOpBuilder &ops, Value slot) {
  if (shape_.patternOnly)
    return zero(ops);
  return loadElement(ops, elementAddress(ops, load(ops, slots_, pointer_), slot));
}

void Collector::storeSlot(ImplicitLocOpBuilder &ops, Value slot, Value value) {
  if (!shape_.patternOnly)
    storeElement(ops, elementAddress(ops, load(ops, slots_, pointer_), slot), value);
}

void Collector::endRow(ImplicitLocOpBuilder &ops, mlir::ValueRange coordinates) {
  for (auto [k, coordinate] : llvm::enumerate(coordinates)) {
    const Value place =
        LLVM::GEPOp::create(ops, pointer_, int64_, coordinates_, llvm::ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(k)});
    LLVM::StoreOp::create(ops, toInt(ops, coordinate), place);
  }
  const Value count = load(ops, count_, int64_);
  Value now;
  if (workspace_ == Workspace::None) {
    now = call(ops, functions::row_end, {run_, count, coordinates_}).getResult();
  } else if (workspace_ == Workspace::Hash) {
    now = call(ops, *hashFlush_, {run_, count, coordinates_}).getResult();
  } else {
    storeWord(ops);
    const Value bits = constant(ops, 64);
    const Value first = arith::MulIOp::create(ops, load(ops, first_, int64_), bits);
    const Value after = arith::MulIOp::create(ops, plusOne(ops, load(ops, last_, int64_)), bits);
    const Value last = arith::SubIOp::create(ops, after, constant(ops, 1));
    now = call(ops, *rowFlush_, {run_, count, first, last, coordinates_}).getResult();
    clearTouched(ops);
  }
  LLVM::StoreOp::create(ops, now, count_);
  reload(ops);
}

void Collector::end(ImplicitLocOpBuilder &ops) {
  call(ops, functions::run_end, {run_, load(ops, count_, int64_)});
}

Value Collector::makeFlag(ImplicitLocOpBuilder &ops) {
  const Value flag = variable(ops.getI1Type());
  LLVM::StoreOp::create(ops, arith::ConstantOp::create(ops, ops.getBoolAttr(false)).getResult(), flag);
  return flag;
}

void Collector::raise(ImplicitLocOpBuilder &ops, Value flag) {
  LLVM::StoreOp::create(ops, arith::ConstantOp::create(ops, ops.getBoolAttr(true)).getResult(), flag);
}

Value Collector::isRaised(ImplicitLocOpBuilder &ops, Value flag) {
  return LLVM::LoadOp::create(ops, ops.getI1Type(), flag);
}

Value Collector::zero(ImplicitLocOpBuilder &ops) {
  if (auto parts = mlir::dyn_cast_or_null<mlir::ArrayAttr>(shape_.neutral))
    return mlir::complex::ConstantOp::create(ops, shape_.element, parts);
  if (shape_.neutral)
    return arith::ConstantOp::create(ops, mlir::cast<mlir::TypedAttr>(shape_.neutral));
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(shape_.element)) {
    const mlir::Attribute part = ops.getZeroAttr(complex.getElementType());
    return mlir::complex::ConstantOp::create(ops, complex, ops.getArrayAttr({part, part}));
  }
  return arith::ConstantOp::create(ops, ops.getZeroAttr(shape_.element));
}

Value Collector::toInt(ImplicitLocOpBuilder &ops, Value index) {
  return arith::IndexCastOp::create(ops, ops.getI64Type(), index);
}

} // namespace spc::transforms
