#include "entry/index_checks.h"

#include "entry/places.h"

#include <limits>

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

/// An extent, as the argument that it comes from says it, and the number that it should be.
Place extentPlace(const Entry &entry, sema::ExtentId extent, Value wanted) {
  Place place;
  for (const TensorArgument &argument : entry.arguments)
    if (const ExtentSource &source = entry.extentSources[extent]; source.parameter == &argument.parameter)
      place = placeOf(entry, argument, abi::FieldRole::Size, source.dimension);
  place.found = entry.extents[extent];
  place.wanted = wanted;
  return place;
}

/// Leaves with Status::Shape where what is read reaches beyond its source. No step of this overflows: what is left of
/// the source's extent is divided.
void checkWindows(Entry &entry, sema::TensorId source, const std::vector<sema::Window> &windows,
                  const std::vector<sema::ExtentId> &extents) {
  EntryBuilder &build = entry.build;
  const std::vector<sema::ExtentId> &within = entry.kernel.tensors[source].extents;
  for (size_t dim = 0; dim < windows.size(); ++dim) {
    const sema::Window &window = windows[dim];
    Value room = build.subtract(entry.extents[within[dim]], build.constant(window.constant + 1));
    Value isRead = build.truth(true), isOutside = build.compare(LLVM::ICmpPredicate::slt, room, build.constant(0));
    for (const sema::Window::Multiple &term : window.terms) {
      const Value extent = entry.extents[extents[static_cast<size_t>(term.dim)]];
      const Value last = build.subtract(extent, build.constant(1)), scale = build.constant(term.scale);
      isRead = build.both(isRead, build.differ(extent, build.constant(0)));
      // A negative room is outside already.
      const Value fits = LLVM::SDivOp::create(build.ops(), build.greatest(room, build.constant(0)), scale);
      isOutside = build.either(isOutside, build.compare(LLVM::ICmpPredicate::sgt, last, fits));
      room = build.subtract(room, build.multiply(build.least(last, fits), scale));
    }
    Place place = placeOf(entry, entry.kernel.tensors[source]);
    place.dimension = static_cast<int32_t>(dim);
    build.failIf(build.both(isRead, isOutside), Status::Shape, place);
  }
}

/// Leaves with Status::Shape where there are more places than an i64 counts; of 0 of some extent there are none.
void checkLinearPlaces(Entry &entry, const sema::LinearPlaces &extents) {
  EntryBuilder &build = entry.build;
  Value room = build.constant(std::numeric_limits<int64_t>::max()), isEmpty = build.truth(false);
  for (sema::ExtentId id : extents) {
    const Value extent = entry.extents[id];
    isEmpty = build.either(isEmpty, build.isZero(extent));
    room = LLVM::SDivOp::create(build.ops(), room, build.greatest(extent, build.constant(1)));
  }
  build.failIf(build.both(build.isZero(room), build.negate(isEmpty)), Status::Shape,
               extentPlace(entry, extents.front(), {}));
}

} // namespace

void checkIndices(Entry &entry) {
  for (const sema::Tensor &tensor : entry.kernel.tensors)
    if (const auto *view = tensor.as<sema::View>())
      checkWindows(entry, view->source, view->windows, tensor.extents);
  for (const sema::ReadWindows &read : entry.kernel.readWindows)
    checkWindows(entry, read.source, read.windows, read.extents);
  for (const sema::LinearPlaces &extents : entry.kernel.linearPlaces)
    checkLinearPlaces(entry, extents);
  EntryBuilder &build = entry.build;
  const auto failWhere = [&](Value isWrong, sema::ExtentId extent, Value wanted) {
    build.failIf(isWrong, Status::Shape, extentPlace(entry, extent, wanted));
  };
  for (const sema::LeastExtent &needed : entry.kernel.leastExtents) {
    const Value least = build.constant(needed.least);
    failWhere(build.compare(LLVM::ICmpPredicate::slt, entry.extents[needed.extent], least), needed.extent, least);
  }
  for (sema::ExtentId extent : entry.extents.ids())
    for (const sema::ExtentSum &sum : entry.kernel.extents[extent].sums) {
      const Value size = sumOf(entry, sum);
      const Value isNegative = build.compare(LLVM::ICmpPredicate::slt, size, build.constant(0));
      failWhere(build.either(build.differ(entry.extents[extent], size), isNegative), extent, size);
    }
}

} // namespace spc::entry
