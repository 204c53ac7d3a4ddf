#include "entry/sweeps.h"

#include "entry/body_call.h"
#include "entry/entry.h"
#include "entry/leaves.h"
#include "entry/output_copies.h"
#include "entry/parallel_for.h"
#include "entry/places.h"

#include "llvm/TargetParser/Triple.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

using LLVM::ICmpPredicate;

constexpr int64_t kPieceBytes = int64_t{1} << 17;  ///< of what is held of a piece: it stays in a second-level cache
constexpr int64_t kListedBytes = int64_t{1} << 14; ///< … where rows that its entries list should stay there, too

LLVM::LLVMFuncOp bodyOf(Entry &entry, size_t step) {
  return entry.build.module().lookupSymbol<LLVM::LLVMFuncOp>(bodySymbol(sema::bodyName(entry.kernel, step)));
}

/// Pointers before the first element of what they are used for may wrap around, in 32 bits.
bool hasRoomForPointers(mlir::ModuleOp module) {
  const auto triple = module->getAttrOfType<mlir::StringAttr>(LLVM::LLVMDialect::getTargetTripleAttrName());
  return triple && llvm::Triple(triple.getValue()).isArch64Bit();
}

/// The body of one of the steps, and its place among the arguments of all of them.
struct SweptBody {
  LLVM::LLVMFuncOp function;
  BodyCall call;
  unsigned first = 0;
  std::vector<std::pair<unsigned, size_t>> held; ///< arguments that are the values of a held temporary, and which one
};

/// A temporary of which a piece of the rows is held.
struct HeldTensor {
  sema::TensorId id;
  Value bytes; ///< of all rows
  Value most;  ///< of a piece
  Value at;    ///< where they begin in the memory of a task
};

class SweepCall {
public:
  SweepCall(Entry &entry, Memory &memory, const sema::Sweep &sweep)
      : entry_(entry), build_(entry.build), memory_(memory), sweep_(sweep),
        name_(sema::bodyName(entry.kernel, sweep.begin) + ".sweep") {}

  mlir::LogicalResult run();

private:
  mlir::LogicalResult bindBodies();
  void chooseTasks();
  void choosePieces();
  void tabulate();
  void allocateHeld();
  Value placeOf(const HeldTensor &held, Value row);
  Value allocate(Value bytes);
  void makeClosure();
  LLVM::LLVMFuncOp task();
  void runPiece(Value object, Value memory, Value piece);
  Value fieldOf(Value object, unsigned field) { return build_.loadField(type_, object, field); }
  /// A row of the table: where a piece begins, as a row and, in bytes, in what is held.
  Value tableAt(Value table, Value piece, size_t column);
  unsigned columns() const { return 1 + static_cast<unsigned>(held_.size()); }

  enum Shared : unsigned { kTable, kPieces, kTasks, kTaken, kHeld, kBytes, kIsShifted, kPlaces };

  Entry &entry_;
  EntryBuilder &build_;
  Memory &memory_;
  const sema::Sweep &sweep_;
  std::string name_;
  std::vector<SweptBody> bodies_;
  std::vector<HeldTensor> held_;
  std::optional<Work> rows_; ///< by which pieces are cut
  Value nanoseconds_;
  Value hook_, tasks_, pieces_, table_;
  Value heldMemory_, heldBytes_; ///< of all tasks, and of each
  Value isShifted_;              ///< all ones where tasks hold pieces, 0 where there is memory for all rows
  Struct type_;
  unsigned shared_ = 0; ///< the first field behind the arguments of the bodies
  Value object_;
};

mlir::LogicalResult SweepCall::bindBodies() {
  for (const sema::TensorId id : sweep_.held)
    held_.push_back({id, entry_.held[id], {}, {}});
  nanoseconds_ = build_.constant(0);
  for (size_t step = sweep_.begin; step < sweep_.end; ++step) {
    SweptBody body;
    body.function = bodyOf(entry_, step);
    Chunks chunks;
    chunks.work.emplace(entry_, body.function, allBinds(entry_), /*listedOnly=*/false);
    if (mlir::failed(bindArguments(entry_, memory_, body.function, chunks, {}, body.call)))
      return mlir::failure();
    nanoseconds_ = build_.add(nanoseconds_, chunks.work->nanoseconds());
    if (!rows_ || !rows_->hasOperands())
      rows_.emplace(*chunks.work);
    for (unsigned a = 0; a < body.function.getNumArguments(); ++a) {
      const dialect::BindAttr bind = dialect::bindOf(body.function, a);
      for (size_t h = 0; h < held_.size(); ++h)
        if (bind.getKind() == dialect::BindKind::Values && bind.getSymbol() == entry_.kernel.tensors[held_[h].id].name)
          body.held.emplace_back(a, h);
    }
    body.first = shared_;
    shared_ += body.function.getNumArguments();
    bodies_.push_back(std::move(body));
  }
  return mlir::success();
}

/// As many tasks as the time of all bodies asks for, where the context has threads that are worth it.
void SweepCall::chooseTasks() {
  const Value one = build_.constant(1);
  const Value wanted = LLVM::UDivOp::create(build_.ops(), nanoseconds_, build_.constant(kTaskNanoseconds));
  const Value most = build_.least(build_.least(wanted, build_.constant(kMaxTasks)), rows_->items());
  hook_ = findParallelFor(entry_, build_.compare(ICmpPredicate::sgt, most, one),
                          [&] { return pays(entry_, nanoseconds_); });
  tasks_ = build_.select(build_.isNull(hook_), one, most);
}

/// As many pieces as make what is held of each fit into a cache, and no fewer than there are tasks.
void SweepCall::choosePieces() {
  Value bytes = build_.constant(0);
  for (const HeldTensor &held : held_)
    bytes = build_.add(bytes, held.bytes);
  const Value fitting =
      LLVM::UDivOp::create(build_.ops(), bytes, build_.constant(sweep_.listsAgain ? kListedBytes : kPieceBytes));
  const Value most = build_.greatest(rows_->items(), build_.constant(1));
  pieces_ = build_.least(build_.greatest(build_.add(fitting, build_.constant(1)), tasks_), most);
}

/// Where the elements of a row begin in a held temporary, in bytes.
Value SweepCall::placeOf(const HeldTensor &held, Value row) {
  const sema::Kernel &kernel = entry_.kernel;
  const sema::Tensor &tensor = kernel.tensors[held.id];
  Value place, elements = build_.constant(sema::bytesOf(tensor.type));
  if (tensor.format.isDense()) {
    const int rows = tensor.format.levels.front().dim;
    const dialect::BindAttr items = dialect::chunksOf(bodies_.front().function).getItems();
    const Value first = build_.multiply(row, build_.constant(items.getExtent().getBlock()));
    place = build_.least(first, entry_.extents[tensor.extents[static_cast<size_t>(rows)]]);
    for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
      if (static_cast<int>(dim) != rows)
        elements = build_.multiply(elements, entry_.extents[tensor.extents[dim]]);
  } else {
    const sema::TensorId owner = sema::structureOwner(kernel, held.id);
    place = leavesBelow(build_, stepsBelow(entry_, kernel.tensors[owner], entry_.tensors[owner]), row);
    for (const size_t dim : sema::tailDims(kernel, held.id))
      elements = build_.multiply(elements, entry_.extents[tensor.extents[dim]]);
  }
  return build_.multiply(place, elements);
}

Value SweepCall::tableAt(Value table, Value piece, size_t column) {
  const Value place =
      build_.add(build_.multiply(piece, build_.constant(columns())), build_.constant(static_cast<int64_t>(column)));
  return build_.element(build_.int64Type(), table, place);
}

Value SweepCall::allocate(Value bytes) {
  const Value array =
      LLVM::CallOp::create(build_.ops(), memory_.allocator(), mlir::ValueRange{entry_.context, bytes}).getResult();
  build_.failIf(build_.both(build_.isNull(array), build_.negate(build_.isZero(bytes))), Status::Memory,
                entry::placeOf(entry_, entry_.kernel.tensors[held_.front().id], bytes));
  memory_.releaseAtExit(array);
  return array;
}

/// Writes down where pieces begin, and finds the largest one of each held temporary.
void SweepCall::tabulate() {
  const mlir::Type number = build_.int64Type();
  const Value rows = build_.add(pieces_, build_.constant(1));
  table_ = allocate(build_.multiply(rows, build_.constant(8 * static_cast<int64_t>(columns()))));
  const Value most = build_.stack(number, static_cast<int64_t>(held_.size()));
  for (size_t h = 0; h < held_.size(); ++h)
    build_.store(build_.constant(0), build_.element(number, most, static_cast<int64_t>(h)));
  LLVM::LLVMFuncOp border = rows_->border();
  build_.forEach(build_.constant(0), rows, [&](Value piece) {
    mlir::SmallVector<Value> arguments{piece, pieces_};
    arguments.append(rows_->inputs());
    const Value row = LLVM::CallOp::create(build_.ops(), border, arguments).getResult();
    build_.store(row, tableAt(table_, piece, 0));
    const Value before = build_.greatest(build_.subtract(piece, build_.constant(1)), build_.constant(0));
    for (size_t h = 0; h < held_.size(); ++h) {
      const Value place = placeOf(held_[h], row), known = build_.element(number, most, static_cast<int64_t>(h));
      build_.store(place, tableAt(table_, piece, h + 1));
      const Value bytes = build_.subtract(place, build_.load(number, tableAt(table_, before, h + 1)));
      build_.store(build_.greatest(build_.load(number, known), bytes), known);
    }
  });
  for (size_t h = 0; h < held_.size(); ++h)
    held_[h].most = build_.load(number, build_.element(number, most, static_cast<int64_t>(h)));
}

/// Memory for the largest piece, for each task, or for all rows.
void SweepCall::allocateHeld() {
  const auto rounded = [&](Value bytes) -> Value {
    const Value more = build_.add(bytes, build_.constant(kApart - 1));
    return LLVM::AndOp::create(build_.ops(), more, build_.constant(-kApart));
  };
  Value ofPiece = build_.constant(0), ofAll = build_.constant(0);
  for (const HeldTensor &held : held_) {
    ofPiece = build_.add(ofPiece, rounded(held.most));
    ofAll = build_.add(ofAll, rounded(held.bytes));
  }
  const Value ofTasks = build_.multiply(ofPiece, tasks_);
  const Value isLess = build_.both(build_.compare(ICmpPredicate::slt, ofTasks, ofAll),
                                   build_.truth(hasRoomForPointers(build_.module())));
  isShifted_ = build_.select(isLess, build_.constant(-1), build_.constant(0));
  heldBytes_ = build_.select(isLess, ofPiece, build_.constant(0));
  Value at = build_.constant(0);
  for (HeldTensor &held : held_) {
    held.at = at;
    at = build_.add(at, rounded(build_.select(isLess, held.most, held.bytes)));
  }
  heldMemory_ = allocate(build_.select(isLess, ofTasks, ofAll));
}

/// What tasks need: the arguments of all bodies, and then what the enumeration Shared says.
void SweepCall::makeClosure() {
  constexpr int64_t kIntegerBytes = 4;
  const Value taken = build_.stack(build_.int32Type(), kMaxTasks);
  const Value zero = LLVM::ConstantOp::create(build_.ops(), build_.ops().getI8Type(), 0);
  LLVM::MemsetOp::create(build_.ops(), taken, zero, build_.constant(kIntegerBytes * kMaxTasks), false);
  mlir::SmallVector<Value> values;
  mlir::SmallVector<mlir::Type> fields;
  for (SweptBody &body : bodies_) {
    values.append(body.call.arguments.begin(), body.call.arguments.end());
    fields.append(body.function.getArgumentTypes().begin(), body.function.getArgumentTypes().end());
  }
  values.append({table_, pieces_, tasks_, taken, heldMemory_, heldBytes_, isShifted_});
  for (const HeldTensor &held : held_)
    values.push_back(held.at);
  for (size_t v = shared_; v < values.size(); ++v)
    fields.push_back(values[v].getType());
  type_ = build_.structOf(fields);
  object_ = build_.stack(type_, 1);
  for (unsigned v = 0; v < values.size(); ++v)
    if (values[v])
      build_.storeField(type_, object_, v, values[v]);
}

/// The bodies one after the other, for the rows of a piece.
void SweepCall::runPiece(Value object, Value memory, Value piece) {
  const mlir::Type number = build_.int64Type();
  const Value table = fieldOf(object, shared_ + kTable), next = build_.add(piece, build_.constant(1));
  const Value begin = build_.load(number, tableAt(table, piece, 0));
  const Value end = build_.load(number, tableAt(table, next, 0));
  const Value isShifted = fieldOf(object, shared_ + kIsShifted);
  mlir::SmallVector<Value> values;
  for (unsigned h = 0; h < held_.size(); ++h) {
    const Value before =
        LLVM::AndOp::create(build_.ops(), build_.load(number, tableAt(table, piece, h + 1)), isShifted);
    const Value place = build_.subtract(fieldOf(object, shared_ + kPlaces + h), before);
    values.push_back(build_.element(build_.ops().getI8Type(), memory, place));
  }
  for (SweptBody &body : bodies_) {
    mlir::SmallVector<Value> arguments;
    for (unsigned a = 0; a < body.function.getNumArguments(); ++a) {
      const int place = static_cast<int>(a);
      arguments.push_back(place == body.call.begin   ? begin
                          : place == body.call.end   ? end
                          : place == body.call.chunk ? piece
                                                     : fieldOf(object, body.first + a));
    }
    for (const auto &[argument, h] : body.held)
      arguments[argument] = values[h];
    LLVM::CallOp::create(build_.ops(), body.function, arguments);
  }
}

/// `void task(ptr closure, i64 number)`: its share of the pieces. No more than all tasks run at once, and each takes
/// memory that no other one has then: the first that is free, which may still be in a cache.
LLVM::LLVMFuncOp SweepCall::task() {
  if (auto known = build_.module().lookupSymbol<LLVM::LLVMFuncOp>(name_ + ".task"))
    return known;
  mlir::ImplicitLocOpBuilder &ops = build_.ops();
  mlir::OpBuilder::InsertionGuard guard(ops);
  LLVM::LLVMFuncOp task = defineTask(build_, name_ + ".task");
  const Value object = task.getArgument(0), number = task.getArgument(1);
  const Value pieces = fieldOf(object, shared_ + kPieces), tasks = fieldOf(object, shared_ + kTasks);
  const auto border = [&](Value of) -> Value { return LLVM::UDivOp::create(ops, build_.multiply(pieces, of), tasks); };
  const Value first = border(number), last = border(build_.add(number, build_.constant(1)));
  const auto flag = [&](Value place) {
    return build_.element(build_.int32Type(), fieldOf(object, shared_ + kTaken), place);
  };
  const Value place = build_.firstThat([&](Value candidate) {
    const Value before = LLVM::AtomicRMWOp::create(ops, LLVM::AtomicBinOp::xchg, flag(candidate),
                                                   build_.int32Constant(1), LLVM::AtomicOrdering::acquire);
    return build_.equal(before, build_.int32Constant(0));
  });
  const Value memory = build_.element(ops.getI8Type(), fieldOf(object, shared_ + kHeld),
                                      build_.multiply(place, fieldOf(object, shared_ + kBytes)));
  build_.forEach(first, last, [&](Value piece) { runPiece(object, memory, piece); });
  LLVM::StoreOp::create(ops, build_.int32Constant(0), flag(place), 4, false, false, false,
                        LLVM::AtomicOrdering::release);
  LLVM::ReturnOp::create(ops, mlir::ValueRange{});
  return task;
}

mlir::LogicalResult SweepCall::run() {
  if (mlir::failed(bindBodies()))
    return mlir::failure();
  chooseTasks();
  choosePieces();
  tabulate();
  allocateHeld();
  makeClosure();
  LLVM::LLVMFuncOp function = task();
  build_.branch(
      build_.isNull(hook_),
      [&] { LLVM::CallOp::create(build_.ops(), function, mlir::ValueRange{object_, build_.constant(0)}); },
      [&] { runTasks(entry_, hook_, tasks_, function, object_); });
  for (const SweptBody &body : bodies_)
    releasePositions(entry_, body.call);
  return mlir::success();
}

} // namespace

bool areCutAlike(Entry &entry, const sema::Sweep &sweep) {
  dialect::BindAttr items;
  for (size_t step = sweep.begin; step < sweep.end; ++step) {
    LLVM::LLVMFuncOp body = bodyOf(entry, step);
    const dialect::ChunksAttr chunks = body ? dialect::chunksOf(body) : dialect::ChunksAttr();
    if (!chunks || !chunks.getCopies().empty() || chunks.getWork() || (items && chunks.getItems() != items))
      return false;
    items = chunks.getItems();
  }
  return true;
}

mlir::LogicalResult runSweep(Entry &entry, Memory &memory, const sema::Sweep &sweep) {
  return SweepCall(entry, memory, sweep).run();
}

} // namespace spc::entry
