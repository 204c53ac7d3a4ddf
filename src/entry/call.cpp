#include "entry/body_call.h"
#include "entry/output_copies.h"
#include "entry/parallel_for.h"
#include "entry/sweeps.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

using dialect::BindAttr;
using dialect::BindKind;
using LLVM::ICmpPredicate;

constexpr int64_t kMaxChosen = int64_t{1} << 16; ///< tasks, at most, where the user chooses the work of a chunk

/// A call of the body in tasks: what they need lies in memory, the body's arguments and then what says which part is
/// whose.
class ParallelCall {
public:
  ParallelCall(Entry &entry, LLVM::LLVMFuncOp body, const BodyCall &call, const Chunks &chunks)
      : entry_(entry), build_(entry.build), body_(body), call_(call), chunks_(chunks) {
    if (chunks.borders) {
      shared_ = {chunks.borders};
    } else {
      shared_ = {chunks.tasks};
      shared_.append(chunks.work->inputs());
    }
    mlir::SmallVector<mlir::Type> fields(body.getArgumentTypes());
    for (Value value : shared_)
      fields.push_back(value.getType());
    fields.append({build_.pointerType(), build_.int64Type()}); // the copies of an output, and the bytes of each
    fields.push_back(build_.int64Type());                      // the next chunk of a body that assembles
    type_ = build_.structOf(fields);
    object_ = build_.stack(type_, 1);
  }

  /// Runs all tasks; `copies` is null where they write to the body's own arguments.
  void run(const OutputCopies *copies);

private:
  LLVM::LLVMFuncOp task();
  Value border(Value object, Value chunk);
  Value copyOf(Value object, Value chunk);
  Value next(Value object);
  unsigned nextPlace() { return body_.getNumArguments() + static_cast<unsigned>(shared_.size()) + 2; }

  Entry &entry_;
  EntryBuilder &build_;
  LLVM::LLVMFuncOp body_;
  const BodyCall &call_;
  const Chunks &chunks_;
  mlir::SmallVector<Value> shared_;
  Struct type_;
  Value object_;
};

Value ParallelCall::border(Value object, Value chunk) {
  const unsigned first = body_.getNumArguments();
  if (chunks_.borders)
    return build_.load(build_.int64Type(),
                       build_.element(build_.int64Type(), build_.loadField(type_, object, first), chunk));
  mlir::SmallVector<Value> arguments{chunk};
  for (unsigned n = 0; n < shared_.size(); ++n)
    arguments.push_back(build_.loadField(type_, object, first + n));
  Work work = *chunks_.work;
  return LLVM::CallOp::create(build_.ops(), work.border(), arguments).getResult();
}

/// The first chunk writes to the output itself. The body of any other finds its copy as a call finds the output:
/// undefined where it sets it to zero first, else zero.
Value ParallelCall::copyOf(Value object, Value chunk) {
  const unsigned place = body_.getNumArguments() + static_cast<unsigned>(shared_.size());
  const Value bytes = build_.loadField(type_, object, place + 1);
  const Value offset = build_.multiply(build_.subtract(chunk, build_.constant(1)), bytes);
  const auto copy = [&] {
    const Value address = build_.element(build_.ops().getI8Type(), build_.loadField(type_, object, place), offset);
    if (!chunks_.setsToZero) {
      const Value zero = LLVM::ConstantOp::create(build_.ops(), build_.ops().getI8Type(), 0);
      LLVM::MemsetOp::create(build_.ops(), address, zero, bytes, false);
    }
    return address;
  };
  const Value own = build_.loadField(type_, object, static_cast<unsigned>(call_.copied));
  return build_.computeIf(build_.negate(build_.isZero(chunk)), copy, own);
}

/// The first chunk that nobody has begun. Its place in the result follows from those before it, which is why chunks
/// that assemble begin in their order, whichever task a thread is given.
Value ParallelCall::next(Value object) {
  return LLVM::AtomicRMWOp::create(build_.ops(), LLVM::AtomicBinOp::add,
                                   build_.fieldAddress(type_, object, nextPlace()), build_.constant(1),
                                   LLVM::AtomicOrdering::monotonic);
}

/// `void task(ptr closure, i64 chunk)`
LLVM::LLVMFuncOp ParallelCall::task() {
  const std::string name = body_.getSymName().str() + ".task";
  if (auto known = build_.module().lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  mlir::ImplicitLocOpBuilder &ops = build_.ops();
  mlir::OpBuilder::InsertionGuard guard(ops);
  LLVM::LLVMFuncOp task = defineTask(build_, name);
  const Value object = task.getArgument(0), chunk = chunks_.borders ? next(object) : task.getArgument(1);
  mlir::SmallVector<Value> arguments;
  for (unsigned a = 0; a < body_.getNumArguments(); ++a) {
    const int place = static_cast<int>(a);
    if (place == call_.begin)
      arguments.push_back(border(object, chunk));
    else if (place == call_.end)
      arguments.push_back(border(object, build_.add(chunk, build_.constant(1))));
    else if (place == call_.chunk)
      arguments.push_back(chunk);
    else
      arguments.push_back(place == call_.copied ? copyOf(object, chunk) : build_.loadField(type_, object, a));
  }
  LLVM::CallOp::create(ops, body_, arguments);
  LLVM::ReturnOp::create(ops, mlir::ValueRange{});
  return task;
}

void ParallelCall::run(const OutputCopies *copies) {
  for (unsigned a = 0; a < body_.getNumArguments(); ++a)
    if (call_.arguments[a])
      build_.storeField(type_, object_, a, call_.arguments[a]);
  unsigned place = body_.getNumArguments();
  for (Value value : shared_)
    build_.storeField(type_, object_, place++, value);
  if (copies) {
    build_.storeField(type_, object_, place, copies->memory);
    build_.storeField(type_, object_, place + 1, copies->bytes);
  }
  if (chunks_.borders)
    build_.storeField(type_, object_, nextPlace(), build_.constant(0));
  runTasks(entry_, chunks_.hook, chunks_.tasks, task(), object_);
}

void callSerially(Entry &entry, LLVM::LLVMFuncOp body, const BodyCall &call, const Chunks &chunks) {
  mlir::SmallVector<Value> arguments(call.arguments);
  for (int place : {call.begin, call.chunk})
    if (place >= 0)
      arguments[place] = entry.build.constant(0);
  if (call.end >= 0)
    arguments[call.end] = chunks.work->items();
  LLVM::CallOp::create(entry.build.ops(), body, arguments);
}

/// ceil(a / b) for a >= 0, b > 0, without overflow.
Value divideUp(EntryBuilder &build, Value a, Value b) {
  const Value quotient = LLVM::UDivOp::create(build.ops(), a, b);
  const Value exact = build.equal(build.multiply(quotient, b), a);
  return build.add(quotient, build.select(exact, build.constant(0), build.constant(1)));
}

/// Nanoseconds that one core takes for a body, roughly.
Value timeOf(EntryBuilder &build, const Chunks &chunks, const Assembling *assembling) {
  const Value time = chunks.work->nanoseconds();
  return assembling && assembling->nanoseconds ? build.add(time, assembling->nanoseconds) : time;
}

/// How many tasks there should be, if there are threads: below 2, none.
Value tasksFor(Entry &entry, LLVM::LLVMFuncOp body, const Chunks &chunks, const Assembling *assembling, Value time) {
  EntryBuilder &build = entry.build;
  const std::optional<int64_t> chosen = dialect::chunksOf(body).getWork();
  Value tasks;
  if (chosen)
    tasks = build.least(divideUp(build, chunks.work->total(), build.constant(std::max<int64_t>(*chosen, 1))),
                        build.constant(assembling ? kMaxTasks : kMaxChosen));
  else
    tasks = build.least(LLVM::UDivOp::create(build.ops(), time, build.constant(kTaskNanoseconds)),
                        build.constant(kMaxTasks));
  if (chunks.copied)
    tasks = build.least(tasks, mostCopies(entry, *chunks.copied, chosen ? Value() : chunks.work->size()));
  return build.least(tasks, chunks.work->items());
}

/// The context's parallel-for; NULL where there is none, or it costs more than it saves: the work of the user's choice
/// is worth it.
Value findHook(Entry &entry, LLVM::LLVMFuncOp body, const Chunks &chunks, Value several, Value time) {
  EntryBuilder &build = entry.build;
  if (dialect::chunksOf(body).getWork())
    return findParallelFor(entry, several, {});
  // Sums of copies are rounded otherwise than those of one thread: what was measured may not decide on them.
  const auto isWorth = [&] {
    return chunks.copied
               ? build.compare(ICmpPredicate::sge, time, build.constant(runtime::kUsualCost * runtime::kWorthCosts))
               : pays(entry, time);
  };
  return findParallelFor(entry, several, isWorth);
}

/// The borders of all chunks, for the runtime to look at too.
Value storeBorders(Entry &entry, Work &work, Value tasks) {
  EntryBuilder &build = entry.build;
  const mlir::Type number = build.int64Type();
  const Value borders = build.stack(number, kMaxTasks + 1);
  LLVM::LLVMFuncOp border = work.border();
  build.forEach(build.constant(0), build.add(tasks, build.constant(1)), [&](Value chunk) {
    mlir::SmallVector<Value> arguments{chunk, tasks};
    arguments.append(work.inputs());
    build.store(LLVM::CallOp::create(build.ops(), border, arguments).getResult(),
                build.element(number, borders, chunk));
  });
  return borders;
}

class CallsInChunks : public BodyCalls {
public:
  Chunks plan(Entry &entry, LLVM::LLVMFuncOp body, const Assembling *assembling) const override;
  mlir::LogicalResult call(Entry &entry, Memory &memory, LLVM::LLVMFuncOp body, const Chunks &chunks,
                           Value assembly) const override;
  bool mayRunTogether(Entry &entry, const sema::Sweep &sweep) const override { return areCutAlike(entry, sweep); }
  mlir::LogicalResult runTogether(Entry &entry, Memory &memory, const sema::Sweep &sweep) const override {
    return runSweep(entry, memory, sweep);
  }
};

Chunks CallsInChunks::plan(Entry &entry, LLVM::LLVMFuncOp body, const Assembling *assembling) const {
  EntryBuilder &build = entry.build;
  Chunks chunks;
  chunks.tasks = build.constant(1);
  const dialect::ChunksAttr attribute = dialect::chunksOf(body);
  if (!attribute)
    return chunks;
  chunks.work.emplace(entry, body, allBinds(entry), assembling != nullptr);
  if (!attribute.getCopies().empty()) {
    chunks.copied = &tensorNamed(entry.kernel, attribute.getCopies());
    chunks.setsToZero = attribute.getZeroed();
  }
  const Value time = timeOf(build, chunks, assembling);
  const Value tasks = tasksFor(entry, body, chunks, assembling, time);
  const Value several = build.compare(ICmpPredicate::sgt, tasks, build.constant(1));
  // The chunks of what is assembled are joined afterwards, which takes threads once more.
  chunks.hook = findHook(entry, body, chunks, several,
                         assembling ? LLVM::UDivOp::create(build.ops(), time, build.constant(2)).getResult() : time);
  chunks.tasks = build.select(build.isNull(chunks.hook), build.constant(1), tasks);
  if (assembling)
    chunks.borders = storeBorders(entry, *chunks.work, chunks.tasks);
  return chunks;
}

mlir::LogicalResult CallsInChunks::call(Entry &entry, Memory &memory, LLVM::LLVMFuncOp body, const Chunks &chunks,
                                        Value assembly) const {
  BodyCall call;
  if (mlir::failed(bindArguments(entry, memory, body, chunks, assembly, call)))
    return mlir::failure();
  const auto serially = [&] { callSerially(entry, body, call, chunks); };
  if ((call.begin >= 0) != chunks.work.has_value())
    return body.emitError("the body's rows have no extent");
  if (!chunks.work) {
    serially();
    releasePositions(entry, call);
    return mlir::success();
  }
  EntryBuilder &build = entry.build;
  ParallelCall parallel(entry, body, call, chunks);
  const auto inCopies = [&] {
    const OutputCopies copies = allocateCopies(entry, memory, *chunks.copied, chunks.tasks);
    build.branch(build.isNull(copies.memory), serially, [&] {
      parallel.run(&copies);
      addCopies(entry, body.getSymName().str(), *chunks.copied, copies, chunks.hook, chunks.tasks);
      releaseCopies(entry, memory, copies);
    });
  };
  build.branch(build.isNull(chunks.hook), serially, [&] { chunks.copied ? inCopies() : parallel.run(nullptr); });
  releasePositions(entry, call);
  return mlir::success();
}

} // namespace

const BodyCalls &callsInChunks() {
  static const CallsInChunks calls;
  return calls;
}

} // namespace spc::entry
