#include "codegen/entry_copies.h"

#include "codegen/entry_checks.h"
#include "codegen/entry_counts.h"
#include "runtime/runtime.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::codegen {
namespace {

using LLVM::ICmpPredicate;

/// The runtime's descriptors, in the layout of runtime/runtime.h.
class Descriptors {
public:
  explicit Descriptors(Entry &entry) : entry_(entry), build_(entry.build) {
    const mlir::Type number = build_.int64Type(), pointer = build_.pointerType();
    allocator_ = build_.structOf({pointer, pointer, pointer});
    llvm::SmallVector<mlir::Type> level(kLevelFields, number), tensor(kTensorFields, number);
    for (LevelField field : {kPointers, kIndices})
      level[field] = pointer;
    for (TensorField field : {kLevels, kValues})
      tensor[field] = pointer;
    level_ = build_.structOf(level);
    tensor_ = build_.structOf(tensor);
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
  enum LevelField : unsigned {
    kStorage,
    kDimension,
    kExtent,
    kPointers,
    kIndices,
    kPart,
    kBlock,
    kMinus,
    kMinusExtent,
    kWidth,
    kStride,
    kOffset,
    kParentExtent,
    kLength, ///< three numbers
    kStart = kLength + 3,
    kLevelFields = kStart + 3,
  };
  enum TensorField : unsigned {
    kOrder,
    kCount,
    kStored,
    kPointerBytes,
    kIndexBytes,
    kValueBytes,
    kLevels,
    kValues,
    kValueKind,
    kTensorFields,
  };
  static_assert(sizeof(runtime::Level) == kLevelFields * sizeof(int64_t));
  static_assert(sizeof(runtime::Tensor) == kTensorFields * sizeof(int64_t));

  void describeLevel(const sema::Tensor &tensor, const TensorView &view, int k, Value object);
  void storeForm(Value object, unsigned field, const format::ClosedForm &form);

  Value levelAt(Value levels, size_t k) { return build_.element(level_, levels, static_cast<int64_t>(k)); }

  Entry &entry_;
  EntryBuilder &build_;
  Struct allocator_;
  Struct level_;
  Struct tensor_;
};

runtime::LevelStorage storageOf(const format::Level &level) {
  using runtime::LevelStorage;
  if (level.isFullyDense())
    return LevelStorage::Dense;
  if (level.extent == format::Extent::Closed)
    return level.isDense() ? LevelStorage::ClosedDense : LevelStorage::ClosedCompressed;
  if (level.isDense())
    return LevelStorage::RaggedDense;
  if (level.extent == format::Extent::Fixed)
    return level.isSingleton() ? LevelStorage::Singleton : LevelStorage::Fixed;
  return LevelStorage::Compressed;
}

runtime::ValueKind valueKindOf(sema::ValueType type) {
  using runtime::ValueKind;
  if (sema::isComplex(type))
    return ValueKind::Complex;
  if (type == sema::ValueType::F16)
    return ValueKind::Half;
  if (type == sema::ValueType::BF16)
    return ValueKind::Brain;
  return sema::isFloat(type) ? ValueKind::Float : sema::isInteger(type) ? ValueKind::Integer : ValueKind::Bool;
}

void Descriptors::storeForm(Value object, unsigned field, const format::ClosedForm &form) {
  build_.storeField(level_, object, field, build_.constant(form.constant));
  build_.storeField(level_, object, field + 1, build_.constant(form.slope));
  build_.storeField(level_, object, field + 2, build_.constant(form.size));
}

void Descriptors::describeLevel(const sema::Tensor &tensor, const TensorView &view, int k, Value object) {
  const format::Format &format = tensor.format;
  const format::Level &level = format.levels[static_cast<size_t>(k)];
  const auto set = [&](LevelField field, Value value) { build_.storeField(level_, object, field, value); };
  const auto number = [&](int64_t value) { return build_.constant(value); };
  const auto orNull = [&](const std::vector<Value> &arrays) {
    return static_cast<size_t>(k) < arrays.size() && arrays[k] ? arrays[k] : build_.null();
  };
  const int first = format.firstListed();
  const bool isInterleaved = format.interleaved && k >= first && view.entries;
  const bool hasWidth = static_cast<size_t>(k) < view.widths.size() && view.widths[k];
  set(kStorage, number(static_cast<int64_t>(storageOf(level))));
  set(kDimension, number(level.dim));
  set(kExtent, entry_.extents[tensor.extents[level.dim]]);
  set(kPointers, orNull(view.pointers));
  set(kIndices, isInterleaved ? view.entries : orNull(view.indices));
  set(kPart, number(static_cast<int64_t>(level.part)));
  set(kBlock, number(std::max<int64_t>(1, level.block)));
  set(kMinus, number(std::max(0, level.minus)));
  set(kMinusExtent, level.minus >= 0 ? entry_.extents[tensor.extents[level.minus]] : number(0));
  set(kWidth, hasWidth ? view.widths[k] : number(level.width.value_or(0)));
  set(kStride, number(isInterleaved ? format.levelCount() - first : 1));
  set(kOffset, number(isInterleaved ? k - first : 0));
  set(kParentExtent, level.isRaggedDense() || level.extent == format::Extent::Closed
                         ? parentExtent(entry_, tensor, static_cast<size_t>(k))
                         : number(1));
  storeForm(object, kLength, level.length);
  storeForm(object, kStart, level.start);
}

Value Descriptors::describe(const sema::Tensor &tensor, const TensorView &view) {
  const int levelCount = tensor.format.levelCount();
  const Value levels = build_.stack(level_, levelCount);
  for (int k = 0; k < levelCount; ++k)
    describeLevel(tensor, view, k, levelAt(levels, static_cast<size_t>(k)));
  const Value zero = build_.constant(0);
  const Value object = build_.stack(tensor_, 1);
  build_.storeField(tensor_, object, kOrder, build_.constant(levelCount));
  build_.storeField(tensor_, object, kCount, view.count ? view.count : zero);
  build_.storeField(tensor_, object, kStored, view.stored ? view.stored : zero);
  build_.storeField(tensor_, object, kPointerBytes, build_.constant(format::bits(tensor.format.pointers) / 8));
  build_.storeField(tensor_, object, kIndexBytes, build_.constant(format::bits(tensor.format.indices) / 8));
  build_.storeField(tensor_, object, kValueBytes, build_.constant(sema::bytesOf(tensor.type)));
  build_.storeField(tensor_, object, kLevels, levels);
  build_.storeField(tensor_, object, kValues, view.values ? view.values : build_.null());
  build_.storeField(tensor_, object, kValueKind, build_.constant(static_cast<int64_t>(valueKindOf(tensor.type))));
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

} // namespace

TensorView copyConverted(Entry &entry, Memory &memory, const sema::Tensor &tensor) {
  EntryBuilder &build = entry.build;
  Descriptors descriptors(entry);
  const Value allocator = descriptors.allocator(memory);
  const Value source = descriptors.describe(entry.kernel.tensors[*tensor.source], entry.tensors[*tensor.source]);
  const Value copy = descriptors.describe(tensor, {});
  const mlir::Type pointer = build.pointerType();
  LLVM::LLVMFuncOp reorder =
      declareFunction(build, runtimeSymbol("reorder"), build.int32Type(), {pointer, pointer, pointer});
  build.failUnlessOk(LLVM::CallOp::create(build.ops(), reorder, mlir::ValueRange{allocator, source, copy}).getResult());
  TensorView view = descriptors.read(tensor, copy);
  memory.releaseAtExit(view.values);
  return view;
}

void scanLengths(Entry &entry, Memory &memory, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const sema::Tensor &tensor = entry.kernel.tensors[argument.parameter.tensor];
  TensorView &view = entry.tensors[argument.parameter.tensor];
  if (!argument.hasStruct() || argument.parameter.fillsStructure)
    return;
  const mlir::Type number = build.int64Type(), pointer = build.pointerType();
  const int64_t width = format::bits(tensor.format.pointers) / 8;
  for (size_t k = 0; k < tensor.format.levels.size(); ++k) {
    if (tensor.format.levels[k].extent != format::Extent::Lengths)
      continue;
    const Value parents = countEntries(entry, tensor, view)[k].count;
    const Value count = LLVM::AddOp::create(build.ops(), parents, build.constant(1));
    const Value bytes = build.multiply(count, build.constant(width));
    const Value pointers =
        LLVM::CallOp::create(build.ops(), memory.allocator(), mlir::ValueRange{entry.context, bytes}).getResult();
    build.failIf(build.isNull(pointers), Status::Memory);
    memory.releaseAtExit(pointers);
    LLVM::LLVMFuncOp scan =
        declareFunction(build, runtimeSymbol("scan"), build.int32Type(), {pointer, pointer, number, number});
    const mlir::SmallVector<Value> arguments{view.lengths[k], pointers, build.constant(width), parents};
    build.failUnlessOk(LLVM::CallOp::create(build.ops(), scan, arguments).getResult());
    view.pointers[k] = pointers;
    // Only now is it known how many entries there are, where levels below leave no room for values.
    TensorArgument counted = argument;
    counted.entries = countEntries(entry, tensor, view);
    checkStructureArrays(entry, counted);
    checkStoredCount(entry, view, counted.entries);
  }
}

} // namespace spc::codegen
