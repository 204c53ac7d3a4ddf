#include "tensor/row_packer.h"

#include "format/levels.h"
#include "tensor/sorting.h"

#include <algorithm>
#include <limits>
#include <span>
#include <type_traits>

namespace spc::tensor {

namespace {

using abi::FieldRole;
using format::LevelKind;

constexpr int kListed = 1; ///< the level below the dense one

template <typename Index, typename Value> class RowPacker {
public:
  RowPacker(PackedArrays &arrays, const Coordinates &entries)
      : arrays_(arrays), entries_(entries), major_(static_cast<size_t>(arrays.format().levels[0].dim)),
        rows_(entries.shape[major_]) {}

  /// Segments that pointers end; of a symmetric matrix the stored triangle.
  bool packSegments() {
    const auto size = static_cast<int64_t>(entries_.size());
    auto *pointers = static_cast<Index *>(arrays_.allocate(FieldRole::Pointers, kListed, rows_ + 1));
    allocateEntries(size);
    countRows(pointers + 1);
    for (int64_t row = 0; row < rows_; ++row)
      pointers[row + 1] += pointers[row];
    putEntries([&](int64_t row) { return pointers[row]++; });
    std::copy_backward(pointers, pointers + rows_, pointers + rows_ + 1); // each begins where the one before has ended
    pointers[0] = 0;
    if (!sortSegments(pointers))
      return false;
    if (arrays_.format().symmetry != format::Symmetry::None && !keepTriangle(pointers))
      return false;
    finish(pointers[rows_]);
    arrays_.setNumber(FieldRole::Count, kListed, pointers[rows_]);
    return true;
  }

  /// As many slots in each row as the fullest one has entries.
  bool packWidth() {
    std::vector<Index> counts(static_cast<size_t>(rows_));
    countRows(counts.data());
    const int64_t width = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    int64_t slots = 0;
    if (__builtin_mul_overflow(width, rows_, &slots))
      return false;
    allocateEntries(slots);
    std::fill(counts.begin(), counts.end(), 0);
    putEntries([&](int64_t row) { return row * width + counts[row]++; });
    for (int64_t row = 0; row < rows_; ++row) {
      const int64_t begin = row * width, end = begin + counts[row];
      if (!isAscending(begin, end) && sortRow(begin, end) != end)
        return false; // the width may be that of a row with repeats
      std::fill(indices_ + end, indices_ + begin + width, end > begin ? indices_[end - 1] : 0);
    }
    arrays_.setNumber(FieldRole::Width, kListed, width);
    finish(slots);
    return true;
  }

private:
  void allocateEntries(int64_t count) {
    indices_ = static_cast<Index *>(arrays_.allocate(FieldRole::Indices, kListed, count));
    values_ = static_cast<Value *>(arrays_.allocate(FieldRole::Values, 0, count));
  }

  void countRows(Index *counts) const {
    const int64_t *at = entries_.coordinates.data() + major_;
    for (size_t e = 0; e < entries_.size(); ++e)
      ++counts[at[2 * e]];
  }

  template <typename SlotOf> void putEntries(const SlotOf &slotOf) {
    const int64_t *rows = entries_.coordinates.data() + major_, *columns = entries_.coordinates.data() + (1 - major_);
    for (size_t e = 0; e < entries_.size(); ++e) {
      const auto slot = slotOf(rows[2 * e]);
      indices_[slot] = static_cast<Index>(columns[2 * e]);
      values_[slot] = static_cast<Value>(entries_.values[e]);
    }
  }

  bool isAscending(int64_t begin, int64_t end) const {
    bool ascends = true;
    for (int64_t e = begin + 1; e < end; ++e)
      ascends &= indices_[e - 1] < indices_[e];
    return ascends;
  }

  /// Sorts a row, sums its repeats and gives where it ends now.
  int64_t sortRow(int64_t begin, int64_t end) {
    row_.clear();
    for (int64_t e = begin; e < end; ++e)
      row_.push_back({static_cast<uint64_t>(indices_[e]), static_cast<double>(values_[e])});
    sortStably(row_, std::numeric_limits<Index>::digits);
    int64_t to = begin;
    for (const SortedEntries::Entry &entry : row_) {
      const auto column = static_cast<Index>(entry.key);
      if (to > begin && indices_[to - 1] == column) {
        values_[to - 1] += static_cast<Value>(entry.value);
      } else {
        indices_[to] = column;
        values_[to++] = static_cast<Value>(entry.value);
      }
    }
    return to;
  }

  /// False where there are repeats that have to be summed before they are rounded.
  bool sortSegments(Index *pointers) {
    int64_t begin = 0, kept = 0;
    for (int64_t row = 0; row < rows_; ++row) {
      const int64_t next = pointers[row + 1];
      const int64_t end = isAscending(begin, next) ? next : sortRow(begin, next);
      if (end != next && !std::is_same_v<Value, double>)
        return false;
      moveEntries(begin, end, kept);
      kept += end - begin;
      begin = next;
      pointers[row + 1] = static_cast<Index>(kept);
    }
    return true;
  }

  void moveEntries(int64_t begin, int64_t end, int64_t to) {
    if (to == begin)
      return;
    std::copy(indices_ + begin, indices_ + end, indices_ + to);
    std::copy(values_ + begin, values_ + end, values_ + to);
  }

  /// Walking through the rows from the first to the last, entries beyond the diagonal ask each other row for its
  /// entries before the diagonal, one after the other.
  bool isSymmetric(const Index *pointers) const {
    std::vector<Index> next(pointers, pointers + rows_);
    for (int64_t row = 0; row < rows_; ++row)
      for (int64_t e = pointers[row]; e < pointers[row + 1]; ++e) {
        const int64_t column = indices_[e];
        if (column < row && next[row] <= e) // no row above has asked for it
          return false;
        const int64_t mirror = column <= row ? e : next[column]++;
        if (column > row && (mirror >= pointers[column + 1] || indices_[mirror] != row))
          return false;
        if (!(values_[mirror] == values_[e])) // nor is a NaN
          return false;
      }
    return true;
  }

  bool keepTriangle(Index *pointers) {
    if (!std::is_same_v<Value, double> || !isSymmetric(pointers))
      return false;
    const bool isLower = (arrays_.format().symmetry == format::Symmetry::Lower) == (major_ == 0);
    int64_t begin = 0, kept = 0;
    for (int64_t row = 0; row < rows_; ++row) {
      const Index *first = indices_ + begin, *last = indices_ + pointers[row + 1];
      const Index *from = isLower ? first : std::lower_bound(first, last, row);
      const Index *to = isLower ? std::upper_bound(first, last, row) : last;
      moveEntries(from - indices_, to - indices_, kept);
      kept += to - from;
      begin = pointers[row + 1];
      pointers[row + 1] = static_cast<Index>(kept);
    }
    return true;
  }

  void finish(int64_t stored) {
    arrays_.shorten(FieldRole::Indices, kListed, stored);
    arrays_.shorten(FieldRole::Values, 0, stored);
    arrays_.valueCount = stored;
    arrays_.setNumber(FieldRole::Stored, 0, stored);
  }

  PackedArrays &arrays_;
  const Coordinates &entries_;
  size_t major_;
  int64_t rows_;
  Index *indices_ = nullptr;
  Value *values_ = nullptr;
  std::vector<SortedEntries::Entry> row_;
};

bool isWholeMatrix(const format::Format &format) {
  return format.order() == 2 && format.levelCount() == 2 && !format.interleaved &&
         format::kindOf(format, 0) == LevelKind::Dense && format.levels[0].part == format::Part::Whole &&
         format.levels[kListed].part == format::Part::Whole && format.levels[0].dim != format.levels[kListed].dim;
}

template <typename Index, typename Value> bool packAs(PackedArrays &arrays, const Coordinates &entries) {
  const format::Level &listed = arrays.format().levels[kListed];
  const bool isSymmetric = arrays.format().symmetry != format::Symmetry::None;
  RowPacker<Index, Value> packer(arrays, entries);
  if (format::kindOf(arrays.format(), kListed) == LevelKind::Compressed && !listed.hasLengths())
    return packer.packSegments();
  const bool isWidth = format::kindOf(arrays.format(), kListed) == LevelKind::FixedWidth;
  return isWidth && !listed.unique && !listed.width && !isSymmetric && packer.packWidth();
}

} // namespace

bool packByRows(PackedArrays &arrays, const Coordinates &entries) {
  const format::Format &format = arrays.format();
  if (!isWholeMatrix(format) || entries.size() == 0 || !entries.imaginary.empty() || format.pointers != format.indices)
    return false;
  const int64_t most = std::max({entries.shape[0], entries.shape[1], static_cast<int64_t>(entries.size())});
  if (most > format::largest(format.indices))
    return false;
  const bool isDouble = arrays.valueType() == sema::ValueType::F64;
  if (!isDouble && arrays.valueType() != sema::ValueType::F32)
    return false;
  if (format.indices == format::IndexType::I32)
    return isDouble ? packAs<int32_t, double>(arrays, entries) : packAs<int32_t, float>(arrays, entries);
  if (format.indices == format::IndexType::I64)
    return isDouble ? packAs<int64_t, double>(arrays, entries) : packAs<int64_t, float>(arrays, entries);
  return false;
}

} // namespace spc::tensor
