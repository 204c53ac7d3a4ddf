#include "entry/rankings.h"

#include "entry/places.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using mlir::Value;

namespace spc::entry {
namespace {

const llvm::fltSemantics &semanticsOf(sema::ValueType type) {
  switch (type) {
  case sema::ValueType::F16:
    return llvm::APFloat::IEEEhalf();
  case sema::ValueType::BF16:
    return llvm::APFloat::BFloat();
  case sema::ValueType::F32:
    return llvm::APFloat::IEEEsingle();
  default:
    return llvm::APFloat::IEEEdouble();
  }
}

/// A number of a type as the runtime reads it; an infinity is an integer type's end.
int64_t bitsOf(sema::ValueType type, double number) {
  if (sema::isFloat(type)) {
    llvm::APFloat value(number);
    bool isInexact = false;
    value.convert(semanticsOf(type), llvm::APFloat::rmNearestTiesToEven, &isInexact);
    return static_cast<int64_t>(value.bitcastToAPInt().getZExtValue());
  }
  if (type == sema::ValueType::Bool)
    return number > 0;
  const bool isUnsigned = sema::isUnsigned(type);
  if (!std::isinf(number))
    return isUnsigned ? static_cast<int64_t>(static_cast<uint64_t>(number)) : static_cast<int64_t>(number);
  const auto width = static_cast<unsigned>(8 * sema::bytesOf(type));
  const llvm::APInt end = number < 0
                              ? (isUnsigned ? llvm::APInt::getMinValue(width) : llvm::APInt::getSignedMinValue(width))
                              : (isUnsigned ? llvm::APInt::getMaxValue(width) : llvm::APInt::getSignedMaxValue(width));
  return static_cast<int64_t>(end.getZExtValue());
}

/// The runtime's description of a ranking.
Value describeRanking(Entry &entry, Descriptors &descriptors, const sema::Ranking &ranking) {
  using runtime::RankingSlot;
  EntryBuilder &build = entry.build;
  const sema::Tensor &from = entry.kernel.tensors[ranking.from], &to = entry.kernel.tensors[ranking.to];
  const TensorView &source = entry.tensors[ranking.from], &target = entry.tensors[ranking.to];
  const Struct type = build.structOf<runtime::Ranking>();
  const Value object = build.stack(type, 1);
  const auto set = [&](unsigned slot, Value value) { build.storeField(type, object, slot, value); };
  const auto setNumber = [&](unsigned slot, int64_t value) { set(slot, build.constant(value)); };
  const bool isDense = from.format.isDense();
  setNumber(RankingSlot::order, from.order());
  setNumber(RankingSlot::rows, static_cast<int64_t>(ranking.rowDims.size()));
  for (unsigned k = 0; k < ranking.dims.size(); ++k) {
    const auto dim = static_cast<size_t>(ranking.dims[k]);
    set(RankingSlot::extents + k, entry.extents[from.extents[dim]]);
    if (isDense)
      set(RankingSlot::sourceStrides + k, source.strides[dim]);
  }
  for (unsigned k = 0; k < ranking.rowDims.size(); ++k)
    set(RankingSlot::targetStrides + k, target.strides[static_cast<size_t>(ranking.rowDims[k])]);
  set(RankingSlot::step, target.strides[static_cast<size_t>(ranking.rankDim)]);
  set(RankingSlot::wanted, entry.extents[to.extents[static_cast<size_t>(ranking.rankDim)]]);
  set(RankingSlot::sparse, isDense ? build.null() : descriptors.describe(from, source));
  set(RankingSlot::source, source.values);
  set(RankingSlot::target, target.values);
  const bool isLeast = language::ranksLeast(ranking.kind), isFloat = sema::isFloat(from.type);
  setNumber(RankingSlot::valueBytes, sema::bytesOf(from.type));
  setNumber(RankingSlot::isSigned, sema::isInteger(from.type) && !sema::isUnsigned(from.type));
  setNumber(RankingSlot::infinity, isFloat ? bitsOf(from.type, HUGE_VAL) : 0);
  setNumber(RankingSlot::missing, bitsOf(from.type, isDense ? 0 : from.fill));
  setNumber(RankingSlot::none, bitsOf(from.type, isLeast ? HUGE_VAL : -HUGE_VAL));
  setNumber(RankingSlot::isLeast, isLeast);
  setNumber(RankingSlot::givesPlace, language::ranksPlaces(ranking.kind));
  return object;
}

} // namespace

void rank(Entry &entry, Memory &memory, const sema::Ranking &ranking) {
  EntryBuilder &build = entry.build;
  Descriptors descriptors(entry);
  const Value allocator = descriptors.allocator(memory), workers = descriptors.workers();
  const Value described = describeRanking(entry, descriptors, ranking);
  build.failUnlessOk(build.call(runtime::functions::rank, {allocator, workers, described}),
                     descriptors.placeFor(entry.kernel.tensors[ranking.to]));
}

} // namespace spc::entry
