#include "tensor/pack/footprint.h"

#include "abi/signature.h"
#include "format/levels.h"
#include "tensor/pack/packed_arrays.h"
#include "tensor/pack/sorting.h"

#include <algorithm>

namespace spc::tensor {

namespace {

using abi::FieldRole;
using format::LevelKind;

/// Of one level, what counts of all entries say: its coordinates under each parent are looked at one after the other.
class LevelCounter {
public:
  explicit LevelCounter(LevelKind kind) : kind_(kind) {}

  void add(int64_t coordinate, bool isNewParent) {
    if (isNewParent) {
      end();
      own_ = 0;
    }
    ++own_;
    last_ = coordinate;
  }

  double count() {
    end();
    return count_;
  }

private:
  void end() {
    const double own = static_cast<double>(kind_ == LevelKind::RaggedDense ? last_ + 1 : own_);
    count_ = kind_ == LevelKind::FixedWidth ? std::max(count_, own) : count_ + own;
    own_ = 0;
    last_ = -1;
  }

  LevelKind kind_;
  double count_ = 0;
  int64_t own_ = 0;   ///< coordinates under the parent
  int64_t last_ = -1; ///< of them
};

} // namespace

std::vector<double> levelCounts(const Coordinates &entries, const format::Format &format) {
  const SortedEntries sorted = sortedBy(Coordinates(entries), format, sema::ValueType::F64);
  std::vector<bool> differs(sorted.size()); // from the entry before, in a level that was looked at
  std::vector<double> counts;
  for (int k = 0; k < format.levelCount(); ++k) {
    const SortedEntries::Column column = sorted.column(k);
    const bool repeats = format::continuesParent(format, k + 1);
    LevelCounter counter(format::kindOf(format, k));
    for (size_t e = 0; e < sorted.size(); ++e) {
      const bool isNewParent = e == 0 || differs[e];
      const bool isNew = isNewParent || repeats || column[e] != column[e - 1];
      if (isNew)
        counter.add(column[e], isNewParent);
      differs[e] = isNew;
    }
    counts.push_back(counter.count());
  }
  return counts;
}

format::Footprint PackedTensor::footprint() const {
  return state_->arrays.footprint();
}

format::Footprint PackedArrays::footprint() const {
  const format::Format &format = type_.format;
  std::vector<int64_t> shape;
  for (int dim = 0; dim < format.order(); ++dim)
    shape.push_back(number(FieldRole::Size, dim));
  std::vector<double> counts;
  for (int k = 0; k < format.levelCount(); ++k) {
    int64_t count = number(FieldRole::Width, k);
    const bool isRoot = k == 0 && !format.levels[0].hasLengths();
    if (hasSegments(format::kindOf(format, k)))
      count = isRoot || abi::hasCount(format, k) ? number(FieldRole::Count, k)
                                                 : number(FieldRole::Stored) / *format::valuesPerEntry(format, k);
    counts.push_back(static_cast<double>(count));
  }
  return format::footprintOf(format, shape, sema::bytesOf(type_.value), counts);
}

} // namespace spc::tensor
