#include "corruption/array_lengths.h"

#include "format/levels.h"

#include <algorithm>

namespace spc::testing {
namespace {

using abi::FieldRole;
using format::LevelKind;

constexpr int64_t kMostElements = int64_t{1} << 24;

class Lengths {
public:
  Lengths(const abi::StructType &type, const std::vector<uint64_t> &fields)
      : type_(type), fields_(fields), result_(fields.size()) {}

  std::optional<std::vector<int64_t>> find() {
    type_.format.isDense() ? dense() : sparse();
    if (isImpossible_)
      return std::nullopt;
    return result_;
  }

private:
  int64_t number(FieldRole role, int index) const {
    return static_cast<int64_t>(fields_[static_cast<size_t>(type_.find(role, index))]);
  }
  int64_t limited(int64_t count) {
    isImpossible_ = isImpossible_ || count < 0 || count > kMostElements;
    return isImpossible_ ? 0 : count;
  }
  int64_t times(int64_t a, int64_t b) { return limited(limited(a) * limited(b)); }
  void set(FieldRole role, int index, int64_t length) {
    if (const int field = type_.find(role, index); field >= 0)
      result_[static_cast<size_t>(field)] = limited(length);
  }

  void dense() {
    int64_t span = 1;
    for (int d = 0; d < type_.format.order(); ++d) {
      const int64_t size = limited(number(FieldRole::Size, d));
      const bool isInner = d == type_.format.levels.back().dim;
      span = size == 0 || span == 0 ? 0 : span + times(size - 1, isInner ? 1 : number(FieldRole::Stride, d));
    }
    set(FieldRole::Values, 0, span);
  }

  int64_t extent(const format::Level &level) {
    const format::CoordinateRange range = format::coordinateRange(level);
    if (!range.dim)
      return range.block;
    return limited((limited(number(FieldRole::Size, *range.dim)) + range.block - 1) / range.block);
  }

  /// A closed form's lengths over all parents.
  int64_t closed(int k, int64_t parents) {
    const format::Level &level = type_.format.levels[static_cast<size_t>(k)];
    const int64_t size = limited(number(FieldRole::Size, level.dim));
    const int64_t run = std::max<int64_t>(1, extent(type_.format.levels[static_cast<size_t>(k) - 1]));
    int64_t sum = 0;
    for (int64_t p = 0; p < parents && !isImpossible_; ++p)
      sum += limited(level.length.constant + level.length.slope * (p % run) + level.length.size * size);
    return limited(sum);
  }

  int64_t counted(int k) {
    if (type_.find(FieldRole::Count, k) >= 0)
      return limited(number(FieldRole::Count, k));
    return limited(number(FieldRole::Stored, 0)) / format::valuesPerEntry(type_.format, k).value_or(1);
  }

  void sparse() {
    int64_t entries = 1;
    for (int k = 0; k < type_.format.levelCount(); ++k) {
      const format::Level &level = type_.format.levels[static_cast<size_t>(k)];
      set(FieldRole::Pointers, k, entries + 1);
      set(FieldRole::Lengths, k, entries);
      switch (format::kindOf(type_.format, k)) {
      case LevelKind::Dense:
        entries = times(entries, extent(level));
        break;
      case LevelKind::Singleton:
      case LevelKind::FixedWidth:
        entries = times(entries, level.width ? *level.width : number(FieldRole::Width, k));
        break;
      case LevelKind::Compressed:
      case LevelKind::RaggedDense:
        entries = counted(k);
        break;
      case LevelKind::ClosedDense:
      case LevelKind::ClosedCompressed:
        entries = closed(k, entries);
        break;
      }
      set(FieldRole::Indices, k, entries);
    }
    if (type_.format.interleaved)
      set(FieldRole::Entries, type_.format.firstListed(),
          times(entries, type_.format.levelCount() - type_.format.firstListed()));
    const bool isStored = type_.find(FieldRole::Stored) >= 0;
    set(FieldRole::Values, 0, isStored ? number(FieldRole::Stored, 0) : entries);
  }

  const abi::StructType &type_;
  const std::vector<uint64_t> &fields_;
  std::vector<int64_t> result_;
  bool isImpossible_ = false;
};

} // namespace

std::optional<std::vector<int64_t>> arrayLengths(const abi::StructType &type, const std::vector<uint64_t> &fields) {
  return Lengths(type, fields).find();
}

} // namespace spc::testing
