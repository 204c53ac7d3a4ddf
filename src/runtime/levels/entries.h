// Reading the coordinates of every stored entry of a tensor. Freestanding.
#pragma once

#include "runtime/hot.h"
#include "runtime/levels/walk.h"

namespace spc::runtime {

/// Walks a tensor of any format from its root to its entries and reports the coordinates of each one. A note that has
/// `skip(level, position, end)`, the first position from `position` to `end` to be looked at, has all others passed
/// over, and entries are not counted then.
template <typename Note> class EntryWalk {
  static constexpr bool kSkips = requires(Note &note) { note.skip(int64_t{}, int64_t{}, int64_t{}); };

public:
  /// `note(position, at)` gets the position among the values and the coordinates by dimension, in the order of the
  /// positions. Slots outside of the tensor (padding of blocks and diagonals) are left out.
  EntryWalk(const Tensor &source, Note &note) : source_(source), note_(note) {
    for (int64_t k = 0; k < source.order; ++k) {
      const Level &level = source.levels[k];
      extents_[level.dimension] = level.extent;
      isWhole_[level.dimension] = isWhole_[level.dimension] || level.part == Part::Whole;
      hasDifferences_ = hasDifferences_ || level.part == Part::Difference;
    }
  }

  /// Ok; Count (more or fewer entries than `stored`); IndexRange.
  Status run() {
    const int64_t leaf = source_.order - 1;
    Cursor cursors[kMaxLevels + 1];
    cursors[0] = open(source_, 0, 0);
    int64_t k = 0;
    while (k >= 0) {
      Cursor &cursor = cursors[k];
      if constexpr (kSkips)
        cursor.position = note_.skip(k, cursor.position, cursor.end);
      if (k == leaf) {
        if (const Status status = readFiber(cursor); status != Status::Ok)
          return status;
      }
      if (cursor.position >= cursor.end) {
        if (--k >= 0)
          ++cursors[k].position;
        continue;
      }
      const int64_t at = coordinate(source_, k, cursor);
      if (!isInRange(source_.levels[k], at))
        return Status::IndexRange;
      path_[k] = at;
      cursors[k + 1] = open(source_, k + 1, cursor.position);
      ++k;
    }
    return kSkips || seen_ == source_.stored ? Status::Ok : Status::Count;
  }

private:
  /// Reads the innermost level's entries under one parent.
  SPC_HOT Status readFiber(Cursor &cursor) {
    const int64_t leaf = source_.order - 1;
    const Level &level = source_.levels[leaf];
    combine(leaf);
    const bool isInside = isInTensor(level.dimension);
    const int64_t base = at_[level.dimension], scale = scaleOf(level), extent = extents_[level.dimension];
    for (; cursor.position < cursor.end; ++cursor.position, ++seen_) {
      if (cursor.position < 0 || cursor.position >= source_.stored || seen_ >= source_.stored)
        return Status::Count;
      const int64_t at = coordinate(source_, leaf, cursor);
      if (!isInRange(level, at))
        return Status::IndexRange;
      if (hasDifferences_) {
        path_[leaf] = at;
        combine(source_.order);
        subtract();
        if (isInTensor(-1))
          note_(cursor.position, at_);
      } else {
        at_[level.dimension] = base + at * scale;
        if (isInside && at_[level.dimension] < extent)
          note_(cursor.position, at_);
      }
      if constexpr (kSkips)
        cursor.position = note_.skip(leaf, cursor.position + 1, cursor.end) - 1;
    }
    return Status::Ok;
  }

  static int64_t scaleOf(const Level &level) { return level.part == Part::Quotient ? level.block : 1; }

  /// Computes coordinates by dimension from the first `levels` levels of the path; differences follow in subtract().
  void combine(int64_t levels) {
    for (int64_t &at : at_)
      at = 0;
    for (int64_t k = 0; k < levels; ++k)
      if (source_.levels[k].part != Part::Difference)
        at_[source_.levels[k].dimension] += path_[k] * scaleOf(source_.levels[k]);
  }

  /// For each difference, computes the coordinate in the dimension that no level stores whole.
  void subtract() {
    for (int64_t k = 0; k < source_.order; ++k) {
      const Level &level = source_.levels[k];
      if (level.part != Part::Difference)
        continue;
      if (isWhole_[level.minus])
        at_[level.dimension] = at_[level.minus] + path_[k];
      else
        at_[level.minus] = at_[level.dimension] - path_[k];
    }
  }

  /// Whether all coordinates but that of dimension `except` lie within their extents.
  bool isInTensor(int64_t except) const {
    for (int64_t k = 0; k < source_.order; ++k) {
      const Level &level = source_.levels[k];
      if (level.dimension != except && (at_[level.dimension] < 0 || at_[level.dimension] >= level.extent))
        return false;
      if (level.part == Part::Difference && (at_[level.minus] < 0 || at_[level.minus] >= level.minusExtent))
        return false;
    }
    return true;
  }

  const Tensor &source_;
  Note &note_;
  bool hasDifferences_ = false;
  bool isWhole_[kMaxOrder] = {};    ///< by dimension: there is a level that stores all of it
  int64_t extents_[kMaxOrder] = {}; ///< by dimension
  int64_t path_[kMaxLevels] = {};   ///< by level: the coordinates of the entry that is being read
  int64_t at_[kMaxOrder] = {};      ///< by dimension
  int64_t seen_ = 0;                ///< entries, those outside of the tensor included
};

/// EntryWalk::run.
template <typename Note> Status walkEntries(const Tensor &source, Note note) {
  return EntryWalk<Note>(source, note).run();
}

} // namespace spc::runtime
