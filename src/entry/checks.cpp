#include "entry/checks.h"

#include "entry/counts.h"
#include "entry/index_checks.h"
#include "entry/places.h"
#include "format/levels.h"
#include "sema/shared_bodies.h"

#include <set>
#include <string>

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

using abi::FieldRole;
using format::LevelKind;
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

void checkSizesOf(Entry &entry, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const sema::Tensor &tensor = entry.kernel.tensors[argument.parameter.tensor];
  for (size_t d = 0; d < argument.passed.sizes.size(); ++d) {
    const Value size = argument.passed.sizes[d];
    const Value extent = entry.extents[tensor.extents[d]];
    Value wrong;
    if (size == extent) {
      wrong = isNegative(build, size);
    } else if (argument.parameter.isAssembled && !argument.givesStructure) {
      continue;
    } else {
      wrong = build.differ(size, extent);
      if (argument.parameter.fillsStructure) {
        const Value unset = build.both(structureIsNull(build, argument.passed), build.isZero(size));
        wrong = build.both(wrong, build.negate(unset));
      }
    }
    build.failIf(wrong, Status::Shape, sizePlace(entry, argument, d));
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
  // A vector's is free. None is 0: callers that have left it out would get a wrong result in silence.
  const bool isVector = format.order() == 1;
  const Value wrong = isVector ? build.isZero(stride) : build.differ(stride, build.constant(1));
  Place place = placeOf(entry, argument, FieldRole::Stride, static_cast<size_t>(inner));
  if (!isVector)
    place.wanted = build.constant(1);
  build.failIf(build.both(matters, wrong), Status::Stride, place);
}

/// Whether entries of such a level need a coordinate that exists, padding included.
bool needsCoordinate(LevelKind kind) {
  switch (kind) {
  case LevelKind::Singleton:
  case LevelKind::FixedWidth:
    return true;
  case LevelKind::Dense:
  case LevelKind::Compressed:
  case LevelKind::RaggedDense:
  case LevelKind::ClosedDense:
  case LevelKind::ClosedCompressed:
    break;
  }
  return false;
}

/// Checks that the caller has passed the arrays of a structure that the levels' entries need. NULL is fine where a
/// level has none.
void checkStructureArrays(Entry &entry, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const TensorView &view = argument.passed;
  const sema::Tensor &tensor = entry.kernel.tensors[argument.parameter.tensor];
  const format::Format &format = tensor.format;
  for (size_t k = 0; k < format.levels.size(); ++k) {
    const format::Level &level = format.levels[k];
    const Value hasParents = build.negate(build.isZero(argument.entries[k]));
    const Value hasEntries = build.negate(build.isZero(argument.entries[k + 1]));
    for (const auto &[array, role] :
         {std::pair{view.pointers[k], FieldRole::Pointers}, {view.lengths[k], FieldRole::Lengths}})
      if (array)
        build.failIf(build.both(build.isNull(array), hasParents), Status::Null, placeOf(entry, argument, role, k));
    if (level.isDense())
      continue;
    const Value array = format.interleaved ? view.entries : view.indices[k];
    const Place place = format.interleaved
                            ? placeOf(entry, argument, FieldRole::Entries, static_cast<size_t>(format.firstListed()))
                            : placeOf(entry, argument, FieldRole::Indices, k);
    build.failIf(build.both(build.isNull(array), hasEntries), Status::Null, place);
    if (needsCoordinate(format::kindOf(format, static_cast<int>(k))) && level.part != format::Part::Difference)
      build.failIf(build.both(build.isZero(levelExtent(entry, tensor, level)), hasEntries), Status::Shape,
                   placeOf(entry, argument, FieldRole::Size, static_cast<size_t>(level.dim)));
  }
}

/// Whether anything looks at a tensor's values: a loop, or what copies them.
bool readsValues(Entry &entry, sema::TensorId id) {
  const auto isOf = [&](sema::TensorId other) { return other == id; };
  for (const sema::Tensor &tensor : entry.kernel.tensors) {
    const auto *copy = tensor.as<sema::Converted>();
    const auto *tie = tensor.as<sema::Tie>();
    if ((copy && isOf(copy->source)) || (tie && tie->source && isOf(*tie->source)))
      return true;
  }
  for (const sema::Step &step : entry.kernel.steps) {
    const auto *conversion = std::get_if<sema::Conversion>(&step);
    const auto *distribution = std::get_if<sema::Distribution>(&step);
    const auto *placement = std::get_if<sema::Placement>(&step);
    const auto *ranking = std::get_if<sema::Ranking>(&step);
    if ((ranking && isOf(ranking->from)) || (placement && isOf(placement->from)) ||
        (conversion && isOf(conversion->from)) || (distribution && isOf(distribution->from)) ||
        std::holds_alternative<sema::Copy>(step))
      return true;
  }
  // Of steps with another one's body the tensors in place of which it reads this one.
  std::set<std::string> names{entry.kernel.tensors[id].name};
  for (size_t k = 0; k < entry.kernel.steps.size(); ++k)
    if (const std::optional<sema::LentBody> lent = sema::lentBody(entry.kernel, k))
      for (const auto &[lenders, own] : lent->tensors)
        if (isOf(own))
          names.insert(entry.kernel.tensors[lenders].name);
  for (auto body : entry.build.module().getOps<LLVM::LLVMFuncOp>())
    for (unsigned a = 0; !body.isExternal() && a < body.getNumArguments(); ++a)
      if (const dialect::BindAttr bind = dialect::bindOf(body, a);
          bind && bind.getKind() == dialect::BindKind::Values && names.contains(bind.getSymbol().str()) &&
          !body.getArgument(a).use_empty())
        return true;
  return false;
}

void checkArrays(Entry &entry, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const bool isDense = argument.parameter.type.format.isDense();
  if (!isDense && argument.givesStructure)
    checkStructureArrays(entry, argument);
  if (argument.parameter.isAssembled && !argument.givesStructure)
    return;
  // The symbolic phase reads no values; those that the numeric phase writes are allocated where they are missing.
  if (entry.phase == runtime::Phase::Symbolic ||
      (entry.phase == runtime::Phase::Numeric && argument.parameter.isAssembled))
    return;
  const bool isOperand = !isDense && !argument.parameter.isWritten && argument.hasStruct();
  if (isOperand && !readsValues(entry, argument.parameter.tensor))
    return;
  Value empty = build.truth(false);
  if (isDense)
    for (sema::ExtentId extent : entry.kernel.tensors[argument.parameter.tensor].extents)
      empty = build.either(empty, build.isZero(entry.extents[extent]));
  else
    empty = build.isZero(entry.tensors[argument.parameter.tensor].stored);
  build.failIf(build.both(build.isNull(argument.passed.values), build.negate(empty)), Status::Null,
               placeOf(entry, argument, FieldRole::Values));
}

/// Structure arrays of an output are NULL or those of the operand whose pattern it shares.
void checkPattern(Entry &entry, const TensorArgument &argument) {
  if (!argument.parameter.fillsStructure)
    return;
  EntryBuilder &build = entry.build;
  const TensorView &owner = entry.tensors[argument.parameter.tensor];
  const auto check = [&](Value passed, Value wanted, FieldRole role, size_t level) {
    if (passed && wanted)
      build.failIf(build.both(build.negate(build.isNull(passed)), build.differ(passed, wanted)), Status::Pattern,
                   placeOf(entry, argument, role, level));
  };
  for (size_t k = 0; k < owner.pointers.size(); ++k) {
    check(argument.passed.pointers[k], owner.pointers[k], FieldRole::Pointers, k);
    check(argument.passed.lengths[k], owner.lengths[k], FieldRole::Lengths, k);
    check(argument.passed.indices[k], owner.indices[k], FieldRole::Indices, k);
  }
  check(argument.passed.entries, owner.entries, FieldRole::Entries,
        static_cast<size_t>(argument.parameter.type.format.firstListed()));
}

/// The numbers of an output's struct that were set, against those of its pattern's owner.
void checkBorrowedCounts(Entry &entry, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const TensorView &passed = argument.passed, &owner = entry.tensors[argument.parameter.tensor];
  const Value isUnset = structureIsNull(build, passed);
  const sema::Tensor &pattern = entry.kernel.tensors[sema::structureOwner(entry.kernel, argument.parameter.tensor)];
  const auto check = [&](Value count, Value wanted, FieldRole role, size_t level) {
    if (!count || !wanted)
      return;
    const Value unset = build.both(isUnset, build.isZero(count));
    Place place = placeOf(entry, argument, role, level);
    for (const TensorArgument &other : entry.arguments)
      if (&entry.kernel.tensors[other.parameter.tensor] == &pattern)
        place = against(place, other, role, level, wanted);
    build.failIf(build.both(build.differ(count, wanted), build.negate(unset)), Status::Count, place);
  };
  check(passed.stored, owner.stored, FieldRole::Stored, 0);
  for (size_t k = 0; k < passed.widths.size(); ++k) {
    check(passed.counts[k], owner.counts[k], FieldRole::Count, k);
    check(passed.widths[k], owner.widths[k], FieldRole::Width, k);
  }
}

void checkCounts(Entry &entry, const TensorArgument &argument) {
  const format::Format &format = argument.parameter.type.format;
  if (argument.parameter.fillsStructure)
    return checkBorrowedCounts(entry, argument);
  if (format.isDense() || !argument.givesStructure)
    return;
  EntryBuilder &build = entry.build;
  const int64_t most = format::largest(format.pointers);
  const auto levelCount = static_cast<size_t>(format.levelCount());
  for (size_t k = 1; k < levelCount && format.pointers != format::IndexType::I64; ++k)
    if (hasSegments(format::kindOf(format, static_cast<int>(k))))
      build.failIf(build.compare(ICmpPredicate::sgt, argument.entries[k + 1], build.constant(most)), Status::IndexType,
                   countPlace(entry, argument, k));
  for (size_t k = 1; k < levelCount; ++k)
    checkLastPointer(entry, argument, argument.passed, k);
  if (argument.passed.stored) {
    Place place = placeOf(entry, argument, FieldRole::Stored);
    place.wanted = argument.entries.back();
    build.failIf(build.differ(argument.passed.stored, argument.entries.back()), Status::Count, place);
  }
}

/// What the numbers of a structure must be before anything is computed with them.
void checkStructureSizes(Entry &entry, const TensorArgument &argument) {
  const sema::Tensor &tensor = entry.kernel.tensors[argument.parameter.tensor];
  if (tensor.format.isDense() || !(argument.givesStructure || argument.parameter.isAssembled))
    return;
  if (tensor.format.symmetry != format::Symmetry::None) {
    const Value rows = entry.extents[tensor.extents[0]], columns = entry.extents[tensor.extents[1]];
    const Place place = against(placeOf(entry, argument, FieldRole::Size, 0), argument, FieldRole::Size, 1, columns);
    entry.build.failIf(entry.build.differ(rows, columns), Status::Shape, place);
  }
  checkClosedForms(entry, tensor, placeOf(entry, argument.parameter));
}

void checkNumbers(Entry &entry, const TensorArgument &argument) {
  if (!argument.givesStructure)
    return;
  const auto check = [&](Value number, const Place &place) {
    if (number)
      entry.build.failIf(isNegative(entry.build, number), Status::Count, place);
  };
  for (size_t k = 0; k < argument.passed.widths.size(); ++k)
    check(argument.passed.widths[k], placeOf(entry, argument, FieldRole::Width, k));
  for (size_t k = 0; k < argument.passed.counts.size(); ++k)
    check(argument.passed.counts[k], countPlace(entry, argument, k));
  check(argument.passed.stored, placeOf(entry, argument, FieldRole::Stored));
}

} // namespace

Struct contextStruct(EntryBuilder &build) {
  const mlir::Type pointer = build.pointerType();
  return build.structOf({build.int64Type(), pointer, pointer, pointer, pointer, pointer, pointer});
}

/// The first fields of a context, of which the last one is `last`.
static Struct contextUpTo(EntryBuilder &build, ContextField last) {
  return build.structOf(contextStruct(build).getBody().take_front(last + 1));
}

Value loadParallelCost(Entry &entry) {
  EntryBuilder &build = entry.build;
  const Struct type = contextStruct(build);
  const auto isThere = [&] {
    const Value size = build.loadField(type, entry.context, kStructSize);
    return build.compare(ICmpPredicate::sge, size, build.sizeOf(contextUpTo(build, kParallelCost)));
  };
  const Value hasCost = build.computeIf(build.negate(build.isNull(entry.context)), isThere, build.truth(false));
  return build.computeIf(hasCost, [&] { return build.loadField(type, entry.context, kParallelCost); }, build.null());
}

void checkContext(Entry &entry) {
  EntryBuilder &build = entry.build;
  const Value given = build.negate(build.isNull(entry.context));
  const Struct type = contextStruct(build);
  const auto isMalformed = [&] {
    // The hooks are read only where the size says that they are there.
    const Value size = build.loadField(type, entry.context, kStructSize);
    const Value fits = build.compare(ICmpPredicate::sge, size, build.sizeOf(contextUpTo(build, kParallelFor)));
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
      entry.build.failIf(entry.build.isNull(entry.build.argument(argumentOf(p))), Status::Null,
                         placeOf(entry, entry.signature.parameters[p]));
}

void checkSizes(Entry &entry) {
  for (const TensorArgument &argument : entry.arguments)
    checkSizesOf(entry, argument);
  for (const TensorArgument &argument : entry.arguments)
    checkStructureSizes(entry, argument);
  for (const TensorArgument &argument : entry.arguments)
    checkNumbers(entry, argument);
  for (const sema::Tensor &tensor : entry.kernel.tensors)
    if (tensor.is<sema::Temporary>() && tensor.isAssembled())
      checkClosedForms(entry, tensor, placeOf(entry, tensor));
  checkIndices(entry);
}

void checkArguments(Entry &entry) {
  for (const auto check : {checkStrides, checkArrays, checkPattern, checkCounts})
    for (const TensorArgument &argument : entry.arguments)
      check(entry, argument);
}

} // namespace spc::entry
