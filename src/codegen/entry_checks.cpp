#include "codegen/entry_checks.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::codegen {
namespace {

using abi::FieldRole;
using LLVM::ICmpPredicate;

Value isNegative(EntryBuilder &build, Value number) {
  return build.compare(ICmpPredicate::slt, number, build.constant(0));
}

/// Every array of a structure; null Values where it has none.
std::vector<Value> structureArrays(const TensorView &view) {
  std::vector<Value> arrays(view.pointers);
  arrays.insert(arrays.end(), view.lengths.begin(), view.lengths.end());
  arrays.insert(arrays.end(), view.indices.begin(), view.indices.end());
  arrays.push_back(view.entries);
  return arrays;
}

/// Whether an output came without any structure array: then the entry fills in what is 0.
Value structureIsNull(EntryBuilder &build, const TensorView &view) {
  Value result = build.truth(true);
  for (Value array : structureArrays(view))
    if (array)
      result = build.both(result, build.isNull(array));
  return result;
}

void checkSizes(Entry &entry, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const sema::Tensor &tensor = entry.kernel.tensors[argument.parameter.tensor];
  for (size_t d = 0; d < tensor.extents.size(); ++d) {
    const Value size = argument.passed.sizes[d];
    const Value extent = entry.extents[tensor.extents[d]];
    if (!size)
      continue;
    Value wrong;
    if (size == extent) {
      wrong = isNegative(build, size);
    } else {
      wrong = build.differ(size, extent);
      if (argument.parameter.fillsStructure) {
        const Value unset = build.both(structureIsNull(build, argument.passed), build.isZero(size));
        wrong = build.both(wrong, build.negate(unset));
      }
    }
    build.failIf(wrong, Status::Shape);
  }
}

void checkStrides(Entry &entry, const TensorArgument &argument) {
  const format::Format &format = argument.parameter.type.format;
  const int inner = format.levels.back().dim;
  if (!argument.hasStruct())
    return;
  const Value stride = argument.passed.strides[inner];
  if (!stride)
    return;
  EntryBuilder &build = entry.build;
  const Value matters = build.compare(ICmpPredicate::sgt, argument.passed.sizes[inner], build.constant(1));
  build.failIf(build.both(matters, build.differ(stride, build.constant(1))), Status::Stride);
}

/// The last number of a pointers array over `parents` parents, or 0 where there are none.
Value lastPointer(EntryBuilder &build, Value array, Value parents, format::IndexType type) {
  const Value some = build.compare(ICmpPredicate::sgt, parents, build.constant(0));
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
  return build.computeIf(build.both(some, build.negate(build.isNull(array))), read, build.constant(0));
}

/// What is known of the entries of the level above the one that is being checked.
struct Parents {
  Value count;
  Value none; ///< whether there are 0 of them, by itself because a product may overflow
};

/// The least and the greatest value of a closed form over parents 0 … parents - 1, which are at the ends.
void checkClosedForm(Entry &entry, const sema::Tensor &tensor, const format::Level &level, Value parents) {
  EntryBuilder &build = entry.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const Value extent = entry.extents[tensor.extents[level.dim]];
  const Value last = LLVM::SubOp::create(ops, parents, build.constant(1));
  const auto at = [&](const format::ClosedForm &form, Value parent) -> Value {
    const Value fixed =
        LLVM::AddOp::create(ops, build.constant(form.constant), build.multiply(build.constant(form.size), extent));
    return LLVM::AddOp::create(ops, fixed, build.multiply(build.constant(form.slope), parent));
  };
  const Value some = build.compare(ICmpPredicate::sgt, parents, build.constant(0));
  // Extents above 2^31 cannot have been stored with so many parents; they would overflow the products.
  const Value isHuge = build.either(build.compare(ICmpPredicate::sgt, parents, build.constant(INT32_MAX)),
                                    build.compare(ICmpPredicate::sgt, extent, build.constant(INT32_MAX)));
  Value wrong = isHuge;
  for (const Value parent : {build.constant(0), last}) {
    const Value length = at(level.length, parent), start = at(level.start, parent);
    wrong = build.either(wrong, isNegative(build, length));
    if (!level.isDense())
      continue;
    const Value end = LLVM::AddOp::create(ops, start, length);
    wrong = build.either(wrong, build.either(isNegative(build, start), build.compare(ICmpPredicate::sgt, end, extent)));
  }
  build.failIf(build.both(some, wrong), Status::Shape);
}

/// The entries of level k, from those of the level above; checks the array that says so.
Parents entriesOf(Entry &entry, const TensorArgument &argument, int k, Parents above) {
  EntryBuilder &build = entry.build;
  const TensorView &view = argument.passed;
  const sema::Tensor &tensor = entry.kernel.tensors[argument.parameter.tensor];
  const format::Format &format = tensor.format;
  const format::Level &level = format.levels[static_cast<size_t>(k)];
  const auto index = static_cast<size_t>(k);
  switch (level.extent) {
  case format::Extent::Fixed: {
    Value each = level.width ? build.constant(*level.width) : view.widths[index];
    if (level.isDense())
      each = levelExtent(entry, tensor, level);
    return {build.multiply(above.count, each), build.either(above.none, build.isZero(each))};
  }
  case format::Extent::Ragged: {
    if (k == 0)
      return {view.count, build.isZero(view.count)};
    build.failIf(build.both(build.isNull(view.pointers[index]), build.negate(above.none)), Status::Null);
    const bool isLast = k + 1 == format.levelCount();
    const Value count = isLast ? view.stored : lastPointer(build, view.pointers[index], above.count, format.pointers);
    return {count, build.isZero(count)};
  }
  case format::Extent::Lengths:
    build.failIf(build.both(build.isNull(view.lengths[index]), build.negate(above.none)), Status::Null);
    return {view.stored, build.isZero(view.stored)};
  case format::Extent::Closed: {
    const Value parents = k > 0 ? levelExtent(entry, tensor, format.levels[index - 1]) : build.constant(1);
    checkClosedForm(entry, tensor, level, parents);
    return {entry.tensors[argument.parameter.tensor].stored, above.none};
  }
  }
  return above;
}

/// Arrays of a structure that the caller passed. NULL is fine where the level has no entry to read.
void checkStructureArrays(Entry &entry, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const TensorView &view = argument.passed;
  const sema::Tensor &tensor = entry.kernel.tensors[argument.parameter.tensor];
  const format::Format &format = tensor.format;
  Parents parents{build.constant(1), build.truth(false)};
  for (int k = 0; k < format.levelCount(); ++k) {
    const format::Level &level = format.levels[static_cast<size_t>(k)];
    parents = entriesOf(entry, argument, k, parents);
    if (level.isDense())
      continue;
    const Value array = format.interleaved ? view.entries : view.indices[static_cast<size_t>(k)];
    build.failIf(build.both(build.isNull(array), build.negate(parents.none)), Status::Null);
    // Padding needs a coordinate that exists.
    if (level.isFixedWidth())
      build.failIf(build.both(build.isZero(levelExtent(entry, tensor, level)), build.negate(parents.none)),
                   Status::Shape);
  }
}

void checkArrays(Entry &entry, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const bool isDense = argument.parameter.type.format.isDense();
  if (!isDense && argument.hasStruct() && !argument.parameter.fillsStructure)
    checkStructureArrays(entry, argument);
  Value empty = build.truth(false);
  if (isDense)
    for (Value size : argument.passed.sizes)
      empty = build.either(empty, build.isZero(size));
  else
    empty = build.isZero(entry.tensors[argument.parameter.tensor].stored);
  build.failIf(build.both(build.isNull(argument.passed.values), build.negate(empty)), Status::Null);
}

/// Structure arrays of an output are NULL or those of the operand whose pattern it shares.
void checkPattern(Entry &entry, const TensorArgument &argument) {
  if (!argument.parameter.fillsStructure)
    return;
  EntryBuilder &build = entry.build;
  const TensorView &owner = entry.tensors[argument.parameter.tensor];
  const auto check = [&](Value passed, Value wanted) {
    if (passed && wanted)
      build.failIf(build.both(build.negate(build.isNull(passed)), build.differ(passed, wanted)), Status::Pattern);
  };
  for (size_t k = 0; k < owner.pointers.size(); ++k) {
    check(argument.passed.pointers[k], owner.pointers[k]);
    check(argument.passed.lengths[k], owner.lengths[k]);
    check(argument.passed.indices[k], owner.indices[k]);
  }
  check(argument.passed.entries, owner.entries);
}

/// The numbers of an output's struct that were set, against those of its pattern's owner.
void checkBorrowedCounts(Entry &entry, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const TensorView &passed = argument.passed, &owner = entry.tensors[argument.parameter.tensor];
  const Value isUnset = structureIsNull(build, passed);
  const auto check = [&](Value count, Value wanted) {
    if (!count || !wanted)
      return;
    const Value unset = build.both(isUnset, build.isZero(count));
    build.failIf(build.both(build.differ(count, wanted), build.negate(unset)), Status::Count);
  };
  check(passed.count, owner.count);
  check(passed.stored, owner.stored);
  for (size_t k = 0; k < passed.widths.size(); ++k)
    check(passed.widths[k], owner.widths[k]);
}

/// Slots may be more than an int64_t counts only where sizes say how many there are.
void checkProduct(Entry &entry, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const sema::Tensor &tensor = entry.kernel.tensors[argument.parameter.tensor];
  Value product = build.constant(1), overflows = build.truth(false), empty = build.truth(false);
  for (size_t k = 0; k < tensor.format.levels.size(); ++k) {
    const format::Level &level = tensor.format.levels[k];
    Value each = levelExtent(entry, tensor, level);
    if (level.isFixedWidth())
      each = level.width ? build.constant(*level.width) : argument.passed.widths[k];
    else if (level.isSingleton())
      each = build.constant(1);
    empty = build.either(empty, build.isZero(each));
    const Value divisor = build.select(build.isZero(each), build.constant(1), each);
    const Value limit = LLVM::UDivOp::create(build.ops(), build.constant(INT64_MAX / 16), divisor);
    overflows = build.either(overflows, build.compare(ICmpPredicate::ugt, product, limit));
    product = build.multiply(product, divisor);
  }
  build.failIf(build.both(overflows, build.negate(empty)), Status::Count);
}

void checkCounts(Entry &entry, const TensorArgument &argument) {
  const format::Format &format = argument.parameter.type.format;
  if (format.isDense() || !argument.hasStruct())
    return;
  if (argument.parameter.fillsStructure)
    return checkBorrowedCounts(entry, argument);
  EntryBuilder &build = entry.build;
  const TensorView &passed = argument.passed;
  for (Value count : {passed.count, passed.stored})
    if (count)
      build.failIf(isNegative(build, count), Status::Count);
  const bool hasPointers = llvm::any_of(format.levels, [&](const format::Level &level) {
    return (level.extent == format::Extent::Ragged && &level != &format.levels.front()) ||
           level.extent == format::Extent::Lengths;
  });
  // What a pointers array counts are entries of its level: the values are those times the dense levels below.
  const bool countsValues = !format.levels.back().isFullyDense();
  if (hasPointers && countsValues && format.pointers != format::IndexType::I64)
    build.failIf(build.compare(ICmpPredicate::sgt, passed.stored, build.constant(format::largest(format.pointers))),
                 Status::IndexType);
}

/// Before anything is computed with them.
void checkWidths(Entry &entry, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const format::Format &format = argument.parameter.type.format;
  if (format.isDense() || !argument.hasStruct() || argument.parameter.fillsStructure)
    return;
  for (Value width : argument.passed.widths)
    if (width)
      build.failIf(isNegative(build, width), Status::Count);
  if (!abi::storesCount(format))
    checkProduct(entry, argument);
  if (format.symmetry != format::Symmetry::None)
    build.failIf(build.differ(argument.passed.sizes[0], argument.passed.sizes[1]), Status::Shape);
}

} // namespace

Struct contextStruct(EntryBuilder &build) {
  const mlir::Type pointer = build.pointerType();
  return build.structOf({build.int64Type(), pointer, pointer, pointer, pointer});
}

void checkContext(Entry &entry) {
  EntryBuilder &build = entry.build;
  const Value given = build.negate(build.isNull(entry.context));
  const Struct type = contextStruct(build);
  const auto isMalformed = [&] {
    // The hooks are read only where the size says that they are there.
    const Value size = build.loadField(type, entry.context, kStructSize);
    const Value fits = build.compare(ICmpPredicate::sge, size, build.sizeOf(type));
    const auto hooksDiffer = [&] {
      return build.differ(build.isNull(build.loadField(type, entry.context, kAllocate)),
                          build.isNull(build.loadField(type, entry.context, kDeallocate)));
    };
    return build.computeIf(fits, hooksDiffer, build.truth(true));
  };
  build.failIf(build.computeIf(given, isMalformed, build.truth(false)), Status::Context);
}

void checkObjects(Entry &entry) {
  for (size_t p = 0; p < entry.signature.parameters.size(); ++p)
    if (entry.signature.parameters[p].kind == abi::ParameterKind::Tensor ||
        entry.signature.parameters[p].kind == abi::ParameterKind::ScalarPointer)
      entry.build.failIf(entry.build.isNull(entry.build.argument(argumentOf(p))), Status::Null);
}

void checkArguments(Entry &entry) {
  for (const TensorArgument &argument : entry.arguments)
    checkSizes(entry, argument);
  for (const TensorArgument &argument : entry.arguments)
    checkWidths(entry, argument);
  for (const TensorArgument &argument : entry.arguments)
    checkStrides(entry, argument);
  for (const TensorArgument &argument : entry.arguments)
    checkArrays(entry, argument);
  for (const TensorArgument &argument : entry.arguments)
    checkPattern(entry, argument);
  for (const TensorArgument &argument : entry.arguments)
    checkCounts(entry, argument);
}

} // namespace spc::codegen
