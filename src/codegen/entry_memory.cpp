#include "codegen/entry_memory.h"

#include "codegen/entry_checks.h"
#include "runtime/runtime.h"

#include "llvm/IR/DataLayout.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::codegen {
namespace {

using LLVM::ICmpPredicate;

/// Bits of size_t on the module's target.
unsigned sizeBits(mlir::ModuleOp module) {
  const auto layout = module->getAttrOfType<mlir::StringAttr>(LLVM::LLVMDialect::getDataLayoutAttrName());
  return layout ? llvm::DataLayout(layout.getValue()).getPointerSizeInBits() : 64;
}

LLVM::LLVMFuncOp declare(EntryBuilder &build, const std::string &name, mlir::Type result,
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

/// Memory of one entry: two internal functions that choose between the context's hooks and malloc, made when needed.
class Memory {
public:
  explicit Memory(Entry &entry) : entry_(entry), function_(entry.signature.function) {}

  /// `ptr allocate(ptr context, i64 bytes)`: NULL for 0 bytes and where memory ran out.
  LLVM::LLVMFuncOp allocator();
  /// `void release(ptr context, ptr memory)`: memory may be NULL.
  LLVM::LLVMFuncOp releaser();
  void releaseAtExit(Value memory);

private:
  LLVM::LLVMFuncOp define(const std::string &name, mlir::Type result, mlir::Type parameter);
  /// Branches on whether the context has memory hooks; leaves the builder in the first of the blocks.
  std::pair<mlir::Block *, mlir::Block *> branchOnHooks(LLVM::LLVMFuncOp function, Value context);
  Value callMalloc(Value bytes);

  Entry &entry_;
  std::string function_;
  LLVM::LLVMFuncOp allocator_;
  LLVM::LLVMFuncOp releaser_;
};

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

std::pair<mlir::Block *, mlir::Block *> Memory::branchOnHooks(LLVM::LLVMFuncOp function, Value context) {
  EntryBuilder &build = entry_.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  mlir::Block *before = ops.getInsertionBlock();
  mlir::Block *given = ops.createBlock(&function.getBody());
  mlir::Block *hooks = ops.createBlock(&function.getBody());
  mlir::Block *standard = ops.createBlock(&function.getBody());
  ops.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(ops, build.isNull(context), standard, given);
  ops.setInsertionPointToEnd(given);
  LLVM::CondBrOp::create(ops, build.isNull(build.loadField(contextStruct(build), context, kAllocate)), standard, hooks);
  ops.setInsertionPointToEnd(hooks);
  return {hooks, standard};
}

/// The builder is in a block of its own function; malloc takes a size_t.
Value Memory::callMalloc(Value bytes) {
  EntryBuilder &build = entry_.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const unsigned bits = sizeBits(build.module());
  const mlir::Type size = ops.getIntegerType(bits);
  LLVM::LLVMFuncOp malloc = declare(build, "malloc", build.pointerType(), {size});
  if (bits >= 64)
    return LLVM::CallOp::create(ops, malloc, mlir::ValueRange{bytes}).getResult();
  // A size that does not fit becomes the largest one, which no malloc grants.
  const Value largest = build.constant(static_cast<int64_t>((uint64_t{1} << bits) - 1));
  const Value limited = build.select(build.compare(ICmpPredicate::ugt, bytes, largest), largest, bytes);
  const Value narrow = LLVM::TruncOp::create(ops, size, limited);
  return LLVM::CallOp::create(ops, malloc, mlir::ValueRange{narrow}).getResult();
}

LLVM::LLVMFuncOp Memory::allocator() {
  if (allocator_)
    return allocator_;
  EntryBuilder &build = entry_.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  mlir::OpBuilder::InsertionGuard guard(ops);
  allocator_ = define("allocate", build.pointerType(), build.int64Type());
  const Value context = allocator_.getArgument(0);
  const Value bytes = allocator_.getArgument(1);
  const auto [hooks, standard] = branchOnHooks(allocator_, context);
  const Struct type = contextStruct(build);
  auto hookType = LLVM::LLVMFunctionType::get(build.pointerType(), {build.pointerType(), build.int64Type()});
  const Value hook = build.loadField(type, context, kAllocate);
  const Value user = build.loadField(type, context, kUser);
  auto call = LLVM::CallOp::create(ops, hookType, mlir::ValueRange{hook, user, bytes});
  LLVM::ReturnOp::create(ops, call.getResults());
  ops.setInsertionPointToEnd(standard);
  LLVM::ReturnOp::create(ops, mlir::ValueRange{callMalloc(bytes)});
  return allocator_;
}

LLVM::LLVMFuncOp Memory::releaser() {
  if (releaser_)
    return releaser_;
  EntryBuilder &build = entry_.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  mlir::OpBuilder::InsertionGuard guard(ops);
  const mlir::Type none = LLVM::LLVMVoidType::get(ops.getContext());
  releaser_ = define("release", none, build.pointerType());
  const Value context = releaser_.getArgument(0);
  const Value memory = releaser_.getArgument(1);
  const auto [hooks, standard] = branchOnHooks(releaser_, context);
  const Struct type = contextStruct(build);
  auto hookType = LLVM::LLVMFunctionType::get(none, {build.pointerType(), build.pointerType()});
  const Value hook = build.loadField(type, context, kDeallocate);
  const Value user = build.loadField(type, context, kUser);
  LLVM::CallOp::create(ops, hookType, mlir::ValueRange{hook, user, memory});
  LLVM::ReturnOp::create(ops, mlir::ValueRange{});
  ops.setInsertionPointToEnd(standard);
  LLVM::CallOp::create(ops, declare(build, "free", none, {build.pointerType()}), mlir::ValueRange{memory});
  LLVM::ReturnOp::create(ops, mlir::ValueRange{});
  return releaser_;
}

void Memory::releaseAtExit(Value memory) {
  entry_.build.atExit([&] {
    LLVM::CallOp::create(entry_.build.ops(), releaser(), mlir::ValueRange{entry_.context, memory});
  });
}

/// Bytes of a temporary; leaves with Status::Memory where they overflow.
Value bytesOf(Entry &entry, const sema::Tensor &tensor) {
  EntryBuilder &build = entry.build;
  const Value one = build.constant(1);
  Value empty = build.truth(false);
  for (sema::ExtentId extent : tensor.extents)
    empty = build.either(empty, build.isZero(entry.extents[extent]));
  Value bytes = build.constant(tensor.type == sema::ValueType::F32 ? 4 : 8);
  Value overflows = build.truth(false);
  for (sema::ExtentId id : tensor.extents) {
    const Value extent = build.select(empty, one, entry.extents[id]);
    const Value limit = LLVM::UDivOp::create(build.ops(), build.constant(INT64_MAX), extent);
    overflows = build.either(overflows, build.compare(ICmpPredicate::ugt, bytes, limit));
    bytes = build.multiply(bytes, extent);
  }
  build.failIf(overflows, Status::Memory);
  return build.select(empty, build.constant(0), bytes);
}

/// A dense array in row-major order of the format's levels.
TensorView allocateTemporary(Entry &entry, Memory &memory, const sema::Tensor &tensor) {
  EntryBuilder &build = entry.build;
  TensorView view;
  if (tensor.order() == 0) {
    view.values = build.stack(llvmType(build, tensor.type), 1);
    return view;
  }
  const Value bytes = bytesOf(entry, tensor);
  view.values =
      LLVM::CallOp::create(build.ops(), memory.allocator(), mlir::ValueRange{entry.context, bytes}).getResult();
  build.failIf(build.both(build.isNull(view.values), build.negate(build.isZero(bytes))), Status::Memory);
  memory.releaseAtExit(view.values);
  view.strides.resize(tensor.extents.size());
  Value stride = build.constant(1);
  for (auto level = tensor.format.levels.rbegin(); level != tensor.format.levels.rend(); ++level) {
    view.strides[level->dim] = stride;
    stride = build.multiply(stride, entry.extents[tensor.extents[level->dim]]);
  }
  return view;
}

/// The runtime's descriptors, in the layout of runtime/runtime.h.
class Descriptors {
public:
  explicit Descriptors(Entry &entry) : entry_(entry), build_(entry.build) {
    const mlir::Type number = build_.int64Type();
    const mlir::Type pointer = build_.pointerType();
    allocator_ = build_.structOf({pointer, pointer, pointer});
    level_ = build_.structOf({number, number, number, pointer, pointer});
    tensor_ = build_.structOf({number, number, number, number, number, number, pointer, pointer});
  }

  Value allocator(Memory &memory) {
    const Value object = build_.stack(allocator_, 1);
    build_.storeField(allocator_, object, 0, entry_.context);
    build_.storeField(allocator_, object, 1, LLVM::AddressOfOp::create(build_.ops(), memory.allocator()));
    build_.storeField(allocator_, object, 2, LLVM::AddressOfOp::create(build_.ops(), memory.releaser()));
    return object;
  }

  /// A tensor, with the arrays of `view` where it has them.
  Value describe(const sema::Tensor &tensor, const TensorView &view);

  /// The view of a tensor that the runtime has filled in.
  TensorView read(const sema::Tensor &tensor, Value object);

private:
  enum LevelField : unsigned { kStorage, kDimension, kExtent, kPointers, kIndices };
  enum TensorField : unsigned { kOrder, kCount, kStored, kPointerBytes, kIndexBytes, kValueBytes, kLevels, kValues };

  Value levelAt(Value levels, size_t k) { return build_.element(level_, levels, static_cast<int64_t>(k)); }

  Entry &entry_;
  EntryBuilder &build_;
  Struct allocator_;
  Struct level_;
  Struct tensor_;
};

Value Descriptors::describe(const sema::Tensor &tensor, const TensorView &view) {
  const size_t order = tensor.format.levels.size();
  const Value levels = build_.stack(level_, static_cast<int64_t>(order));
  for (size_t k = 0; k < order; ++k) {
    const format::Level &level = tensor.format.levels[k];
    const auto storage = level.isDense()       ? runtime::LevelStorage::Dense
                         : level.isSingleton() ? runtime::LevelStorage::Singleton
                                               : runtime::LevelStorage::Compressed;
    const auto orNull = [&](const std::vector<Value> &arrays) {
      return k < arrays.size() && arrays[k] ? arrays[k] : build_.null();
    };
    const Value object = levelAt(levels, k);
    build_.storeField(level_, object, kStorage, build_.constant(static_cast<int64_t>(storage)));
    build_.storeField(level_, object, kDimension, build_.constant(level.dim));
    build_.storeField(level_, object, kExtent, entry_.extents[tensor.extents[level.dim]]);
    build_.storeField(level_, object, kPointers, orNull(view.pointers));
    build_.storeField(level_, object, kIndices, orNull(view.indices));
  }
  const Value zero = build_.constant(0);
  const Value object = build_.stack(tensor_, 1);
  build_.storeField(tensor_, object, kOrder, build_.constant(static_cast<int64_t>(order)));
  build_.storeField(tensor_, object, kCount, view.count ? view.count : zero);
  build_.storeField(tensor_, object, kStored, view.stored ? view.stored : zero);
  build_.storeField(tensor_, object, kPointerBytes, build_.constant(format::bits(tensor.format.pointers) / 8));
  build_.storeField(tensor_, object, kIndexBytes, build_.constant(format::bits(tensor.format.indices) / 8));
  build_.storeField(tensor_, object, kValueBytes, build_.constant(tensor.type == sema::ValueType::F32 ? 4 : 8));
  build_.storeField(tensor_, object, kLevels, levels);
  build_.storeField(tensor_, object, kValues, view.values ? view.values : build_.null());
  return object;
}

TensorView Descriptors::read(const sema::Tensor &tensor, Value object) {
  const size_t order = tensor.format.levels.size();
  TensorView view;
  view.values = build_.loadField(tensor_, object, kValues);
  view.stored = build_.loadField(tensor_, object, kStored);
  view.pointers.resize(order);
  view.indices.resize(order);
  const Value levels = build_.loadField(tensor_, object, kLevels);
  for (size_t k = 1; k < order; ++k) {
    view.pointers[k] = build_.loadField(level_, levelAt(levels, k), kPointers);
    view.indices[k] = build_.loadField(level_, levelAt(levels, k), kIndices);
  }
  if (order == 1)
    view.strides = {build_.constant(1)};
  return view;
}

TensorView copyConverted(Entry &entry, Memory &memory, const sema::Tensor &tensor) {
  EntryBuilder &build = entry.build;
  Descriptors descriptors(entry);
  const Value allocator = descriptors.allocator(memory);
  const Value source = descriptors.describe(entry.kernel.tensors[*tensor.source], entry.tensors[*tensor.source]);
  const Value copy = descriptors.describe(tensor, {});
  const mlir::Type pointer = build.pointerType();
  LLVM::LLVMFuncOp reorder = declare(build, runtimeSymbol("reorder"), build.int32Type(), {pointer, pointer, pointer});
  build.failUnlessOk(LLVM::CallOp::create(build.ops(), reorder, mlir::ValueRange{allocator, source, copy}).getResult());
  TensorView view = descriptors.read(tensor, copy);
  memory.releaseAtExit(view.values);
  return view;
}

} // namespace

void allocateTensors(Entry &entry) {
  Memory memory(entry);
  for (size_t t = 0; t < entry.kernel.tensors.size(); ++t)
    if (entry.kernel.tensors[t].role == sema::TensorRole::Temporary)
      entry.tensors[t] = allocateTemporary(entry, memory, entry.kernel.tensors[t]);
  for (size_t t = 0; t < entry.kernel.tensors.size(); ++t)
    if (entry.kernel.tensors[t].role == sema::TensorRole::Converted)
      entry.tensors[t] = copyConverted(entry, memory, entry.kernel.tensors[t]);
}

} // namespace spc::codegen
