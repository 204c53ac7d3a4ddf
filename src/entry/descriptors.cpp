#include "entry/descriptors.h"

#include "entry/checks.h"
#include "entry/counts.h"
#include "entry/places.h"
#include "format/levels.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

using format::LevelKind;
using runtime::AllocatorSlot;
using runtime::ClosedFormSlot;
using runtime::LevelSlot;
using runtime::TensorSlot;
using runtime::WorkersSlot;

runtime::ValueKind valueKindOf(sema::ValueType type) {
  using runtime::ValueKind;
  if (sema::isComplex(type))
    return ValueKind::Complex;
  if (type == sema::ValueType::F16)
    return ValueKind::Half;
  if (type == sema::ValueType::BF16)
    return ValueKind::Brain;
  if (sema::isInteger(type))
    return sema::isUnsigned(type) ? ValueKind::Unsigned : ValueKind::Integer;
  return sema::isFloat(type) ? ValueKind::Float : ValueKind::Bool;
}

runtime::Duplicates duplicatesOf(format::Duplicates duplicates) {
  switch (duplicates) {
  case format::Duplicates::Sum:
    return runtime::Duplicates::Sum;
  case format::Duplicates::Min:
    return runtime::Duplicates::Min;
  case format::Duplicates::Max:
    return runtime::Duplicates::Max;
  case format::Duplicates::Last:
    return runtime::Duplicates::Last;
  case format::Duplicates::Error:
    return runtime::Duplicates::Error;
  }
  return runtime::Duplicates::Sum;
}

} // namespace

Descriptors::Descriptors(Entry &entry)
    : entry_(entry), build_(entry.build), allocator_(build_.structOf<runtime::Allocator>()),
      workers_(build_.structOf<runtime::Workers>()), level_(build_.structOf<runtime::Level>()),
      tensor_(build_.structOf<runtime::Tensor>()) {}

Value Descriptors::allocator(Memory &memory) {
  const Value object = build_.stack(allocator_, 1);
  build_.storeField(allocator_, object, AllocatorSlot::user, entry_.context);
  build_.storeField(allocator_, object, AllocatorSlot::allocate,
                    LLVM::AddressOfOp::create(build_.ops(), memory.allocator()));
  build_.storeField(allocator_, object, AllocatorSlot::release,
                    LLVM::AddressOfOp::create(build_.ops(), memory.releaser()));
  refused_ = build_.stack(build_.int64Type(), 1);
  build_.store(build_.constant(0), refused_);
  build_.storeField(allocator_, object, AllocatorSlot::refused, refused_);
  return object;
}

Place Descriptors::placeFor(const sema::Tensor &tensor) const {
  Place place = placeOf(entry_, tensor);
  place.foundAt = refused_;
  return place;
}

Value Descriptors::workers() {
  const Value object = build_.stack(workers_, 1);
  const Value hasContext = build_.negate(build_.isNull(entry_.context));
  for (unsigned field : {kUser, kParallelFor}) {
    const auto load = [&] { return build_.loadField(contextStruct(build_), entry_.context, field); };
    const unsigned slot = field == kUser ? WorkersSlot::user : WorkersSlot::parallelFor;
    build_.storeField(workers_, object, slot, build_.computeIf(hasContext, load, build_.null()));
  }
  build_.storeField(workers_, object, WorkersSlot::cost, loadParallelCost(entry_));
  return object;
}

void Descriptors::storeForm(Value object, unsigned slot, const format::ClosedForm &form) {
  build_.storeField(level_, object, slot + ClosedFormSlot::constant, build_.constant(form.constant));
  build_.storeField(level_, object, slot + ClosedFormSlot::slope, build_.constant(form.slope));
  build_.storeField(level_, object, slot + ClosedFormSlot::size, build_.constant(form.size));
}

void Descriptors::describeLevel(const sema::Tensor &tensor, const TensorView &view, const std::vector<int> &dims, int k,
                                Value object) {
  const format::Format &format = tensor.format;
  const format::Level &level = format.levels[static_cast<size_t>(k)];
  const auto set = [&](unsigned slot, Value value) { build_.storeField(level_, object, slot, value); };
  const auto number = [&](int64_t value) { return build_.constant(value); };
  const auto orNull = [&](const std::vector<Value> &arrays) {
    return static_cast<size_t>(k) < arrays.size() && arrays[k] ? arrays[k] : build_.null();
  };
  const int first = format.firstListed();
  const bool isInterleaved = format.interleaved && k >= first;
  const auto numberOf = [&](int dim) { return number(dims.empty() || dim < 0 ? std::max(0, dim) : dims[dim]); };
  const bool hasCount = static_cast<size_t>(k) < view.counts.size() && view.counts[k];
  const bool hasWidth = static_cast<size_t>(k) < view.widths.size() && view.widths[k];
  set(LevelSlot::kind, number(static_cast<int64_t>(format::kindOf(format, k))));
  set(LevelSlot::dimension, numberOf(level.dim));
  set(LevelSlot::extent, entry_.extents[tensor.extents[level.dim]]);
  set(LevelSlot::count, hasCount ? view.counts[k] : number(0));
  set(LevelSlot::pointers, orNull(view.pointers));
  set(LevelSlot::indices, isInterleaved && view.entries ? view.entries : orNull(view.indices));
  set(LevelSlot::part, number(static_cast<int64_t>(level.part)));
  set(LevelSlot::block, number(std::max<int64_t>(1, level.block)));
  set(LevelSlot::minus, numberOf(level.minus));
  set(LevelSlot::minusExtent, level.minus >= 0 ? entry_.extents[tensor.extents[level.minus]] : number(0));
  set(LevelSlot::width, hasWidth ? view.widths[k] : number(level.width.value_or(-1)));
  set(LevelSlot::stride, number(isInterleaved ? format.levelCount() - first : 1));
  set(LevelSlot::offset, number(isInterleaved ? k - first : 0));
  set(LevelSlot::parentExtent,
      readsParent(format::kindOf(format, k)) ? parentExtent(entry_, tensor, static_cast<size_t>(k)) : number(1));
  storeForm(object, LevelSlot::length, level.length);
  storeForm(object, LevelSlot::start, level.start);
  set(LevelSlot::isUnique, number(level.unique));
  set(LevelSlot::isOrdered, number(level.ordered));
  set(LevelSlot::table, build_.null());
  set(LevelSlot::weight, number(format.symmetry == format::Symmetry::None ? 0 : format::triangleWeight(format, k)));
}

Value Descriptors::describe(const sema::Tensor &tensor, const TensorView &view, const std::vector<int> &dims) {
  const int levelCount = tensor.format.levelCount();
  const Value levels = build_.stack(level_, levelCount);
  for (int k = 0; k < levelCount; ++k)
    describeLevel(tensor, view, dims, k, levelAt(levels, static_cast<size_t>(k)));
  const Value zero = build_.constant(0);
  const Value object = build_.stack(tensor_, 1);
  build_.storeField(tensor_, object, TensorSlot::order, build_.constant(levelCount));
  build_.storeField(tensor_, object, TensorSlot::stored, view.stored ? view.stored : zero);
  build_.storeField(tensor_, object, TensorSlot::pointerBytes,
                    build_.constant(format::bits(tensor.format.pointers) / 8));
  build_.storeField(tensor_, object, TensorSlot::indexBytes, build_.constant(format::bits(tensor.format.indices) / 8));
  build_.storeField(tensor_, object, TensorSlot::valueBytes, build_.constant(sema::bytesOf(tensor.type)));
  build_.storeField(tensor_, object, TensorSlot::levels, levels);
  build_.storeField(tensor_, object, TensorSlot::values, view.values ? view.values : build_.null());
  build_.storeField(tensor_, object, TensorSlot::valueKind,
                    build_.constant(static_cast<int64_t>(valueKindOf(tensor.type))));
  build_.storeField(tensor_, object, TensorSlot::duplicates,
                    build_.constant(static_cast<int64_t>(duplicatesOf(tensor.format.duplicates))));
  return object;
}

Value Descriptors::describeOnce(sema::TensorId tensor) {
  Value &described = described_[tensor];
  if (!described)
    described = describe(entry_.kernel.tensors[tensor], entry_.tensors[tensor]);
  return described;
}

void Descriptors::setTable(Value object, Value table) {
  build_.storeField(level_, build_.loadField(tensor_, object, TensorSlot::levels), LevelSlot::table, table);
}

TensorView Descriptors::readPacked(const sema::Tensor &tensor, Value object) {
  const format::Format &format = tensor.format;
  const size_t levelCount = format.levels.size();
  TensorView view;
  view.pointers.resize(levelCount);
  view.lengths.resize(levelCount);
  view.indices.resize(levelCount);
  view.counts.resize(levelCount);
  view.widths.resize(levelCount);
  for (sema::ExtentId extent : tensor.extents)
    view.sizes.push_back(entry_.extents[extent]);
  view.stored = build_.loadField(tensor_, object, TensorSlot::stored);
  view.values = build_.loadField(tensor_, object, TensorSlot::values);
  const Value levels = build_.loadField(tensor_, object, TensorSlot::levels);
  for (size_t k = 0; k < levelCount; ++k) {
    const format::Level &level = format.levels[k];
    const Value at = levelAt(levels, k);
    const LevelKind kind = format::kindOf(format, static_cast<int>(k));
    if (hasSegments(kind))
      view.counts[k] = build_.loadField(level_, at, LevelSlot::count);
    if (hasSegments(kind) && k > 0)
      view.pointers[k] = build_.loadField(level_, at, LevelSlot::pointers);
    if (level.hasLengths())
      view.lengths[k] = view.pointers[k];
    if (!level.isDense() && !format.interleaved)
      view.indices[k] = build_.loadField(level_, at, LevelSlot::indices);
    if (kind == LevelKind::FixedWidth && !level.hasWidthOne())
      view.widths[k] = build_.loadField(level_, at, LevelSlot::width);
  }
  if (format.interleaved)
    view.entries =
        build_.loadField(level_, levelAt(levels, static_cast<size_t>(format.firstListed())), LevelSlot::indices);
  return view;
}

} // namespace spc::entry
