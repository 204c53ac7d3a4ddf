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

/// Whether an output came without any structure array: then the entry fills in what is 0.
Value structureIsNull(EntryBuilder &build, const TensorView &view) {
  Value result = build.truth(true);
  for (Value array : view.pointers)
    if (array)
      result = build.both(result, build.isNull(array));
  for (Value array : view.indices)
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
    return type == format::IndexType::I64 ? number : LLVM::SExtOp::create(ops, build.int64Type(), number);
  };
  return build.computeIf(build.both(some, build.negate(build.isNull(array))), read, build.constant(0));
}

/// Arrays of a structure that the caller passed. NULL is fine where the level has no entry to read.
void checkStructureArrays(Entry &entry, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const TensorView &view = argument.passed;
  const format::Format &format = argument.parameter.type.format;
  const size_t order = format.levels.size();
  Value entries = build.constant(1); // of the level above
  Value none = build.truth(false);   // whether there are 0 of them, by itself because a product may overflow
  for (size_t k = 0; k < order; ++k) {
    const format::Level &level = format.levels[k];
    if (level.isDense()) {
      const Value size = view.sizes[level.dim];
      entries = build.multiply(entries, size);
      none = build.either(none, build.isZero(size));
      continue;
    }
    if (level.isCompressed() && k == 0) {
      entries = view.count;
    } else if (level.isCompressed()) {
      build.failIf(build.both(build.isNull(view.pointers[k]), build.negate(none)), Status::Null);
      entries = k + 1 == order ? view.stored : lastPointer(build, view.pointers[k], entries, format.pointers);
    }
    none = build.isZero(entries);
    build.failIf(build.both(build.isNull(view.indices[k]), build.negate(none)), Status::Null);
  }
}

void checkArrays(Entry &entry, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const bool isDense = argument.parameter.type.format.isDense();
  if (!isDense && !argument.parameter.fillsStructure)
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
    check(argument.passed.indices[k], owner.indices[k]);
  }
}

void checkCounts(Entry &entry, const TensorArgument &argument) {
  if (argument.parameter.type.format.isDense())
    return;
  EntryBuilder &build = entry.build;
  const TensorView &passed = argument.passed;
  if (argument.parameter.fillsStructure) {
    const TensorView &owner = entry.tensors[argument.parameter.tensor];
    const Value isUnset = structureIsNull(build, passed);
    for (const auto &[count, wanted] : {std::pair(passed.count, owner.count), std::pair(passed.stored, owner.stored)}) {
      const Value unset = build.both(isUnset, build.isZero(count));
      build.failIf(build.both(build.differ(count, wanted), build.negate(unset)), Status::Count);
    }
    return;
  }
  build.failIf(build.either(isNegative(build, passed.count), isNegative(build, passed.stored)), Status::Count);
  const bool hasPointers = llvm::any_of(passed.pointers, [](Value array) { return static_cast<bool>(array); });
  if (hasPointers && argument.parameter.type.format.pointers == format::IndexType::I32)
    build.failIf(build.compare(ICmpPredicate::sgt, passed.stored, build.constant(INT32_MAX)), Status::IndexType);
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
    if (entry.signature.parameters[p].kind != abi::ParameterKind::ScalarValue)
      entry.build.failIf(entry.build.isNull(entry.build.argument(argumentOf(p))), Status::Null);
}

void checkArguments(Entry &entry) {
  for (const TensorArgument &argument : entry.arguments)
    checkSizes(entry, argument);
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
