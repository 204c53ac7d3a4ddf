#include "entry/counts.h"

#include "entry/places.h"
#include "format/levels.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

using format::LevelKind;
using LLVM::ICmpPredicate;

/// Elements of 16 bytes that fill the address space.
constexpr int64_t kMaxEntries = INT64_MAX / 16;

/// The last number of a pointers array over `parents` parents, or 0 where there is no array, or no parents and not
/// `mayBeSlice`: a slice of no rows ends where the rows ahead of it do.
Value lastPointer(EntryBuilder &build, Value array, Value parents, format::IndexType type, bool mayBeSlice) {
  const auto read = [&]() -> Value {
    mlir::ImplicitLocOpBuilder &ops = build.ops();
    const mlir::Type element = ops.getIntegerType(static_cast<unsigned>(format::bits(type)));
    const Value address = LLVM::GEPOp::create(ops, build.pointerType(), element, array, mlir::ValueRange{parents});
    const Value number = build.load(element, address);
    if (type == format::IndexType::I64)
      return number;
    return type == format::IndexType::I32 ? LLVM::SExtOp::create(ops, build.int64Type(), number).getResult()
                                          : LLVM::ZExtOp::create(ops, build.int64Type(), number).getResult();
  };
  const Value isThere = build.negate(build.isNull(array));
  const Value some = build.compare(ICmpPredicate::sgt, parents, build.constant(0));
  return build.computeIf(mayBeSlice ? isThere : build.both(some, isThere), read, build.constant(0));
}

/// The number that a value is known to be.
std::optional<int64_t> constantOf(Value value) {
  auto constant = value.getDefiningOp<LLVM::ConstantOp>();
  if (!constant)
    return std::nullopt;
  return llvm::cast<mlir::IntegerAttr>(constant.getValue()).getInt();
}

/// `count` times `each`, which is not negative; leaves where that is too much for memory. Without a division where one
/// of them is known: 32-bit targets would call a library for it.
Value timesOrFail(EntryBuilder &build, Value count, Value each, const Place &place) {
  if (constantOf(count) && !constantOf(each))
    std::swap(count, each);
  const std::optional<int64_t> times = constantOf(each);
  Value limit;
  if (times) {
    limit = build.constant(*times == 0 ? INT64_MAX : kMaxEntries / *times);
  } else {
    const Value divisor = build.select(build.isZero(each), build.constant(1), each);
    const Value most = LLVM::UDivOp::create(build.ops(), build.constant(kMaxEntries), divisor);
    limit = build.select(build.isZero(each), build.constant(INT64_MAX), most);
  }
  build.failIf(build.compare(ICmpPredicate::ugt, count, limit), Status::Count, place);
  return times == 1 ? count : build.multiply(count, each);
}

/// constant * count + slope * (0 + 1 + … + (count - 1)) + size * extent * count.
Value sumOfClosedForm(EntryBuilder &build, const format::ClosedForm &form, Value count, Value extent) {
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const Value before = LLVM::SubOp::create(ops, count, build.constant(1));
  const Value pairs = LLVM::LShrOp::create(ops, build.multiply(count, before), build.constant(1));
  const Value each =
      LLVM::AddOp::create(ops, build.constant(form.constant), build.multiply(build.constant(form.size), extent));
  return LLVM::AddOp::create(ops, build.multiply(count, each), build.multiply(build.constant(form.slope), pairs));
}

/// The entries of level k of `tensor`, `above` being those of the levels around it.
Value entriesOf(Entry &entry, const sema::Tensor &tensor, const TensorView &view, const TensorArgument *argument,
                size_t k, const std::vector<Value> &above) {
  EntryBuilder &build = entry.build;
  const Place whole = placeOf(entry, tensor);
  const format::Level &level = tensor.format.levels[k];
  switch (format::kindOf(tensor.format, static_cast<int>(k))) {
  case LevelKind::Dense:
    return timesOrFail(build, above.back(), levelExtent(entry, tensor, level), whole);
  case LevelKind::Singleton:
  case LevelKind::FixedWidth:
    return timesOrFail(build, above.back(), view.widths[k] ? view.widths[k] : build.constant(*level.width), whole);
  case LevelKind::ClosedDense:
  case LevelKind::ClosedCompressed: {
    // A closed form repeats for each run of the parent's coordinate.
    const Value extent = entry.extents[tensor.extents[level.dim]];
    const Value sum = sumOfClosedForm(build, level.length, parentExtent(entry, tensor, k), extent);
    return timesOrFail(build, above[above.size() < 2 ? 0 : above.size() - 2], sum, whole);
  }
  case LevelKind::Compressed:
  case LevelKind::RaggedDense:
    return timesOrFail(build, view.counts[k], build.constant(1), argument ? countPlace(entry, *argument, k) : whole);
  }
  return above.back();
}

/// A closed form for one parent.
Value valueAt(EntryBuilder &build, const format::ClosedForm &form, Value parent, Value extent) {
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const Value fixed =
      LLVM::AddOp::create(ops, build.constant(form.constant), build.multiply(build.constant(form.size), extent));
  return LLVM::AddOp::create(ops, fixed, build.multiply(build.constant(form.slope), parent));
}

/// Whether a form's value for parents and extents below 2^31 is far from overflowing.
bool isTame(const format::ClosedForm &form) {
  constexpr int64_t limit = int64_t{1} << 30;
  const auto isSmall = [](int64_t number, int64_t most) { return number <= most && number >= -most; };
  return isSmall(form.constant, limit * limit) && isSmall(form.slope, limit) && isSmall(form.size, limit);
}

/// Forms are linear: they are least and greatest at the first and the last parent.
void checkClosedForm(Entry &entry, const sema::Tensor &tensor, size_t k, const Place &place) {
  EntryBuilder &build = entry.build;
  const format::Level &level = tensor.format.levels[k];
  const LevelKind kind = format::kindOf(tensor.format, static_cast<int>(k));
  const bool hasLength = hasClosedLength(kind);
  if (!hasLength && level.start == format::ClosedForm{})
    return;
  const Value zero = build.constant(0), most = build.constant(INT32_MAX);
  const Value extent = entry.extents[tensor.extents[level.dim]], parents = parentExtent(entry, tensor, k);
  Value wrong =
      build.either(build.compare(ICmpPredicate::sgt, parents, most), build.compare(ICmpPredicate::sgt, extent, most));
  if (!isTame(level.length) || !isTame(level.start))
    wrong = build.truth(true);
  for (const Value parent : {zero, LLVM::SubOp::create(build.ops(), parents, build.constant(1)).getResult()}) {
    const Value length = hasLength ? valueAt(build, level.length, parent, extent) : zero;
    const Value start = valueAt(build, level.start, parent, extent);
    wrong = build.either(wrong, build.compare(ICmpPredicate::slt, length, zero));
    wrong = build.either(wrong, build.compare(ICmpPredicate::sgt, length, most));
    if (listsCoordinates(kind))
      continue;
    const Value end = LLVM::AddOp::create(build.ops(), start, length);
    wrong = build.either(wrong, build.compare(ICmpPredicate::slt, start, zero));
    wrong = build.either(wrong, build.compare(ICmpPredicate::sgt, end, extent));
  }
  build.failIf(build.both(wrong, build.negate(build.isZero(parents))), Status::Shape, place);
}

} // namespace

Value parentExtent(Entry &entry, const sema::Tensor &tensor, size_t k) {
  return k > 0 ? levelExtent(entry, tensor, tensor.format.levels[k - 1]) : entry.build.constant(1);
}

std::vector<Value> countEntries(Entry &entry, const sema::Tensor &tensor, const TensorView &view,
                                const TensorArgument *argument) {
  std::vector<Value> entries{entry.build.constant(1)};
  for (size_t k = 0; k < tensor.format.levels.size(); ++k)
    entries.push_back(entriesOf(entry, tensor, view, argument, k, entries));
  return entries;
}

Place countPlace(const Entry &entry, const TensorArgument &argument, size_t k) {
  const bool hasOwn = argument.parameter.type.find(abi::FieldRole::Count, static_cast<int>(k)) >= 0;
  return placeOf(entry, argument, hasOwn ? abi::FieldRole::Count : abi::FieldRole::Stored, hasOwn ? k : 0);
}

void checkLastPointer(Entry &entry, const TensorArgument &argument, const TensorView &view, size_t k) {
  EntryBuilder &build = entry.build;
  if (!view.pointers[k])
    return;
  const format::Format &format = entry.kernel.tensors[argument.parameter.tensor].format;
  const auto level = static_cast<std::ptrdiff_t>(k);
  const bool isOutermost = std::all_of(format.levels.begin(), format.levels.begin() + level,
                                       [](const format::Level &outer) { return outer.isFullyDense(); });
  const Value last = lastPointer(build, view.pointers[k], argument.entries[k], format.pointers, isOutermost);
  Place place = countPlace(entry, argument, k);
  // Lengths that are added up have no end in an array of the caller's.
  if (argument.passed.pointers[k])
    place = against(place, argument, abi::FieldRole::Pointers, k, last);
  build.failIf(build.differ(last, argument.entries[k + 1]), Status::Count, place);
}

void checkClosedForms(Entry &entry, const sema::Tensor &tensor, const Place &place) {
  for (size_t k = 0; k < tensor.format.levels.size(); ++k)
    checkClosedForm(entry, tensor, k, place);
}

} // namespace spc::entry
