#include "tensor/row_packer.h"

#include "format/levels.h"
#include "support/memory.h"
#include "tensor/pieces.h"
#include "tensor/sorting.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace spc::tensor {

namespace {

using abi::FieldRole;
using format::LevelKind;

constexpr int kListed = 1; ///< the level below the dense one

/// Which entries of a matrix are put into rows, and where.
enum class Share {
  All,
  Kept,    ///< the triangle that a symmetric format stores
  Mirrored ///< the other one without the diagonal, each entry where its mirror image is
};

/// Rows of sorted entries without repeats, one after the other.
template <typename Index, typename Value> struct Rows {
  Index *pointers = nullptr; ///< one more than there are rows
  Index *indices = nullptr;
  Value *values = nullptr;
};

template <typename Index, typename Value> class RowPacker {
public:
  RowPacker(PackedArrays &arrays, Coordinates &entries, int pieces)
      : arrays_(arrays), entries_(entries), major_(static_cast<size_t>(arrays.format().levels[0].dim)),
        rows_(entries.shape[major_]), size_(entries.size()),
        pieces_(static_cast<size_t>(rows_) > size_ ? 1 : pieces), // or counts by row take more than the entries do
        isLower_((arrays.format().symmetry == format::Symmetry::Lower) == (major_ == 0)) {}

  /// Lets coordinates be overwritten: requires that nothing is left for others to do, and that 32 bits hold them.
  void useUp() { usesUp_ = true; }

  /// Segments that pointers end; of a symmetric matrix the stored triangle.
  bool packSegments() {
    const bool isSymmetric = arrays_.format().symmetry != format::Symmetry::None;
    if (isSymmetric && !std::is_same_v<Value, double>)
      return false;
    Rows<Index, Value> rows;
    rows.pointers = static_cast<Index *>(arrays_.allocate(FieldRole::Pointers, kListed, rows_ + 1));
    const auto allocate = [&](int64_t count) {
      rows.indices = static_cast<Index *>(arrays_.allocate(FieldRole::Indices, kListed, count));
      rows.values = static_cast<Value *>(arrays_.allocate(FieldRole::Values, 0, count));
    };
    if (!(isSymmetric ? fill<Share::Kept>(rows, allocate) : fill<Share::All>(rows, allocate)))
      return false;
    // Pairs of one entry each need no second look; their sums may be NaN.
    if (isSymmetric && (repeats_ || !isPaired()) && !isMirrored(rows))
      return false;
    finish(rows.pointers[rows_]);
    arrays_.setNumber(FieldRole::Count, kListed, rows.pointers[rows_]);
    return true;
  }

  /// As many slots in each row as the fullest one has entries.
  bool packWidth() {
    countRows<Share::All>();
    int64_t width = 0;
    for (int64_t row = 0; row < rows_; ++row) {
      int64_t count = 0;
      for (int piece = 0; piece < pieces_; ++piece)
        count += std::exchange(counts(piece)[row], static_cast<Index>(count));
      width = std::max(width, count);
    }
    int64_t slots = 0;
    if (__builtin_mul_overflow(width, rows_, &slots))
      return false;
    Rows<Index, Value> rows;
    rows.indices = static_cast<Index *>(arrays_.allocate(FieldRole::Indices, kListed, slots));
    rows.values = static_cast<Value *>(arrays_.allocate(FieldRole::Values, 0, slots));
    putEntries<Share::All>(rows, [&](Index *next, int64_t row) { return row * width + next[row]++; });
    const Index *used = counts(pieces_ - 1); // the last piece's entries end where the row's do
    inPieces(static_cast<size_t>(rows_), pieces_, [&](int, size_t first, size_t last) {
      std::vector<SortedEntries::Entry> room;
      for (auto row = static_cast<int64_t>(first); row < static_cast<int64_t>(last); ++row) {
        const int64_t begin = row * width, end = begin + used[row];
        if (sortRow(rows, begin, end, room))
          repeats_ = true;
        std::fill(rows.indices + end, rows.indices + begin + width, end > begin ? rows.indices[end - 1] : 0);
      }
    });
    if (repeats_) // the width may be that of a row with some
      return false;
    arrays_.setNumber(FieldRole::Width, kListed, width);
    finish(slots);
    return true;
  }

private:
  /// Where an entry is, in half of the room.
  struct ShortPlace {
    int32_t row, column;
  };

  Index *counts(int piece) { return counts_.data() + static_cast<int64_t>(piece) * rows_; }

  /// Calls `use(row, column, entry)` for the entries of a share that stand in [begin, end).
  template <Share share, typename Use> void each(size_t begin, size_t end, const Use &use) const {
    if (isShort_) {
      const auto *bytes = reinterpret_cast<const char *>(entries_.coordinates.data() + 2 * begin);
      for (size_t e = begin; e < end; ++e) {
        ShortPlace at;
        std::memcpy(&at, bytes + (e - begin) * sizeof(at), sizeof(at));
        use(at.row, at.column, e);
      }
      return;
    }
    const int64_t *majors = entries_.coordinates.data() + major_, *minors = entries_.coordinates.data() + (1 - major_);
    for (size_t e = begin; e < end; ++e) {
      const int64_t row = majors[2 * e], column = minors[2 * e];
      if constexpr (share == Share::All)
        use(row, column, e);
      else if (const bool isKept = isLower_ ? column <= row : column >= row; isKept == (share == Share::Kept))
        isKept ? use(row, column, e) : use(column, row, e);
    }
  }

  /// Counts the entries of each row that each piece of them has.
  template <Share share> void countRows() {
    counts_.assign(static_cast<size_t>(pieces_ * rows_), 0);
    inPieces(size_, pieces_, [&](int piece, size_t begin, size_t end) {
      Index *own = counts(piece);
      if (usesUp_)
        countAndShorten(own, begin, end);
      else
        each<share>(begin, end, [=](int64_t row, int64_t, size_t) { ++own[row]; });
    });
    isShort_ = usesUp_;
  }

  /// Counts a piece's entries, puts short coordinates at the beginning of where they stand, and frees the other half:
  /// the list would be larger than what is made of it.
  void countAndShorten(Index *counts, size_t begin, size_t end) {
    int64_t *from = entries_.coordinates.data() + 2 * begin;
    auto *bytes = reinterpret_cast<char *>(from);
    for (size_t e = begin; e < end; ++e, from += 2) {
      const ShortPlace at{static_cast<int32_t>(from[major_]), static_cast<int32_t>(from[1 - major_])};
      ++counts[at.row];
      std::memcpy(bytes, &at, sizeof(at));
      bytes += sizeof(at);
    }
    releasePages(bytes, static_cast<size_t>(reinterpret_cast<char *>(from) - bytes));
  }

  /// Puts each entry where `slotOf(counts of its piece, row)` says, pieces at the same time.
  template <Share share, typename SlotOf> void putEntries(Rows<Index, Value> &rows, const SlotOf &slotOf) {
    inPieces(size_, pieces_, [&](int piece, size_t begin, size_t end) {
      Index *next = counts(piece), *indices = rows.indices;
      Value *values = rows.values;
      const double *from = entries_.values.data();
      each<share>(begin, end, [&](int64_t row, int64_t column, size_t e) {
        const auto slot = slotOf(next, row);
        indices[slot] = static_cast<Index>(column);
        values[slot] = static_cast<Value>(from[e]);
      });
    });
  }

  /// Rows of a share's entries, for which `allocate(count)` makes room. False where there are repeats that have to be
  /// summed before they are rounded.
  template <Share share, typename Allocate> bool fill(Rows<Index, Value> &rows, const Allocate &allocate) {
    countRows<share>();
    Index total = 0;
    for (int64_t row = 0; row < rows_; ++row) {
      for (int piece = 0; piece < pieces_; ++piece)
        total += std::exchange(counts(piece)[row], total);
      rows.pointers[row + 1] = total;
    }
    allocate(total);
    putEntries<share>(rows, [](Index *next, int64_t row) { return next[row]++; });
    counts_.clear();
    inPieces(static_cast<size_t>(rows_), pieces_, [&](int, size_t first, size_t last) {
      std::vector<SortedEntries::Entry> room;
      for (size_t row = first; row < last; ++row)
        if (sortRow(rows, rows.pointers[row], rows.pointers[row + 1], room))
          repeats_ = true;
    });
    if (!repeats_)
      return true;
    if (!std::is_same_v<Value, double>)
      return false;
    sumRepeats(rows);
    return true;
  }

  /// Sorts a row, of which entries of one column stay in order, and says whether there are such.
  static bool sortRow(Rows<Index, Value> &rows, int64_t begin, int64_t end, std::vector<SortedEntries::Entry> &room) {
    bool ascends = true;
    for (int64_t e = begin + 1; e < end; ++e)
      ascends &= rows.indices[e - 1] < rows.indices[e];
    if (ascends)
      return false;
    room.clear();
    for (int64_t e = begin; e < end; ++e)
      room.push_back({static_cast<uint64_t>(rows.indices[e]), static_cast<double>(rows.values[e])});
    sortStably(room, std::numeric_limits<Index>::digits);
    bool repeats = false;
    for (size_t e = 0; e < room.size(); ++e) {
      repeats |= e > 0 && room[e].key == room[e - 1].key;
      rows.indices[begin + static_cast<int64_t>(e)] = static_cast<Index>(room[e].key);
      rows.values[begin + static_cast<int64_t>(e)] = static_cast<Value>(room[e].value);
    }
    return repeats;
  }

  void sumRepeats(Rows<Index, Value> &rows) const {
    int64_t begin = 0, to = 0;
    for (int64_t row = 0; row < rows_; ++row) {
      const int64_t end = rows.pointers[row + 1], first = to;
      for (int64_t e = begin; e < end; ++e) {
        if (to > first && rows.indices[to - 1] == rows.indices[e]) {
          rows.values[to - 1] += rows.values[e];
        } else {
          rows.indices[to] = rows.indices[e];
          rows.values[to++] = rows.values[e];
        }
      }
      begin = end;
      rows.pointers[row + 1] = static_cast<Index>(to);
    }
  }

  /// Whether each entry off the diagonal has its mirror image right before or after it, as readers of symmetric files
  /// give them. No value is a NaN then.
  bool isPaired() const {
    const int64_t *at = entries_.coordinates.data();
    const double *values = entries_.values.data();
    const auto mirrorsNext = [=](size_t e) {
      return at[2 * e] == at[2 * e + 3] && at[2 * e + 1] == at[2 * e + 2] && values[e] == values[e + 1];
    };
    std::vector<size_t> begins(static_cast<size_t>(pieces_)), ends(begins.size());
    std::atomic<bool> isPaired = true;
    inPieces(size_, pieces_, [&](int piece, size_t begin, size_t end) {
      size_t e = begin + (begin > 0 && begin < end && at[2 * begin] != at[2 * begin + 1] && mirrorsNext(begin - 1));
      begins[static_cast<size_t>(piece)] = e;
      while (e < end) {
        const bool isDiagonal = at[2 * e] == at[2 * e + 1];
        if (isDiagonal ? !(values[e] == values[e]) : e + 1 == size_ || !mirrorsNext(e)) {
          isPaired = false;
          break;
        }
        e += isDiagonal ? 1 : 2;
      }
      ends[static_cast<size_t>(piece)] = e;
    });
    bool isCovered = ends.back() == size_;
    for (size_t piece = 1; piece < begins.size(); ++piece)
      isCovered &= begins[piece] == ends[piece - 1];
    return isPaired && isCovered;
  }

  /// Whether the other triangle's entries are the mirror images of those in `kept`. A NaN is none, even of itself.
  bool isMirrored(const Rows<Index, Value> &kept) {
    std::vector<Index> pointers(static_cast<size_t>(rows_) + 1);
    std::vector<Index, LargePages<Index>> indices;
    std::vector<Value, LargePages<Value>> values;
    Rows<Index, Value> other{pointers.data()};
    fill<Share::Mirrored>(other, [&](int64_t count) {
      indices.resize(static_cast<size_t>(count));
      values.resize(static_cast<size_t>(count));
      other.indices = indices.data();
      other.values = values.data();
    });
    std::atomic<bool> differs = false;
    inPieces(static_cast<size_t>(rows_), pieces_, [&](int, size_t first, size_t last) {
      for (size_t row = first; row < last; ++row) {
        int64_t begin = kept.pointers[row], end = kept.pointers[row + 1];
        const int64_t diagonal = isLower_ ? end - 1 : begin;
        if (begin < end && kept.indices[diagonal] == static_cast<Index>(row)) {
          if (!(kept.values[diagonal] == kept.values[diagonal]))
            differs = true;
          begin += !isLower_;
          end -= isLower_;
        }
        const int64_t from = other.pointers[row];
        if (end - begin != other.pointers[row + 1] - from ||
            !std::equal(kept.indices + begin, kept.indices + end, other.indices + from) ||
            !std::equal(kept.values + begin, kept.values + end, other.values + from))
          differs = true;
      }
    });
    return !differs;
  }

  void finish(int64_t stored) {
    arrays_.shorten(FieldRole::Indices, kListed, stored);
    arrays_.shorten(FieldRole::Values, 0, stored);
    arrays_.valueCount = stored;
    arrays_.setNumber(FieldRole::Stored, 0, stored);
  }

  PackedArrays &arrays_;
  Coordinates &entries_;
  size_t major_;
  int64_t rows_;
  size_t size_;
  int pieces_;
  bool usesUp_ = false;
  bool isShort_ = false;              ///< the coordinates are ShortPlaces now, from the beginning of each piece on
  std::atomic<bool> repeats_ = false; ///< some row lists a column twice
  bool isLower_;                      ///< the stored triangle lies at and before the diagonal of each row
  std::vector<Index, LargePages<Index>> counts_;
};

bool isWholeMatrix(const format::Format &format) {
  return format.order() == 2 && format.levelCount() == 2 && !format.interleaved &&
         format::kindOf(format, 0) == LevelKind::Dense && format.levels[0].part == format::Part::Whole &&
         format.levels[kListed].part == format::Part::Whole && format.levels[0].dim != format.levels[kListed].dim;
}

template <typename Index, typename Value> bool packAs(PackedArrays &arrays, Coordinates &entries, int pieces) {
  const format::Level &listed = arrays.format().levels[kListed];
  const bool isSymmetric = arrays.format().symmetry != format::Symmetry::None;
  RowPacker<Index, Value> packer(arrays, entries, pieces);
  if (format::kindOf(arrays.format(), kListed) == LevelKind::Compressed && !listed.hasLengths()) {
    if (!isSymmetric && std::is_same_v<Value, double> && std::max(entries.shape[0], entries.shape[1]) <= INT32_MAX)
      packer.useUp();
    return packer.packSegments();
  }
  const bool isWidth = format::kindOf(arrays.format(), kListed) == LevelKind::FixedWidth;
  return isWidth && !listed.unique && !listed.width && !isSymmetric && packer.packWidth();
}

} // namespace

bool packByRows(PackedArrays &arrays, Coordinates &entries, int pieces) {
  const format::Format &format = arrays.format();
  if (!isWholeMatrix(format) || entries.size() == 0 || !entries.imaginary.empty() || format.pointers != format.indices)
    return false;
  if (format.symmetry != format::Symmetry::None && entries.shape[0] != entries.shape[1])
    return false; // which is refused
  const int64_t most = std::max({entries.shape[0], entries.shape[1], static_cast<int64_t>(entries.size())});
  if (most > format::largest(format.indices))
    return false;
  const bool isDouble = arrays.valueType() == sema::ValueType::F64;
  if (!isDouble && arrays.valueType() != sema::ValueType::F32)
    return false;
  if (format.indices == format::IndexType::I32)
    return isDouble ? packAs<int32_t, double>(arrays, entries, pieces)
                    : packAs<int32_t, float>(arrays, entries, pieces);
  if (format.indices == format::IndexType::I64)
    return isDouble ? packAs<int64_t, double>(arrays, entries, pieces)
                    : packAs<int64_t, float>(arrays, entries, pieces);
  return false;
}

} // namespace spc::tensor
