// Adding the entries of a matrix to those of one by rows, at the places that it has. Freestanding.
#pragma once

#include "runtime/hot.h"
#include "runtime/levels/walk.h"

namespace spc::runtime {

/// Adds to a matrix of a dense and a compressed level, with coordinates and pointers of type I. Neighbours in the
/// source are looked for behind each other.
template <typename I, typename T> class RowAdder {
public:
  /// Whether the types and the levels are these: of the source, which may be transposed, those or a coordinate list.
  static bool fits(const Tensor &source, const Tensor &target) {
    return hasTypes(source) && hasTypes(target) && isRows(target) && (isRows(source) || isList(source));
  }

  RowAdder(const Tensor &source, const Tensor &target)
      : source_(source), rows_(target.levels[0].extent), width_(target.levels[1].extent),
        starts_(static_cast<const I *>(target.levels[1].pointers)),
        columns_(static_cast<const I *>(target.levels[1].indices)), values_(static_cast<T *>(target.values)),
        isTransposed_(source.levels[0].dimension != target.levels[0].dimension) {}

  /// Ok; Pattern; IndexRange.
  SPC_HOT Status run() {
    const Level &first = source_.levels[0], &second = source_.levels[1];
    const auto *outer = static_cast<const I *>(first.indices) + first.offset;
    const auto *inner = static_cast<const I *>(second.indices) + second.offset;
    const bool isOne = isList(source_);
    const int64_t step = second.stride, rows = isOne ? 1 : first.extent;
    const auto *starts = static_cast<const I *>(second.pointers);
    const auto *values = static_cast<const T *>(source_.values);
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t end = isOne ? source_.stored : starts[r + 1];
      for (int64_t e = isOne ? 0 : starts[r]; e < end; ++e) {
        const int64_t row = isOne ? outer[e * step] : r, column = inner[e * step];
        const Status status = isTransposed_ ? add(column, row, values[e]) : add(row, column, values[e]);
        if (status != Status::Ok)
          return status;
      }
    }
    return Status::Ok;
  }

private:
  static constexpr int64_t kNear = 4; ///< places that are tried one by one

  static bool isWhole(const Level &level, LevelKind kind) { return level.kind == kind && level.part == Part::Whole; }
  static bool isRows(const Tensor &tensor) {
    return tensor.order == 2 && isWhole(tensor.levels[0], LevelKind::Dense) &&
           isWhole(tensor.levels[1], LevelKind::Compressed) && tensor.levels[1].stride == 1;
  }
  static bool isList(const Tensor &tensor) {
    return tensor.order == 2 && isWhole(tensor.levels[0], LevelKind::Compressed) &&
           isWhole(tensor.levels[1], LevelKind::Singleton);
  }
  static bool hasTypes(const Tensor &tensor) {
    return tensor.indexBytes == sizeof(I) && (isList(tensor) || tensor.pointerBytes == sizeof(I)) &&
           tensor.valueKind == ValueKind::Float && tensor.valueBytes == sizeof(T);
  }

  Status add(int64_t row, int64_t column, T value) {
    if (row != row_) {
      if (row < 0 || row >= rows_)
        return Status::IndexRange;
      row_ = row;
      begin_ = next_ = starts_[row];
      end_ = starts_[row + 1];
    }
    for (int64_t near = next_ + kNear; next_ < end_ && next_ < near && columns_[next_] < column;)
      ++next_;
    if (next_ >= end_ || columns_[next_] != column) {
      next_ = search(column);
      if (next_ == end_)
        return column < 0 || column >= width_ ? Status::IndexRange : Status::Pattern;
    }
    values_[next_++] += value;
    return Status::Ok;
  }

  /// The column's position in the row, which need not be sorted; the row's end where it has none.
  int64_t search(int64_t column) const {
    int64_t low = begin_;
    for (int64_t high = end_; low < high;) {
      const int64_t middle = low + (high - low) / 2;
      if (columns_[middle] < column)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < end_ && columns_[low] == column)
      return low;
    int64_t position = begin_;
    while (position < end_ && columns_[position] != column)
      ++position;
    return position;
  }

  const Tensor &source_;
  const int64_t rows_, width_;
  const I *const starts_, *const columns_;
  T *const values_;
  const bool isTransposed_;
  int64_t row_ = -1, begin_ = 0, next_ = 0, end_ = 0; ///< of the row that the last entry was in, and behind its place
};

} // namespace spc::runtime
