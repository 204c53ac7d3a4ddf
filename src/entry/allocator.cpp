#include "entry/allocator.h"

#include "entry/checks.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/TargetParser/Triple.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

using LLVM::ICmpPredicate;

/// Bits of size_t on the module's target.
unsigned sizeBits(mlir::ModuleOp module) {
  const auto layout = module->getAttrOfType<mlir::StringAttr>(LLVM::LLVMDialect::getDataLayoutAttrName());
  return layout ? llvm::DataLayout(layout.getValue()).getPointerSizeInBits() : 64;
}

constexpr int64_t kHugePage = int64_t{1} << 21;
/// Blocks from this size on become whole huge pages, if the system has any to give. What malloc has given back to the
/// system faults again, page by page, and when that is depends on what a program has allocated before.
constexpr int64_t kHugeBlock = kHugePage;
/// Blocks that glibc's malloc, as it is set up, maps anew each time unless such a one lies free in its heap.
constexpr int64_t kMappedBlock = int64_t{1} << 25;
constexpr int64_t kSmallPage = 4096;
constexpr int64_t kMappedOffset = 16;    ///< where in its first page a block begins that glibc's malloc has mapped
constexpr int32_t kAdviseHugePages = 14; ///< Linux's MADV_HUGEPAGE

/// What hooks are asked for: a cache line, which no vector that begins with it straddles and no two blocks share.
constexpr int64_t kAlignment = 64;

/// Whether the C library has aligned_alloc and madvise, as on Linux, and pages are of the usual sizes.
bool hasHugePages(mlir::ModuleOp module) {
  const auto name = module->getAttrOfType<mlir::StringAttr>(LLVM::LLVMDialect::getTargetTripleAttrName());
  const llvm::Triple triple(name ? name.getValue() : llvm::StringRef());
  return triple.isOSLinux() && !triple.isAndroid() && triple.isArch64Bit();
}

} // namespace

LLVM::LLVMFuncOp declareFunction(EntryBuilder &build, const std::string &name, mlir::Type result,
                                 mlir::ArrayRef<mlir::Type> parameters) {
  mlir::ModuleOp module = build.module();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  mlir::OpBuilder::InsertionGuard guard(build.ops());
  build.ops().setInsertionPointToStart(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(build.ops(), name, LLVM::LLVMFunctionType::get(result, parameters));
  function.setNoUnwind(true);
  return function;
}

/// Starts an internal function whose first block leaves at once, with a zero, where its second argument is 0 or NULL.
LLVM::LLVMFuncOp Memory::define(const std::string &name, mlir::Type result, mlir::Type parameter) {
  mlir::ImplicitLocOpBuilder &ops = entry_.build.ops();
  ops.setInsertionPointToEnd(entry_.build.module().getBody());
  auto type = LLVM::LLVMFunctionType::get(result, {entry_.build.pointerType(), parameter});
  auto function = LLVM::LLVMFuncOp::create(ops, function_ + "." + name, type, LLVM::Linkage::Internal);
  function.setDsoLocal(true);
  function.setNoUnwind(true);
  mlir::Block *first = function.addEntryBlock(ops);
  mlir::Block *leave = ops.createBlock(&function.getBody());
  const bool returnsPointer = result == entry_.build.pointerType();
  LLVM::ReturnOp::create(ops, returnsPointer ? mlir::ValueRange{entry_.build.null()} : mlir::ValueRange{});
  mlir::Block *next = ops.createBlock(&function.getBody());
  ops.setInsertionPointToEnd(first);
  const Value nothing = LLVM::ZeroOp::create(ops, parameter);
  LLVM::CondBrOp::create(ops, entry_.build.equal(function.getArgument(1), nothing), leave, next);
  ops.setInsertionPointToEnd(next);
  return function;
}

std::pair<mlir::Block *, mlir::Block *> Memory::branchOnHook(LLVM::LLVMFuncOp function, Value context, unsigned field) {
  EntryBuilder &build = entry_.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  mlir::Block *before = ops.getInsertionBlock();
  mlir::Block *given = ops.createBlock(&function.getBody());
  mlir::Block *hooks = ops.createBlock(&function.getBody());
  mlir::Block *standard = ops.createBlock(&function.getBody());
  ops.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(ops, build.isNull(context), standard, given);
  ops.setInsertionPointToEnd(given);
  LLVM::CondBrOp::create(ops, build.isNull(build.loadField(contextStruct(build), context, field)), standard, hooks);
  ops.setInsertionPointToEnd(hooks);
  return {hooks, standard};
}

/// The builder is in a block of its own function; malloc takes a size_t.
Value Memory::callMalloc(Value bytes) {
  EntryBuilder &build = entry_.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const unsigned bits = sizeBits(build.module());
  const mlir::Type size = ops.getIntegerType(bits);
  LLVM::LLVMFuncOp malloc = declareFunction(build, "malloc", build.pointerType(), {size});
  if (bits >= 64)
    return LLVM::CallOp::create(ops, malloc, mlir::ValueRange{bytes}).getResult();
  // A size that does not fit becomes the largest one, which no malloc grants.
  const Value largest = build.constant(static_cast<int64_t>((uint64_t{1} << bits) - 1));
  const Value limited = build.select(build.compare(ICmpPredicate::ugt, bytes, largest), largest, bytes);
  const Value narrow = LLVM::TruncOp::create(ops, size, limited);
  return LLVM::CallOp::create(ops, malloc, mlir::ValueRange{narrow}).getResult();
}

/// Makes the huge pages of [begin, begin + bytes) come at once. What is allocated is written from one end to the other:
/// the page faults of a large block of small pages take longer than that. MADV_POPULATE_WRITE would save nothing, as
/// huge pages' faults are the time to clear them, and would touch what never is: a result's arrays are as large as it
/// may become.
void Memory::adviseHugePages(Value begin, Value bytes) {
  EntryBuilder &build = entry_.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const mlir::Type pointer = build.pointerType(), size = build.int64Type(), number = build.int32Type();
  LLVM::LLVMFuncOp advise = declareFunction(build, "madvise", number, {pointer, size, number});
  const Value advice = LLVM::ConstantOp::create(ops, number, ops.getI32IntegerAttr(kAdviseHugePages));
  LLVM::CallOp::create(ops, advise, mlir::ValueRange{begin, bytes, advice});
}

/// Whether a block of so many bytes, as malloc gave it, was mapped for it alone: glibc's such blocks begin 16 bytes
/// into a page. Any other block that does is taken for one of them, which costs no more than allocating it once more.
Value Memory::isMappedAlone(Value memory, Value bytes) {
  EntryBuilder &build = entry_.build;
  const Value address = LLVM::PtrToIntOp::create(build.ops(), build.int64Type(), memory);
  const Value place = LLVM::AndOp::create(build.ops(), address, build.constant(kSmallPage - 1));
  // Rounded up, larger numbers would overflow.
  return build.both(build.equal(place, build.constant(kMappedOffset)),
                    build.both(build.compare(ICmpPredicate::sge, bytes, build.constant(kMappedBlock)),
                               build.compare(ICmpPredicate::sle, bytes, build.constant(INT64_MAX - kHugePage))));
}

/// A block that begins with a huge page. The builder is in a block of its own function.
Value Memory::callAlignedAlloc(Value bytes) {
  EntryBuilder &build = entry_.build;
  const mlir::Type size = build.int64Type();
  LLVM::LLVMFuncOp allocate = declareFunction(build, "aligned_alloc", build.pointerType(), {size, size});
  return LLVM::CallOp::create(build.ops(), allocate, mlir::ValueRange{build.constant(kHugePage), bytes}).getResult();
}

void Memory::callFree(Value memory) {
  EntryBuilder &build = entry_.build;
  const mlir::Type none = LLVM::LLVMVoidType::get(build.ops().getContext());
  LLVM::LLVMFuncOp free = declareFunction(build, "free", none, {build.pointerType()});
  LLVM::CallOp::create(build.ops(), free, mlir::ValueRange{memory});
}

/// Makes the whole huge pages of a block that malloc gave come at once. Memory that was freed before malloc hands out
/// again, wherever it begins. What it maps anew begins with a huge page instead.
Value Memory::makeHuge(Value memory, Value bytes) {
  EntryBuilder &build = entry_.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const auto roundDown = [&](Value number) -> Value {
    return LLVM::AndOp::create(ops, number, build.constant(-kHugePage));
  };
  const auto roundUp = [&](Value number) { return roundDown(build.add(number, build.constant(kHugePage - 1))); };
  const Value isMapped = isMappedAlone(memory, bytes);
  const Value length = build.select(isMapped, roundUp(bytes), bytes);
  const Value block = build.computeIf(
      isMapped,
      [&] {
        callFree(memory);
        return callAlignedAlloc(length);
      },
      memory);
  const Value address = LLVM::PtrToIntOp::create(ops, build.int64Type(), block);
  const Value first = roundUp(address);
  const Value whole = build.subtract(roundDown(build.add(address, length)), first);
  const Value isThere = build.negate(build.isNull(block));
  build.branch(
      build.both(isThere, build.compare(ICmpPredicate::sgt, whole, build.constant(0))),
      [&] { adviseHugePages(LLVM::IntToPtrOp::create(ops, build.pointerType(), first), whole); }, [] {});
  return block;
}

Value Memory::callStandard(Value bytes) {
  EntryBuilder &build = entry_.build;
  const Value memory = callMalloc(bytes);
  if (!hasHugePages(build.module()))
    return memory;
  const Value isHuge = build.both(build.compare(ICmpPredicate::sge, bytes, build.constant(kHugeBlock)),
                                  build.negate(build.isNull(memory)));
  return build.computeIf(isHuge, [&] { return makeHuge(memory, bytes); }, memory);
}

/// Several entries of one kernel share the function.
LLVM::LLVMFuncOp Memory::defined(const std::string &name) {
  return entry_.build.module().lookupSymbol<LLVM::LLVMFuncOp>(function_ + "." + name);
}

LLVM::LLVMFuncOp Memory::allocator() {
  if (allocator_ || (allocator_ = defined("allocate")))
    return allocator_;
  EntryBuilder &build = entry_.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  mlir::OpBuilder::InsertionGuard guard(ops);
  allocator_ = define("allocate", build.pointerType(), build.int64Type());
  const Value context = allocator_.getArgument(0);
  const Value bytes = allocator_.getArgument(1);
  const auto [hooks, standard] = branchOnHook(allocator_, context, kAllocate);
  const Struct type = contextStruct(build);
  auto hookType =
      LLVM::LLVMFunctionType::get(build.pointerType(), {build.pointerType(), build.int64Type(), build.int64Type()});
  const Value hook = build.loadField(type, context, kAllocate);
  const Value user = build.loadField(type, context, kUser);
  auto call = LLVM::CallOp::create(ops, hookType, mlir::ValueRange{hook, user, bytes, build.constant(kAlignment)});
  LLVM::ReturnOp::create(ops, call.getResults());
  ops.setInsertionPointToEnd(standard);
  LLVM::ReturnOp::create(ops, mlir::ValueRange{callStandard(bytes)});
  return allocator_;
}

LLVM::LLVMFuncOp Memory::releaser() {
  if (releaser_ || (releaser_ = defined("release")))
    return releaser_;
  EntryBuilder &build = entry_.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  mlir::OpBuilder::InsertionGuard guard(ops);
  const mlir::Type none = LLVM::LLVMVoidType::get(ops.getContext());
  releaser_ = define("release", none, build.pointerType());
  const Value context = releaser_.getArgument(0);
  const Value memory = releaser_.getArgument(1);
  const auto [hooks, standard] = branchOnHook(releaser_, context, kDeallocate);
  const Struct type = contextStruct(build);
  auto hookType = LLVM::LLVMFunctionType::get(none, {build.pointerType(), build.pointerType()});
  const Value hook = build.loadField(type, context, kDeallocate);
  const Value user = build.loadField(type, context, kUser);
  LLVM::CallOp::create(ops, hookType, mlir::ValueRange{hook, user, memory});
  LLVM::ReturnOp::create(ops, mlir::ValueRange{});
  ops.setInsertionPointToEnd(standard);
  callFree(memory);
  LLVM::ReturnOp::create(ops, mlir::ValueRange{});
  return releaser_;
}

void Memory::releaseAtExit(Value memory) {
  entry_.build.atExit(
      [&] { LLVM::CallOp::create(entry_.build.ops(), releaser(), mlir::ValueRange{entry_.context, memory}); });
}

void Memory::releaseAtExit(Value memory, Value isOwn) {
  const auto release = [&] {
    LLVM::CallOp::create(entry_.build.ops(), releaser(), mlir::ValueRange{entry_.context, memory});
  };
  entry_.build.atExit([&] { entry_.build.branch(isOwn, release, [] {}); });
}

void Memory::releaseAtExit(const TensorView &view) {
  for (const std::vector<Value> &arrays : {view.pointers, view.indices})
    for (Value array : arrays)
      if (array)
        releaseAtExit(array);
  releaseAtExit(view.values);
}

} // namespace spc::entry
