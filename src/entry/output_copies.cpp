#include "entry/output_copies.h"

#include "entry/checks.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

using LLVM::ICmpPredicate;

constexpr int64_t kWorkOfElement = 4;           ///< multiply-adds for each element of all copies that make copies pay
constexpr int64_t kMaxCopies = 16;              ///< of outputs that are not small
constexpr int64_t kSmall = 1024;                ///< elements
constexpr int64_t kMaxSmall = 128;              ///< copies of small outputs
constexpr int64_t kMaxBytes = int64_t{1} << 40; ///< of all copies
constexpr int64_t kAddedAtOnce = 4096;

Value elementsOf(Entry &entry, const sema::Tensor &output) {
  Value elements = entry.build.constant(1);
  for (sema::ExtentId extent : output.extents)
    elements = entry.build.multiply(elements, entry.extents[extent]);
  return elements;
}

/// Whether the elements fill one block of memory, in the order of the format's levels.
Value isContiguous(Entry &entry, const sema::Tensor &output) {
  EntryBuilder &build = entry.build;
  const TensorView &view = viewOf(entry, output);
  Value contiguous = build.truth(true), stride = build.constant(1);
  for (auto level = output.format.levels.rbegin(); level != output.format.levels.rend(); ++level) {
    if (level != output.format.levels.rbegin())
      contiguous = build.both(contiguous, build.equal(view.strides[level->dim], stride));
    stride = build.multiply(stride, entry.extents[output.extents[level->dim]]);
  }
  return contiguous;
}

/// `void add(ptr to, ptr from, i64 count)`: kept apart, so that LLVM knows that the arrays do not overlap.
LLVM::LLVMFuncOp defineAdd(EntryBuilder &build, const std::string &name, mlir::Type type) {
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  mlir::OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToEnd(build.module().getBody());
  const mlir::Type none = LLVM::LLVMVoidType::get(ops.getContext());
  auto function = LLVM::LLVMFuncOp::create(
      ops, name, LLVM::LLVMFunctionType::get(none, {build.pointerType(), build.pointerType(), build.int64Type()}),
      LLVM::Linkage::Internal);
  function.setDsoLocal(true);
  function.setNoUnwind(true);
  function.setNoInline(true);
  for (unsigned array : {0U, 1U})
    function.setArgAttr(array, LLVM::LLVMDialect::getNoAliasAttrName(), ops.getUnitAttr());
  ops.setInsertionPointToEnd(function.addEntryBlock(ops));
  build.forEach(build.constant(0), function.getArgument(2), [&](Value index) {
    const Value place = build.element(type, function.getArgument(0), index);
    const Value sum = build.load(type, place);
    const Value addend = build.load(type, build.element(type, function.getArgument(1), index));
    if (mlir::isa<mlir::FloatType>(type))
      build.store(LLVM::FAddOp::create(ops, sum, addend), place);
    else
      build.store(build.add(sum, addend), place);
  });
  LLVM::ReturnOp::create(ops, mlir::ValueRange{});
  return function;
}

enum ClosureField : unsigned { kOutput, kMemory, kBytes, kElements, kChunks };

/// Adds all copies of one block of elements: it stays in a cache.
LLVM::LLVMFuncOp defineAddTask(EntryBuilder &build, const std::string &name, Struct closure, mlir::Type type) {
  if (auto known = build.module().lookupSymbol<LLVM::LLVMFuncOp>(name + ".add_task"))
    return known;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  LLVM::LLVMFuncOp add = defineAdd(build, name + ".add", type);
  mlir::OpBuilder::InsertionGuard guard(ops);
  LLVM::LLVMFuncOp task = defineTask(build, name + ".add_task");
  const Value object = task.getArgument(0);
  const auto field = [&](ClosureField which) { return build.loadField(closure, object, which); };
  const Value first = build.multiply(task.getArgument(1), build.constant(kAddedAtOnce));
  const Value count = build.least(build.subtract(field(kElements), first), build.constant(kAddedAtOnce));
  const Value to = build.element(type, field(kOutput), first), memory = field(kMemory), bytes = field(kBytes);
  build.forEach(build.constant(1), field(kChunks), [&](Value chunk) {
    const Value offset = build.multiply(build.subtract(chunk, build.constant(1)), bytes);
    const Value copy = build.element(ops.getI8Type(), memory, offset);
    LLVM::CallOp::create(ops, add, mlir::ValueRange{to, build.element(type, copy, first), count});
  });
  LLVM::ReturnOp::create(ops, mlir::ValueRange{});
  return task;
}

} // namespace

LLVM::LLVMFuncOp defineTask(EntryBuilder &build, const std::string &name) {
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  ops.setInsertionPointToEnd(build.module().getBody());
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(ops.getContext()), {build.pointerType(), build.int64Type()});
  auto task = LLVM::LLVMFuncOp::create(ops, name, type, LLVM::Linkage::Internal);
  task.setDsoLocal(true);
  task.setNoUnwind(true);
  ops.setInsertionPointToEnd(task.addEntryBlock(ops));
  return task;
}

void runTasks(Entry &entry, Value hook, Value tasks, LLVM::LLVMFuncOp task, Value closure) {
  EntryBuilder &build = entry.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const Value address = LLVM::AddressOfOp::create(ops, task);
  const Value user = build.loadField(contextStruct(build), entry.context, kUser);
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(ops.getContext()),
                                  {build.pointerType(), build.int64Type(), build.pointerType(), build.pointerType()});
  LLVM::CallOp::create(ops, type, mlir::ValueRange{hook, user, tasks, address, closure});
}

Value mostCopies(Entry &entry, const sema::Tensor &output, Value work) {
  EntryBuilder &build = entry.build;
  const Value elements = build.greatest(elementsOf(entry, output), build.constant(1));
  const auto over = [&](Value dividend, int64_t factor) -> Value {
    return LLVM::UDivOp::create(build.ops(), dividend, build.multiply(elements, build.constant(factor)));
  };
  const Value isSmall = build.compare(ICmpPredicate::sle, elements, build.constant(kSmall));
  Value most = build.select(isSmall, build.constant(kMaxSmall), build.constant(kMaxCopies));
  most = build.least(most, over(build.constant(kMaxBytes), sema::bytesOf(output.type)));
  if (work)
    most = build.least(most, over(work, kWorkOfElement));
  return build.select(isContiguous(entry, output), most, build.constant(0));
}

OutputCopies allocateCopies(Entry &entry, Memory &memory, const sema::Tensor &output, Value chunks) {
  EntryBuilder &build = entry.build;
  const Value bytes = build.multiply(elementsOf(entry, output), build.constant(sema::bytesOf(output.type)));
  const Value more = build.add(bytes, build.constant(kApart - 1));
  const Value apart = LLVM::AndOp::create(build.ops(), more, build.constant(-kApart));
  const Value all = build.multiply(apart, build.subtract(chunks, build.constant(1)));
  return {LLVM::CallOp::create(build.ops(), memory.allocator(), mlir::ValueRange{entry.context, all}).getResult(),
          apart};
}

void addCopies(Entry &entry, const std::string &name, const sema::Tensor &output, const OutputCopies &copies,
               Value hook, Value chunks) {
  EntryBuilder &build = entry.build;
  const mlir::Type pointer = build.pointerType(), number = build.int64Type();
  const Struct closure = build.structOf({pointer, pointer, number, number, number});
  const Value object = build.stack(closure, 1), elements = elementsOf(entry, output);
  build.storeField(closure, object, kOutput, viewOf(entry, output).values);
  build.storeField(closure, object, kMemory, copies.memory);
  build.storeField(closure, object, kBytes, copies.bytes);
  build.storeField(closure, object, kElements, elements);
  build.storeField(closure, object, kChunks, chunks);
  LLVM::LLVMFuncOp task = defineAddTask(build, name, closure, llvmType(build, output.type));
  const Value tasks = LLVM::UDivOp::create(build.ops(), build.add(elements, build.constant(kAddedAtOnce - 1)),
                                           build.constant(kAddedAtOnce));
  build.branch(
      build.equal(tasks, build.constant(1)),
      [&] { LLVM::CallOp::create(build.ops(), task, mlir::ValueRange{object, build.constant(0)}); },
      [&] { runTasks(entry, hook, tasks, task, object); });
}

void releaseCopies(Entry &entry, Memory &memory, const OutputCopies &copies) {
  LLVM::CallOp::create(entry.build.ops(), memory.releaser(), mlir::ValueRange{entry.context, copies.memory});
}

} // namespace spc::entry
