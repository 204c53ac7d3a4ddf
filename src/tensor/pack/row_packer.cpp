#include "tensor/pack/row_packer.h"

#include "format/levels.h"
#include "support/memory.h"
#include "tensor/pack/pieces.h"
#include "tensor/pack/row_sorter.h"
#include "tensor/pack/symmetry.h"

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

constexpr size_t kWorthReleasing = size_t{1} << 20; ///< entries, whose pages take longer to give back than to keep

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
        rows_(entries.shape[major_]), columns_(entries.shape[1 - major_]), size_(entries.size()),
        pieces_(static_cast<size_t>(rows_) > size_ ? 1 : pieces), // or counts by row take more than the entries do
        isLower_(format::storesLower(arrays.format().symmetry) == (major_ == 0)) {}

  /// Lets coordinates be overwritten where nothing is left for others to do: requires that 32 bits hold them.
  void useUp() { isShortened_ = true; }

  /// Segments that pointers end; of a symmetric matrix the stored triangle.
  bool packSegments() {
    const bool isSymmetric = arrays_.format().symmetry != format::Symmetry::None;
    if (isSymmetric && !std::is_same_v<Value, double>)
      return false;
    Rows<Index, Value> rows;
    rows.pointers = static_cast<Index *>(arrays_.allocate(FieldRole::Pointers, kListed, rows_ + 1));
    const auto allocate = [&](int64_t count) {
      rows.indices = static_cast<Index *>(arrays_.allocateUnset(FieldRole::Indices, kListed, count));
      rows.values = static_cast<Value *>(arrays_.allocateUnset(FieldRole::Values, 0, count));
    };
    const Pairs pairs = isSymmetric ? pairsOf(entries_, pieces_) : Pairs::None;
    usesUp_ = isShortened_ && (!isSymmetric || pairs == Pairs::Small);
    if (!(isSymmetric ? fill<Share::Kept>(rows, allocate) : fill<Share::All>(rows, allocate)))
      return false;
    // Pairs of one entry each need no second look; their sums may be NaN.
    if (isSymmetric && pairs != Pairs::Small && (repeats_ || pairs == Pairs::None) && !isMirrored(rows))
      return false;
    finish(rows.pointers[rows_]);
    arrays_.setNumber(FieldRole::Count, kListed, rows.pointers[rows_]);
    return true;
  }

  /// As many slots in each row as the fullest one has entries.
  bool packWidth() {
    if (!countRows<Share::All>())
      return false;
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
    putEntries<Share::All>(rows, [=](int64_t row) { return row * width; });
    const Index *used = counts(pieces_ - 1); // the last piece's entries end where the row's do
    inPieces(static_cast<size_t>(rows_), pieces_, [&](int, size_t first, size_t last) {
      RowSorter<Index, Value> sorter(rows.indices, rows.values, columns_);
      for (auto row = static_cast<int64_t>(first); row < static_cast<int64_t>(last); ++row)
        sorter.add(row * width, row * width + used[row]);
      if (sorter.finish())
        repeats_ = true;
      for (auto row = static_cast<int64_t>(first); row < static_cast<int64_t>(last); ++row) {
        const int64_t begin = row * width, end = begin + used[row];
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
      else if (isKept(row, column) == (share == Share::Kept))
        share == Share::Kept ? use(row, column, e) : use(column, row, e);
    }
  }

  bool isInside(int64_t row, int64_t column) const {
    return static_cast<uint64_t>(row) < static_cast<uint64_t>(rows_) &&
           static_cast<uint64_t>(column) < static_cast<uint64_t>(columns_);
  }

  bool isKept(int64_t row, int64_t column) const { return isLower_ ? column <= row : column >= row; }

  /// Counts the entries of each row that each piece of them has. False, with coordinates as they were, where one of
  /// them lies outside the shape.
  template <Share share> bool countRows() {
    counts_.assign(static_cast<size_t>(pieces_ * rows_), 0);
    shortened_.assign(static_cast<size_t>(pieces_), 0);
    std::atomic<bool> leaves = false;
    inPieces(size_, pieces_, [&](int piece, size_t begin, size_t end) {
      Index *own = counts(piece);
      if (usesUp_) {
        if (!countAndShorten<share>(piece, begin, end))
          leaves = true;
        return;
      }
      bool isFine = true;
      each<share>(begin, end, [&](int64_t row, int64_t column, size_t) {
        if (isInside(row, column))
          ++own[row];
        else
          isFine = false;
      });
      if (!isFine)
        leaves = true;
    });
    isShort_ = usesUp_;
    if (leaves && usesUp_)
      lengthen();
    return !leaves;
  }

  /// Counts a piece's entries of a share, puts them at the beginning of where they stand, with short coordinates, and
  /// frees the rest of large lists, which would be larger than what is made of them. False at one outside the shape.
  template <Share share> bool countAndShorten(int piece, size_t begin, size_t end) {
    Index *own = counts(piece);
    const int64_t *from = entries_.coordinates.data() + 2 * begin;
    auto *bytes = reinterpret_cast<char *>(entries_.coordinates.data() + 2 * begin);
    double *values = entries_.values.data();
    size_t count = 0;
    int64_t last = 0;
    Index run = 0; ///< entries of that row, which follow each other
    bool isFine = true;
    for (size_t e = begin; isFine && e < end; ++e, from += 2) {
      const int64_t row = from[major_], column = from[1 - major_];
      if (share == Share::Kept && !isKept(row, column))
        continue;
      isFine = isInside(row, column);
      if (!isFine)
        break;
      const ShortPlace at{static_cast<int32_t>(row), static_cast<int32_t>(column)};
      if (row != last) {
        own[last] += run;
        last = row;
        run = 0;
      }
      ++run;
      if constexpr (share == Share::Kept)
        values[begin + count] = values[e];
      std::memcpy(bytes + count++ * sizeof(at), &at, sizeof(at));
    }
    own[last] += run;
    shortened_[static_cast<size_t>(piece)] = count;
    if (!isFine || size_ < kWorthReleasing)
      return isFine;
    releasePages(bytes + count * sizeof(ShortPlace), 2 * (end - begin) * sizeof(int64_t) - count * sizeof(ShortPlace));
    releasePages(values + begin + count, (end - begin - count) * sizeof(double));
    return true;
  }

  /// Takes countAndShorten<Share::All>() back.
  void lengthen() {
    isShort_ = false;
    for (int piece = 0; piece < pieces_; ++piece) {
      int64_t *to = entries_.coordinates.data() + 2 * pieceBegin(size_, piece, pieces_);
      const auto *bytes = reinterpret_cast<const char *>(to);
      for (size_t e = shortened_[static_cast<size_t>(piece)]; e-- > 0;) {
        ShortPlace at;
        std::memcpy(&at, bytes + e * sizeof(at), sizeof(at));
        to[2 * e + major_] = at.row;
        to[2 * e + 1 - major_] = at.column;
      }
    }
  }

  /// Puts each entry where its piece's counts say, which go on from the row's `beginOf(row)`, pieces at the same time.
  /// What is known of a row is not in memory while its entries follow each other: adding there takes longer than all
  /// else.
  template <Share share, typename BeginOf> void putEntries(Rows<Index, Value> &rows, const BeginOf &beginOf) {
    inPieces(size_, pieces_, [&](int piece, size_t begin, size_t end) {
      Index *next = counts(piece), *indices = rows.indices;
      Value *values = rows.values;
      const double *from = entries_.values.data();
      if (isShort_)
        end = begin + shortened_[static_cast<size_t>(piece)];
      int64_t last = 0, slot = beginOf(last) + next[last];
      each<share>(begin, end, [&](int64_t row, int64_t column, size_t e) {
        if (row != last) {
          next[last] = static_cast<Index>(slot - beginOf(last));
          slot = beginOf(row) + next[row];
          last = row;
        }
        indices[slot] = static_cast<Index>(column);
        values[slot++] = static_cast<Value>(from[e]);
      });
      next[last] = static_cast<Index>(slot - beginOf(last));
    });
  }

  /// Rows of a share's entries, for which `allocate(count)` makes room. False where there are repeats that have to be
  /// summed before they are rounded.
  template <Share share, typename Allocate> bool fill(Rows<Index, Value> &rows, const Allocate &allocate) {
    if (!countRows<share>())
      return false;
    Index total = 0;
    for (int64_t row = 0; row < rows_; ++row) {
      for (int piece = 0; piece < pieces_; ++piece)
        total += std::exchange(counts(piece)[row], total);
      rows.pointers[row + 1] = total;
    }
    allocate(total);
    putEntries<share>(rows, [](int64_t) { return int64_t{0}; });
    counts_.clear();
    inPieces(static_cast<size_t>(rows_), pieces_, [&](int, size_t first, size_t last) {
      RowSorter<Index, Value> sorter(rows.indices, rows.values, columns_);
      for (size_t row = first; row < last; ++row)
        sorter.add(rows.pointers[row], rows.pointers[row + 1]);
      if (sorter.finish())
        repeats_ = true;
    });
    if (!repeats_)
      return true;
    if (!std::is_same_v<Value, double>)
      return false;
    sumRepeats(rows);
    return true;
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
  int64_t rows_, columns_;
  size_t size_;
  int pieces_;
  bool isShortened_ = false; ///< coordinates may be
  bool usesUp_ = false;
  bool isShort_ = false;              ///< the coordinates are ShortPlaces now, from the beginning of each piece on
  std::vector<size_t> shortened_;     ///< by piece: how many of them
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
    if (std::is_same_v<Value, double> && std::max(entries.shape[0], entries.shape[1]) <= INT32_MAX)
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
  if (entries.shape[0] < 1 || entries.shape[1] < 1)
    return false; // all entries lie outside
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
