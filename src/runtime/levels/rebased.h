// Slices of rows, as tensors of their own. Freestanding.
#pragma once

#include "runtime/levels/walk.h"
#include "runtime/memory.h"

namespace spc::runtime {

/// A tensor whose rows are a slice of another one's: its pointers start where those of the rows before it end, and its
/// positions are those in the other one's arrays. Here positions start at 0: the tensor has pointers of its own, which
/// live as long as this object. Any other tensor stays as it is, and so do those with pointers below the rows.
class Rebased {
public:
  Rebased(const Allocator &allocator, const Tensor &source) : block_(allocator), tensor_(source) {
    const int64_t row = rowLevel(source);
    if (row < 0)
      return;
    const int64_t parents = parentsOf(source, row), bytes = source.pointerBytes;
    const int64_t base = parents >= 0 ? load(source.levels[row].pointers, bytes, 0) : 0;
    if (base > 0 && base <= source.levels[row].count)
      rebase(row, parents, base);
  }

  /// Ok or Memory.
  Status status() const { return status_; }
  const Tensor &tensor() const { return tensor_; }

private:
  /// The one level with pointers, below dense ones alone; -1 where there is none.
  static int64_t rowLevel(const Tensor &source) {
    int64_t row = -1;
    for (int64_t k = 0; k < source.order; ++k) {
      const Level &level = source.levels[k];
      const bool hasPointers = level.kind == LevelKind::Compressed || level.kind == LevelKind::RaggedDense;
      if (hasPointers && (k == 0 || row >= 0 || !level.pointers))
        return -1;
      if (hasPointers)
        row = k;
      else if (row < 0 ? level.kind != LevelKind::Dense
                       : level.kind != LevelKind::Dense && level.kind != LevelKind::Singleton)
        return -1;
    }
    return row;
  }

  static int64_t parentsOf(const Tensor &source, int64_t row) {
    int64_t parents = 1;
    for (int64_t k = 0; k < row; ++k)
      if (__builtin_mul_overflow(parents, denseCount(source.levels[k]), &parents))
        return -1;
    return parents;
  }

  void rebase(int64_t row, int64_t parents, int64_t base) {
    const int64_t bytes = tensor_.pointerBytes;
    Layout layout;
    layout.add(parents + 1, bytes);
    if (!block_.allocate(layout)) {
      status_ = Status::Memory;
      return;
    }
    for (int64_t p = 0; p <= parents; ++p)
      store(block_.at(0), bytes, p, load(tensor_.levels[row].pointers, bytes, p) - base);
    int64_t below = 1;
    for (int64_t k = 0; k < tensor_.order; ++k) {
      levels_[k] = tensor_.levels[k];
      if (k > row && levels_[k].kind == LevelKind::Dense)
        below *= denseCount(levels_[k]);
      if (k >= row && isListed(levels_[k]))
        levels_[k].indices = static_cast<char *>(levels_[k].indices) + base * levels_[k].stride * tensor_.indexBytes;
    }
    levels_[row].pointers = block_.at(0);
    levels_[row].count -= base;
    tensor_.levels = levels_;
    tensor_.stored -= base * below;
    if (tensor_.values)
      tensor_.values = static_cast<char *>(tensor_.values) + base * below * tensor_.valueBytes;
  }

  Block block_;
  Tensor tensor_;
  Level levels_[kMaxLevels];
  Status status_ = Status::Ok;
};

} // namespace spc::runtime
