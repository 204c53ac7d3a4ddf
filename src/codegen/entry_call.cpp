#include "codegen/entry_call.h"

#include "codegen/entry_checks.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::codegen {
namespace {

using LLVM::ICmpPredicate;

constexpr int64_t kFewestRows = 512; ///< below, waking threads costs more than they save
constexpr int64_t kMostTasks = 256;  ///< enough for dynamic scheduling to even out rows of different length

/// The arguments of a body, by position, and which of them bound the rows; -1 where none does.
struct BodyCall {
  mlir::SmallVector<Value> arguments; ///< null at `begin` and `end`
  int begin = -1, end = -1;
  Value rows;
};

mlir::LogicalResult bindArguments(Entry &entry, LLVM::LLVMFuncOp body, BodyCall &call) {
  const llvm::StringMap<Value> binds = allBinds(entry);
  for (unsigned a = 0; a < body.getNumArguments(); ++a) {
    const auto bind = body.getArgAttrOfType<mlir::StringAttr>(a, "spc.bind");
    if (!bind)
      return body.emitError("argument ") << a << " of the body has no spc.bind";
    llvm::StringRef name = bind.getValue();
    const bool isBegin = name.consume_front("begin"), isEnd = name.consume_front("end");
    const Value value = binds.lookup(isBegin || isEnd ? ("size" + name).str() : name.str());
    if (!value || value.getType() != body.getArgument(a).getType())
      return body.emitError("argument ") << a << " of the body cannot be bound to '" << bind.getValue() << "'";
    if (isBegin)
      call.begin = static_cast<int>(a);
    if (isEnd)
      call.end = static_cast<int>(a);
    if (isBegin || isEnd)
      call.rows = value;
    call.arguments.push_back(isBegin || isEnd ? Value() : value);
  }
  return mlir::success();
}

/// The body's arguments in memory, for the tasks, with the rows of a chunk and of all chunks at the end.
Struct closureStruct(EntryBuilder &build, LLVM::LLVMFuncOp body) {
  mlir::SmallVector<mlir::Type> fields(body.getArgumentTypes());
  fields.append(2, build.int64Type());
  return build.structOf(fields);
}

/// `void task(ptr closure, i64 index)`: the rows of one chunk.
LLVM::LLVMFuncOp defineTask(Entry &entry, LLVM::LLVMFuncOp body, const BodyCall &call) {
  EntryBuilder &build = entry.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  mlir::OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToEnd(build.module().getBody());
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(ops.getContext()), {build.pointerType(), build.int64Type()});
  auto task = LLVM::LLVMFuncOp::create(ops, entry.signature.function + ".task", type, LLVM::Linkage::Internal);
  task.setDsoLocal(true);
  task.setNoUnwind(true);
  ops.setInsertionPointToEnd(task.addEntryBlock(ops));
  const Struct closure = closureStruct(build, body);
  const Value object = task.getArgument(0);
  const unsigned count = body.getNumArguments();
  const Value chunk = build.loadField(closure, object, count);
  const Value rows = build.loadField(closure, object, count + 1);
  const Value begin = build.multiply(task.getArgument(1), chunk);
  const Value left = LLVM::SubOp::create(ops, rows, begin);
  const Value length = build.select(build.compare(ICmpPredicate::slt, left, chunk), left, chunk);
  mlir::SmallVector<Value> arguments;
  for (unsigned a = 0; a < count; ++a) {
    if (static_cast<int>(a) == call.begin)
      arguments.push_back(begin);
    else if (static_cast<int>(a) == call.end)
      arguments.push_back(LLVM::AddOp::create(ops, begin, length));
    else
      arguments.push_back(build.loadField(closure, object, a));
  }
  LLVM::CallOp::create(ops, body, arguments);
  LLVM::ReturnOp::create(ops, mlir::ValueRange{});
  return task;
}

/// ceil(a / b) for a >= 0, b > 0, without overflow.
Value divideUp(EntryBuilder &build, Value a, Value b) {
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const Value quotient = LLVM::UDivOp::create(ops, a, b);
  const Value exact = build.equal(build.multiply(quotient, b), a);
  return LLVM::AddOp::create(ops, quotient, build.select(exact, build.constant(0), build.constant(1)));
}

void callInParallel(Entry &entry, LLVM::LLVMFuncOp body, const BodyCall &call, Value closureObject, Value hook) {
  EntryBuilder &build = entry.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const Struct closure = closureStruct(build, body);
  const unsigned count = body.getNumArguments();
  for (unsigned a = 0; a < count; ++a)
    if (call.arguments[a])
      build.storeField(closure, closureObject, a, call.arguments[a]);
  const Value chunk = divideUp(build, call.rows, build.constant(kMostTasks));
  build.storeField(closure, closureObject, count, chunk);
  build.storeField(closure, closureObject, count + 1, call.rows);
  const Value tasks = divideUp(build, call.rows, chunk);
  const Value task = LLVM::AddressOfOp::create(ops, defineTask(entry, body, call));
  const Value user = build.loadField(contextStruct(build), entry.context, kUser);
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(ops.getContext()),
                                  {build.pointerType(), build.int64Type(), build.pointerType(), build.pointerType()});
  LLVM::CallOp::create(ops, type, mlir::ValueRange{hook, user, tasks, task, closureObject});
}

void callSerially(Entry &entry, LLVM::LLVMFuncOp body, const BodyCall &call) {
  mlir::SmallVector<Value> arguments(call.arguments);
  if (call.begin >= 0)
    arguments[call.begin] = entry.build.constant(0);
  if (call.end >= 0)
    arguments[call.end] = call.rows;
  LLVM::CallOp::create(entry.build.ops(), body, arguments);
}

} // namespace

mlir::LogicalResult callBody(Entry &entry, LLVM::LLVMFuncOp body) {
  BodyCall call;
  if (mlir::failed(bindArguments(entry, body, call)))
    return mlir::failure();
  if (!call.rows) {
    callSerially(entry, body, call);
    return mlir::success();
  }
  EntryBuilder &build = entry.build;
  const Value closureObject = build.stack(closureStruct(build, body), 1);
  const Value many = build.compare(ICmpPredicate::sge, call.rows, build.constant(kFewestRows));
  const Value hasContext = build.both(many, build.negate(build.isNull(entry.context)));
  const Value hook = build.computeIf(
      hasContext, [&] { return build.loadField(contextStruct(build), entry.context, kParallelFor); }, build.null());
  build.branch(
      build.isNull(hook), [&] { callSerially(entry, body, call); },
      [&] { callInParallel(entry, body, call, closureObject, hook); });
  return mlir::success();
}

} // namespace spc::codegen
