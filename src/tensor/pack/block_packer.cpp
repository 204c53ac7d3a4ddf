#include "tensor/pack/block_packer.h"

#include "format/levels.h"
#include "tensor/pack/pieces.h"
#include "tensor/pack/row_packer.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace spc::tensor {

namespace {

using abi::FieldRole;
using format::LevelKind;
using format::Part;

constexpr int kBlocks = 1; ///< the level that lists blocks

/// Block columns and columns within blocks, by a division or, where the width is a power of two, by its bits.
struct Divided {
  explicit Divided(int64_t width) : width(static_cast<uint32_t>(width)) {}
  uint32_t quotient(int32_t column) const { return static_cast<uint32_t>(column) / width; }
  uint32_t remainder(int32_t column) const { return static_cast<uint32_t>(column) % width; }
  uint32_t width;
};

struct Shifted {
  explicit Shifted(int64_t width) : shift(std::countr_zero(static_cast<uint64_t>(width))) {}
  uint32_t quotient(int32_t column) const { return static_cast<uint32_t>(column) >> shift; }
  uint32_t remainder(int32_t column) const { return static_cast<uint32_t>(column) & ((uint32_t{1} << shift) - 1); }
  int shift;
};

/// Rows of single entries, made into rows of blocks.
template <typename Split> class BlockPacker {
public:
  BlockPacker(PackedArrays &arrays, const PackedArrays &rows, int pieces)
      : arrays_(arrays), pointers_(static_cast<const int32_t *>(rows.array(FieldRole::Pointers, kBlocks))),
        columns_(static_cast<const int32_t *>(rows.array(FieldRole::Indices, kBlocks))),
        values_(static_cast<const double *>(rows.array(FieldRole::Values))), pieces_(pieces),
        split_(arrays.format().levels[kBlocks].block) {
    const auto &levels = arrays.format().levels;
    const int major = levels[0].dim, minor = levels[kBlocks].dim;
    rows_ = arrays.number(FieldRole::Size, major);
    height_ = levels[0].block;
    width_ = levels[kBlocks].block;
    rowStride_ = levels[2].dim == major ? width_ : 1;
    columnStride_ = levels[2].dim == major ? 1 : height_;
    blockRows_ = (rows_ + height_ - 1) / height_;
    blockColumns_ = (arrays.number(FieldRole::Size, minor) + width_ - 1) / width_;
  }

  void pack() {
    auto *begins = static_cast<int32_t *>(arrays_.allocate(FieldRole::Pointers, kBlocks, blockRows_ + 1));
    inPieces(static_cast<size_t>(blockRows_), pieces_, [&](int, size_t first, size_t last) {
      std::vector<int64_t> seen(static_cast<size_t>(blockColumns_), -1);
      for (auto row = static_cast<int64_t>(first); row < static_cast<int64_t>(last); ++row)
        begins[row + 1] = countBlocks(row, seen);
    });
    for (int64_t row = 0; row < blockRows_; ++row)
      begins[row + 1] += begins[row]; // no more blocks than entries, whose number fits
    const int64_t blocks = begins[blockRows_], stored = blocks * height_ * width_;
    auto *indices = static_cast<int32_t *>(arrays_.allocateUnset(FieldRole::Indices, kBlocks, blocks));
    auto *values = static_cast<double *>(arrays_.allocate(FieldRole::Values, 0, stored));
    inPieces(static_cast<size_t>(blockRows_), pieces_, [&](int, size_t first, size_t last) {
      std::vector<int32_t> places(static_cast<size_t>(blockColumns_));
      for (auto row = static_cast<int64_t>(first); row < static_cast<int64_t>(last); ++row)
        fillRow(row, begins[row], begins[row + 1], indices, values, places);
    });
    arrays_.setNumber(FieldRole::Count, kBlocks, blocks);
    arrays_.setNumber(FieldRole::Stored, 0, stored);
    arrays_.valueCount = stored;
  }

private:
  int32_t entriesBegin(int64_t blockRow) const { return pointers_[std::min(blockRow * height_, rows_)]; }

  /// `seen` has, by block column, the last block row that had it.
  int32_t countBlocks(int64_t row, std::vector<int64_t> &seen) const {
    int32_t count = 0;
    for (int32_t e = entriesBegin(row); e < entriesBegin(row + 1); ++e) {
      int64_t &last = seen[split_.quotient(columns_[e])];
      count += last != row;
      last = row;
    }
    return count;
  }

  /// `places` is room for where the block of each block column is.
  void fillRow(int64_t row, int32_t begin, int32_t end, int32_t *indices, double *values,
               std::vector<int32_t> &places) const {
    if (begin == end)
      return;
    const int64_t firstLine = row * height_, lines = std::min(height_, rows_ - firstLine);
    int32_t to = begin;
    for (int64_t line = firstLine; line < firstLine + lines; ++line)
      for (int32_t e = pointers_[line], last = -1; e < pointers_[line + 1]; ++e)
        if (const auto column = static_cast<int32_t>(split_.quotient(columns_[e])); column != last) {
          last = column;
          const int32_t place = places[static_cast<size_t>(column)];
          if (place < begin || place >= to || indices[place] != column) {
            places[static_cast<size_t>(column)] = to;
            indices[to++] = column;
          }
        }
    std::sort(indices + begin, indices + end);
    for (int32_t place = begin; place < end; ++place)
      places[static_cast<size_t>(indices[place])] = place;
    const int64_t size = height_ * width_;
    for (int64_t line = 0; line < lines; ++line) {
      double *put = values + line * rowStride_;
      for (int32_t e = pointers_[firstLine + line]; e < pointers_[firstLine + line + 1]; ++e)
        put[places[split_.quotient(columns_[e])] * size + split_.remainder(columns_[e]) * columnStride_] = values_[e];
    }
  }

  PackedArrays &arrays_;
  const int32_t *pointers_, *columns_;
  const double *values_;
  int pieces_;
  Split split_;
  int64_t rows_, height_, width_, rowStride_, columnStride_, blockRows_, blockColumns_;
};

/// Blocks of one size, the rows and columns of which are dense in either order.
bool isBlocked(const format::Format &format) {
  if (format.order() != 2 || format.levelCount() != 4 || format.interleaved ||
      format.symmetry != format::Symmetry::None || format.pointers != format::IndexType::I32 ||
      format.indices != format::IndexType::I32)
    return false;
  const format::Level &rows = format.levels[0], &blocks = format.levels[kBlocks];
  const format::Level &outer = format.levels[2], &inner = format.levels[3];
  return format::kindOf(format, 0) == LevelKind::Dense && format::kindOf(format, kBlocks) == LevelKind::Compressed &&
         format::kindOf(format, 2) == LevelKind::Dense && format::kindOf(format, 3) == LevelKind::Dense &&
         !blocks.hasLengths() && blocks.unique && rows.part == Part::Quotient && blocks.part == Part::Quotient &&
         outer.part == Part::Remainder && inner.part == Part::Remainder && rows.dim != blocks.dim &&
         outer.dim != inner.dim;
}

} // namespace

bool packByBlocks(PackedArrays &arrays, Coordinates &entries, int pieces) {
  const format::Format &format = arrays.format();
  if (!isBlocked(format) || arrays.valueType() != sema::ValueType::F64 ||
      format.levels[kBlocks].block > std::numeric_limits<int32_t>::max())
    return false;
  // Each thread has room for all block columns.
  const int64_t minor = entries.shape[static_cast<size_t>(format.levels[kBlocks].dim)];
  const int64_t major = entries.shape[static_cast<size_t>(format.levels[0].dim)];
  if (static_cast<uint64_t>(std::max(minor, major)) > 16 * static_cast<uint64_t>(entries.size()))
    return false;
  format::Format single;
  single.levels = {
      {.dim = format.levels[0].dim},
      {.dim = format.levels[kBlocks].dim, .storage = format::Storage::Compressed, .extent = format::Extent::Ragged}};
  PackedArrays rows(single, sema::ValueType::F64, entries.shape);
  if (!packByRows(rows, entries, pieces))
    return false;
  entries = {entries.shape, {}, {}, {}, {}};
  if (std::has_single_bit(static_cast<uint64_t>(format.levels[kBlocks].block)))
    BlockPacker<Shifted>(arrays, rows, pieces).pack();
  else
    BlockPacker<Divided>(arrays, rows, pieces).pack();
  return true;
}

} // namespace spc::tensor
