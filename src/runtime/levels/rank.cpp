// The first elements of rows, in the order of their values.
#include "runtime/levels/walk.h"
#include "runtime/memory.h"
#include "runtime/workers.h"

namespace spc::runtime {
namespace {

/// Numbers whose order is that of values: the greater one comes first.
template <typename Bits> class Keys {
public:
  explicit Keys(const Ranking &ranking)
      : infinity_(static_cast<Bits>(ranking.infinity)), flip_(ranking.isLeast != 0 ? static_cast<Bits>(~Bits{0}) : 0),
        isSigned_(ranking.isSigned != 0), isLeast_(ranking.isLeast != 0) {}

  Bits of(Bits value) const {
    if (!infinity_)
      return static_cast<Bits>((isSigned_ ? value ^ kSign : value) ^ flip_);
    if ((value & ~kSign) > infinity_)
      return static_cast<Bits>(~Bits{0}); // which is no number's, as those of infinities are less
    if (value == kSign)                   // -0
      value = 0;
    return static_cast<Bits>((value & kSign ? ~value : value | kSign) ^ flip_);
  }

private:
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const Bits infinity_, flip_;
  const bool isSigned_, isLeast_;
};

template <typename Bits> struct Ranked {
  Bits key;
  int64_t place;
  int64_t position; ///< of its value in the source

  bool isBehind(const Ranked &other) const { return key < other.key || (key == other.key && place > other.place); }
};

/// The elements of one row after the other.
template <typename Bits> class RowRanks {
public:
  RowRanks(const Ranking &ranking, const Allocator &allocator, int64_t row)
      : ranking_(ranking), keys_(ranking), missingKey_(keys_.of(static_cast<Bits>(ranking.missing))),
        notesGaps_(ranking.sparse && ranking.givesPlace != 0), block_(allocator), row_(row) {
    for (int64_t k = ranking.rows; k < ranking.order; ++k)
      places_ *= ranking.extents[k];
    most_ = ranking.wanted < places_ ? ranking.wanted : places_;
  }

  bool allocate() {
    Layout layout;
    layout.add(most_, sizeof(Ranked<Bits>));
    const int64_t gaps = layout.add(notesGaps_ ? most_ : 0, sizeof(int64_t));
    if (!block_.allocate(layout))
      return false;
    kept_ = reinterpret_cast<Ranked<Bits> *>(block_.at(0));
    gaps_ = reinterpret_cast<int64_t *>(block_.at(gaps));
    return true;
  }

  /// Goes on to a row, the elements of which come next. Those before it are complete.
  void enter(int64_t row) {
    for (; row_ < row; ++row_)
      finish();
  }

  /// Takes the elements at the positions of a list, in the order of their places, `first` and a coordinate each.
  SPC_HOT void takeListed(const Level &level, int64_t indexBytes, const Cursor &all, int64_t first) {
    const auto *values = static_cast<const Bits *>(ranking_.source);
    const auto placeOf = [&](int64_t position) {
      return first + (isListed(level) ? load(level.indices, indexBytes, position * level.stride + level.offset)
                                      : position - all.first);
    };
    for (int64_t position = all.position; position < all.end; ++position) {
      if (notesGaps_ && gapCount_ < most_)
        noteGapBefore(placeOf(position));
      const Bits key = keys_.of(values[position]);
      if (mayKeep(key))
        keep({key, placeOf(position), position});
    }
    taken_ += all.end - all.position;
  }

  /// Takes `count` elements of a dense source.
  SPC_HOT void takeDense(int64_t position, int64_t stride, int64_t count, int64_t place) {
    const auto *values = static_cast<const Bits *>(ranking_.source);
    for (int64_t k = 0; k < count; ++k, position += stride) {
      const Bits key = keys_.of(values[position]);
      if (mayKeep(key))
        keep({key, place + k, position});
    }
    taken_ += count;
  }

  int64_t places() const { return places_; }

private:
  /// Places ascend, so that of equal elements the ones that are there come first.
  bool mayKeep(Bits key) const { return count_ < most_ || (most_ > 0 && key > kept_[0].key); }

  /// A heap, whose last element in order is its first.
  void keep(const Ranked<Bits> &element) {
    if (count_ == most_)
      return sink(element, 0, count_);
    int64_t at = count_++;
    for (int64_t above = (at - 1) / 2; at > 0 && element.isBehind(kept_[above]); at = above, above = (at - 1) / 2)
      kept_[at] = kept_[above];
    kept_[at] = element;
  }

  void sink(const Ranked<Bits> &element, int64_t at, int64_t count) {
    for (int64_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
      if (below + 1 < count && kept_[below + 1].isBehind(kept_[below]))
        ++below;
      if (!kept_[below].isBehind(element))
        break;
      kept_[at] = kept_[below];
      at = below;
    }
    kept_[at] = element;
  }

  void sort() {
    for (int64_t last = count_ - 1; last > 0; --last) {
      const Ranked<Bits> element = kept_[last];
      kept_[last] = kept_[0];
      sink(element, 0, last);
    }
  }

  void noteGapBefore(int64_t place) {
    for (; nextPlace_ < place && gapCount_ < most_; ++nextPlace_)
      gaps_[gapCount_++] = nextPlace_;
    nextPlace_ = place + 1;
  }

  int64_t targetOfRow() const {
    int64_t at = 0, rest = row_;
    for (int64_t k = ranking_.rows - 1; k >= 0; --k) {
      at += rest % ranking_.extents[k] * ranking_.targetStrides[k];
      rest /= ranking_.extents[k];
    }
    return at;
  }

  /// Merges what is kept with what the source does not store, and writes it.
  void finish() {
    sort();
    const int64_t missing = places_ - taken_;
    if (notesGaps_)
      noteGapBefore(places_);
    int64_t at = targetOfRow(), fromKept = 0, fromMissing = 0;
    for (int64_t rank = 0; rank < ranking_.wanted; ++rank, at += ranking_.step) {
      const bool hasMissing = rank < most_ && fromMissing < missing;
      if (fromKept < count_ && !(hasMissing && isBehindMissing(kept_[fromKept], fromMissing))) {
        const Ranked<Bits> &next = kept_[fromKept++];
        write(at, static_cast<const Bits *>(ranking_.source)[next.position], next.place);
      } else if (hasMissing) {
        write(at, static_cast<Bits>(ranking_.missing), notesGaps_ ? gaps_[fromMissing] : 0);
        ++fromMissing;
      } else {
        write(at, static_cast<Bits>(ranking_.none), INT64_MAX);
      }
    }
    count_ = taken_ = nextPlace_ = gapCount_ = 0;
  }

  bool isBehindMissing(const Ranked<Bits> &element, int64_t missing) const {
    return element.key < missingKey_ || (element.key == missingKey_ && notesGaps_ && element.place > gaps_[missing]);
  }

  void write(int64_t at, Bits value, int64_t place) {
    if (ranking_.givesPlace)
      static_cast<int64_t *>(ranking_.target)[at] = place;
    else
      static_cast<Bits *>(ranking_.target)[at] = value;
  }

  const Ranking &ranking_;
  const Keys<Bits> keys_;
  const Bits missingKey_;
  const bool notesGaps_;
  Block block_;
  int64_t row_;
  int64_t places_ = 1; ///< of a row
  int64_t most_;       ///< elements that are kept
  Ranked<Bits> *kept_ = nullptr;
  int64_t count_ = 0;
  int64_t taken_ = 0;       ///< elements of the row
  int64_t *gaps_ = nullptr; ///< the first places that the source does not store
  int64_t gapCount_ = 0;
  int64_t nextPlace_ = 0;
};

/// Goes through the entries of a source below one of level `k`.
template <typename Bits>
void visit(const Ranking &ranking, RowRanks<Bits> &ranks, int64_t k, Cursor cursor, int64_t row, int64_t place) {
  const Tensor &source = *ranking.sparse;
  const Level &level = source.levels[k];
  if (k == ranking.rows)
    ranks.enter(row);
  if (k + 1 == source.order)
    return ranks.takeListed(level, source.indexBytes, cursor, place * level.extent);
  for (; cursor.position < cursor.end; ++cursor.position) {
    const int64_t at = coordinate(source, k, cursor);
    const bool isRow = k < ranking.rows;
    visit(ranking, ranks, k + 1, open(source, k + 1, cursor.position), isRow ? row * level.extent + at : row,
          isRow ? place : place * level.extent + at);
  }
}

/// The rows that begin with coordinates below that of a position of the root.
int64_t rowsBefore(const Ranking &ranking, const Cursor &root, int64_t position) {
  int64_t rows =
      position == root.end ? ranking.extents[0] : coordinate(*ranking.sparse, 0, {position, root.end, root.first});
  for (int64_t k = 1; k < ranking.rows; ++k)
    rows *= ranking.extents[k];
  return rows;
}

template <typename Bits>
bool rankSparse(const Ranking &ranking, const Allocator &allocator, int64_t task, int64_t tasks) {
  const Cursor root = open(*ranking.sparse, 0, 0);
  if (ranking.rows == 0) {
    RowRanks<Bits> ranks(ranking, allocator, 0);
    if (!ranks.allocate())
      return false;
    visit(ranking, ranks, 0, root, 0, 0);
    ranks.enter(1);
    return true;
  }
  const int64_t slots = root.end - root.position;
  const int64_t begin = root.position + shareBegin(slots, task, tasks);
  const int64_t end = root.position + shareBegin(slots, task + 1, tasks);
  const int64_t firstRow = task == 0 ? 0 : rowsBefore(ranking, root, begin);
  const int64_t endRow = rowsBefore(ranking, root, end);
  RowRanks<Bits> ranks(ranking, allocator, firstRow);
  if (!ranks.allocate())
    return false;
  visit(ranking, ranks, 0, {begin, end, root.first}, 0, 0);
  ranks.enter(endRow);
  return true;
}

template <typename Bits>
bool rankDense(const Ranking &ranking, const Allocator &allocator, int64_t begin, int64_t end) {
  RowRanks<Bits> ranks(ranking, allocator, begin);
  if (!ranks.allocate())
    return false;
  const int64_t last = ranking.order - 1, inner = ranking.extents[last];
  for (int64_t row = begin; row < end; ++row) {
    ranks.enter(row);
    for (int64_t place = 0; place < ranks.places(); place += inner) {
      int64_t position = 0, rest = place / inner;
      for (int64_t k = last - 1; k >= 0; --k) {
        if (k + 1 == ranking.rows)
          rest = row;
        position += rest % ranking.extents[k] * ranking.sourceStrides[k];
        rest /= ranking.extents[k];
      }
      ranks.takeDense(position, ranking.sourceStrides[last], inner, place);
    }
  }
  ranks.enter(end);
  return true;
}

template <typename Bits> bool rankAll(const Ranking &ranking, const Allocator &allocator, const Workers &workers) {
  int64_t rows = 1, elements = 1;
  for (int64_t k = 0; k < ranking.rows; ++k)
    rows *= ranking.extents[k];
  const Cursor root = ranking.sparse ? open(*ranking.sparse, 0, 0) : Cursor{0, rows, 0};
  for (int64_t k = ranking.rows; k < ranking.order && !ranking.sparse; ++k)
    elements *= ranking.extents[k];
  const int64_t work = (ranking.sparse ? ranking.sparse->stored : rows * elements) + rows * ranking.wanted;
  const int64_t shares = ranking.rows == 0 ? 1 : root.end - root.position;
  int64_t tasks = tasksFor(workers, work);
  while (tasks > 1 && tasks > shares)
    tasks /= 2;
  int32_t failed = 0;
  forAll(workers, tasks, [&](int64_t task) {
    const bool isDone = ranking.sparse ? rankSparse<Bits>(ranking, allocator, task, tasks)
                                       : rankDense<Bits>(ranking, allocator, shareBegin(rows, task, tasks),
                                                         shareBegin(rows, task + 1, tasks));
    if (!isDone)
      __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
  });
  return __atomic_load_n(&failed, __ATOMIC_RELAXED) == 0;
}

} // namespace

extern "C" int32_t spc_rt_rank(const Allocator *allocator, const Workers *workers, const Ranking *ranking) {
  bool isEmpty = ranking->wanted == 0;
  for (int64_t k = 0; k < ranking->rows; ++k)
    isEmpty |= ranking->extents[k] == 0;
  if (isEmpty)
    return static_cast<int32_t>(Status::Ok);
  bool isDone = false;
  switch (ranking->valueBytes) {
  case 1:
    isDone = rankAll<uint8_t>(*ranking, *allocator, *workers);
    break;
  case 2:
    isDone = rankAll<uint16_t>(*ranking, *allocator, *workers);
    break;
  case 4:
    isDone = rankAll<uint32_t>(*ranking, *allocator, *workers);
    break;
  default:
    isDone = rankAll<uint64_t>(*ranking, *allocator, *workers);
  }
  return static_cast<int32_t>(isDone ? Status::Ok : Status::Memory);
}

} // namespace spc::runtime
