#include "codegen/entry_call.h"

#include "codegen/entry_checks.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::codegen {
namespace {

using LLVM::ICmpPredicate;

constexpr int64_t kFewestRows = 512; ///< below, waking threads costs more than they save
constexpr int64_t kMostTasks = 256;  ///< enough for dynamic scheduling to even out rows of different length

/// The arguments of a body, by position, and which of them say what a chunk is; -1 where none does.
struct BodyCall {
  mlir::SmallVector<Value> arguments; ///< null at `begin`, `end` and `chunk`
  int begin = -1, end = -1, chunk = -1;
};

llvm::StringRef bindOf(LLVM::LLVMFuncOp body, unsigned argument) {
  const auto bind = body.getArgAttrOfType<mlir::StringAttr>(argument, "spc.bind");
  return bind ? bind.getValue() : llvm::StringRef();
}

mlir::LogicalResult bindArguments(Entry &entry, LLVM::LLVMFuncOp body, Value assembly, BodyCall &call) {
  llvm::StringMap<Value> binds = allBinds(entry);
  if (assembly)
    binds["assembly"] = assembly;
  for (unsigned a = 0; a < body.getNumArguments(); ++a) {
    const llvm::StringRef name = bindOf(body, a);
    int *place = name.starts_with("begin(") ? &call.begin : name.starts_with("end(") ? &call.end : nullptr;
    if (name == "chunk")
      place = &call.chunk;
    const Value value = place ? Value() : binds.lookup(name);
    if (place)
      *place = static_cast<int>(a);
    else if (!value || value.getType() != body.getArgument(a).getType())
      return body.emitError("argument ") << a << " of the body cannot be bound to '" << name << "'";
    call.arguments.push_back(value);
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
  const std::string name = body.getSymName().str() + ".task";
  if (auto known = build.module().lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  mlir::OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToEnd(build.module().getBody());
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(ops.getContext()), {build.pointerType(), build.int64Type()});
  auto task = LLVM::LLVMFuncOp::create(ops, name, type, LLVM::Linkage::Internal);
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
    else if (static_cast<int>(a) == call.chunk)
      arguments.push_back(task.getArgument(1));
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

void callInParallel(Entry &entry, LLVM::LLVMFuncOp body, const BodyCall &call, const Chunks &chunks,
                    Value closureObject) {
  EntryBuilder &build = entry.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const Struct closure = closureStruct(build, body);
  const unsigned count = body.getNumArguments();
  for (unsigned a = 0; a < count; ++a)
    if (call.arguments[a])
      build.storeField(closure, closureObject, a, call.arguments[a]);
  build.storeField(closure, closureObject, count, chunks.size);
  build.storeField(closure, closureObject, count + 1, chunks.rows);
  const Value task = LLVM::AddressOfOp::create(ops, defineTask(entry, body, call));
  const Value user = build.loadField(contextStruct(build), entry.context, kUser);
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(ops.getContext()),
                                  {build.pointerType(), build.int64Type(), build.pointerType(), build.pointerType()});
  LLVM::CallOp::create(ops, type, mlir::ValueRange{chunks.hook, user, chunks.tasks, task, closureObject});
}

void callSerially(Entry &entry, LLVM::LLVMFuncOp body, const BodyCall &call, const Chunks &chunks) {
  mlir::SmallVector<Value> arguments(call.arguments);
  for (int place : {call.begin, call.chunk})
    if (place >= 0)
      arguments[place] = entry.build.constant(0);
  if (call.end >= 0)
    arguments[call.end] = chunks.rows;
  LLVM::CallOp::create(entry.build.ops(), body, arguments);
}

} // namespace

Chunks planChunks(Entry &entry, LLVM::LLVMFuncOp body) {
  EntryBuilder &build = entry.build;
  Chunks chunks{{}, {}, build.constant(1), {}};
  const llvm::StringMap<Value> binds = allBinds(entry);
  for (unsigned a = 0; a < body.getNumArguments(); ++a)
    if (llvm::StringRef name = bindOf(body, a); name.consume_front("begin"))
      chunks.rows = binds.lookup(("size" + name).str());
  if (!chunks.rows)
    return chunks;
  const Value many = build.compare(ICmpPredicate::sge, chunks.rows, build.constant(kFewestRows));
  const Value hasContext = build.both(many, build.negate(build.isNull(entry.context)));
  chunks.hook = build.computeIf(
      hasContext, [&] { return build.loadField(contextStruct(build), entry.context, kParallelFor); }, build.null());
  chunks.size = divideUp(build, chunks.rows, build.constant(kMostTasks));
  const Value several = build.negate(build.isNull(chunks.hook));
  chunks.tasks = build.computeIf(several, [&] { return divideUp(build, chunks.rows, chunks.size); }, build.constant(1));
  return chunks;
}

mlir::LogicalResult callBody(Entry &entry, LLVM::LLVMFuncOp body, const Chunks &chunks, Value assembly) {
  BodyCall call;
  if (mlir::failed(bindArguments(entry, body, assembly, call)))
    return mlir::failure();
  if (call.begin >= 0 && !chunks.rows)
    return body.emitError("the body's rows have no extent");
  if (!chunks.rows) {
    callSerially(entry, body, call, chunks);
    return mlir::success();
  }
  EntryBuilder &build = entry.build;
  const Value closureObject = build.stack(closureStruct(build, body), 1);
  build.branch(
      build.isNull(chunks.hook), [&] { callSerially(entry, body, call, chunks); },
      [&] { callInParallel(entry, body, call, chunks, closureObject); });
  return mlir::success();
}

} // namespace spc::codegen
