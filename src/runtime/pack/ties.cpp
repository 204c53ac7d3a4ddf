// The entries of ties of index variables: which column each row goes with.
#include "runtime/levels/walk.h"
#include "runtime/memory.h"
#include "runtime/pack/pack.h"

namespace spc::runtime {
namespace {

constexpr int64_t kNone = -1;

/// a + b * c, or an end of the range where that lies beyond. Multiplies by adding up, as some targets cannot tell
/// whether a product overflows; `c` is not negative.
int64_t addMultiple(int64_t a, int64_t b, int64_t c) {
  for (; c > 0; c >>= 1) {
    if ((c & 1) && __builtin_add_overflow(a, b, &a))
      return b < 0 ? INT64_MIN : INT64_MAX;
    if (c > 1 && __builtin_add_overflow(b, b, &b))
      return b < 0 ? INT64_MAX : INT64_MIN; // b has wrapped around
  }
  return a;
}

/// The columns of one row after the other, by an equation.
class EquationColumns {
public:
  EquationColumns(const Tie &tie, int64_t columns) : tie_(tie), columns_(columns) {}

  /// Goes to the first of the rows with these first coordinates, of which there are `count`.
  void start(const int64_t *at, int64_t count) {
    value_ = tie_.constant;
    for (int64_t k = 0; k < count; ++k)
      value_ = addMultiple(value_, tie_.rowScales[k], at[k]);
    step_ = tie_.rowScales[count];
    isBeyond_ = false;
  }

  int64_t next() {
    const int64_t column = isBeyond_ || value_ % tie_.columnScale != 0 ? kNone : value_ / tie_.columnScale;
    isBeyond_ |= __builtin_add_overflow(value_, step_, &value_);
    return column < 0 || column >= columns_ ? kNone : column;
  }

private:
  const Tie &tie_;
  const int64_t columns_;
  int64_t value_ = 0, step_ = 0;
  bool isBeyond_ = false;
};

/// The same by what an array holds.
template <typename Source> class ListedColumns {
public:
  ListedColumns(const Tie &tie, int64_t columns) : tie_(tie), columns_(columns) {}

  void start(const int64_t *at, int64_t count) {
    next_ = static_cast<const Source *>(tie_.source);
    for (int64_t k = 0; k < count; ++k)
      next_ += tie_.rowScales[k] * at[k];
    step_ = tie_.rowScales[count];
  }

  int64_t next() {
    const Source column = *next_;
    next_ += step_;
    return column < 0 || static_cast<uint64_t>(column) >= static_cast<uint64_t>(columns_)
               ? kNone
               : static_cast<int64_t>(column);
  }

private:
  const Tie &tie_;
  const int64_t columns_;
  const Source *next_ = nullptr;
  int64_t step_ = 0;
};

/// The rows of a tie, one after the other.
struct TiedRows {
  int64_t order = 0; ///< dimensions
  int64_t extents[kMaxOrder];
  int64_t at[kMaxOrder] = {}; ///< of the present ones, all but the last coordinate
  int64_t count = 1;
  bool areTooMany = false;

  explicit TiedRows(const Tensor &target) : order(target.order - 1) {
    for (int64_t k = 0; k < order; ++k) {
      extents[k] = target.levels[k].extent;
      areTooMany |= extents[k] != 0 && count > INT64_MAX / extents[k];
      count *= areTooMany ? 1 : extents[k];
    }
  }

  void move() {
    for (int64_t k = order - 2; k >= 0 && ++at[k] == extents[k]; --k)
      at[k] = 0;
  }
};

/// Ok; IndexRange.
template <typename Index, typename Columns>
SPC_HOT Status listEntries(Columns columns, TiedRows rows, bool isChecked, Index *pointers, Index *indices,
                           int64_t &count) {
  const int64_t inner = rows.order > 0 ? rows.extents[rows.order - 1] : 1;
  count = 0;
  for (int64_t first = 0; first < rows.count; first += inner, rows.move()) {
    columns.start(rows.at, rows.order > 0 ? rows.order - 1 : 0);
    for (int64_t row = first; row < first + inner; ++row) {
      if (pointers)
        pointers[row] = static_cast<Index>(count);
      const int64_t column = columns.next();
      if (column != kNone)
        indices[count++] = static_cast<Index>(column);
      else if (isChecked)
        return Status::IndexRange;
    }
  }
  if (pointers)
    pointers[rows.count] = static_cast<Index>(count);
  return Status::Ok;
}

/// Whether the elements of a source are one after the other in the order of the rows.
bool isContiguous(const Tie &tie, const TiedRows &rows) {
  int64_t elements = 1;
  for (int64_t k = rows.order - 1; k >= 0; --k) {
    if (tie.rowScales[k] != elements)
      return false;
    elements *= rows.extents[k];
  }
  return tie.sourceBytes != 0;
}

/// Whether all elements are columns. Signs tell, of which vectors of all processors know.
template <typename Source> SPC_HOT bool areColumns(const Source *source, int64_t count, int64_t columns) {
  uint64_t isOutside = 0;
  SPC_VECTORIZE
  for (int64_t row = 0; row < count; ++row) {
    const auto column = static_cast<uint64_t>(source[row]);
    isOutside |= column | (static_cast<uint64_t>(columns) - 1 - column);
  }
  return static_cast<int64_t>(isOutside) >= 0;
}

template <typename Index, typename Source>
SPC_HOT void copyColumns(const Source *source, int64_t count, Index *indices) {
  SPC_VECTORIZE
  for (int64_t row = 0; row < count; ++row)
    indices[row] = static_cast<Index>(source[row]);
}

template <typename Index, typename Source>
void copyColumns(const Tie &tie, int64_t rows, void *pointers, void *indices) {
  auto *begins = static_cast<Index *>(pointers);
  for (int64_t row = 0; row <= rows && begins; ++row)
    begins[row] = static_cast<Index>(row);
  if (indices)
    copyColumns(static_cast<const Source *>(tie.source), rows, static_cast<Index *>(indices));
}

template <typename Source>
Status takeColumns(const Tie &tie, const TiedRows &rows, Tensor &target, void *pointers, void *indices) {
  const auto *source = static_cast<const Source *>(tie.source);
  if (!areColumns(source, rows.count, target.levels[target.order - 1].extent))
    return Status::IndexRange;
  if (target.indexBytes == 4)
    copyColumns<int32_t, Source>(tie, rows.count, pointers, indices);
  else
    copyColumns<int64_t, Source>(tie, rows.count, pointers, indices);
  target.stored = rows.count;
  return Status::Ok;
}

/// Takes what a contiguous source holds for the entries of a checked tie. Ok; IndexRange.
Status takeColumns(const Tie &tie, const TiedRows &rows, Tensor &target, void *pointers, void *indices) {
  const bool isSigned = tie.sourceIsSigned != 0;
  if (tie.sourceBytes == 4)
    return isSigned ? takeColumns<int32_t>(tie, rows, target, pointers, indices)
                    : takeColumns<uint32_t>(tie, rows, target, pointers, indices);
  return isSigned ? takeColumns<int64_t>(tie, rows, target, pointers, indices)
                  : takeColumns<uint64_t>(tie, rows, target, pointers, indices);
}

template <typename Columns>
Status listEntries(const Columns &columns, const TiedRows &rows, const Tie &tie, Tensor &target, void *pointers,
                   void *indices) {
  const bool isChecked = tie.isChecked != 0;
  if (target.indexBytes == 4)
    return listEntries<int32_t>(columns, rows, isChecked, static_cast<int32_t *>(pointers),
                                static_cast<int32_t *>(indices), target.stored);
  return listEntries<int64_t>(columns, rows, isChecked, static_cast<int64_t *>(pointers),
                              static_cast<int64_t *>(indices), target.stored);
}

Status listEntries(const Tie &tie, const TiedRows &rows, Tensor &target, void *pointers, void *indices) {
  const int64_t columns = target.levels[target.order - 1].extent;
  if (tie.isChecked && isContiguous(tie, rows))
    return takeColumns(tie, rows, target, pointers, indices);
  const bool isSigned = tie.sourceIsSigned != 0;
  const auto list = [&](const auto &all) { return listEntries(all, rows, tie, target, pointers, indices); };
  if (tie.sourceBytes == 0)
    return list(EquationColumns(tie, columns));
  if (tie.sourceBytes == 4)
    return isSigned ? list(ListedColumns<int32_t>(tie, columns)) : list(ListedColumns<uint32_t>(tie, columns));
  return isSigned ? list(ListedColumns<int64_t>(tie, columns)) : list(ListedColumns<uint64_t>(tie, columns));
}

/// Whether no coordinate comes twice: by a table with room for twice as many, in time in proportion to them.
/// Ok; Memory; Duplicate.
template <typename Index> Status areDistinct(const Allocator &allocator, const Index *indices, int64_t count) {
  int64_t slots = 2;
  while (slots < 2 * count)
    slots *= 2;
  void *memory = nullptr;
  if (!allocateArray(allocator, slots, sizeof(Index), memory))
    return Status::Memory;
  auto *table = static_cast<Index *>(memory);
  for (int64_t slot = 0; slot < slots; ++slot)
    table[slot] = -1;
  Status status = Status::Ok;
  for (int64_t entry = 0; entry < count && status == Status::Ok; ++entry) {
    const auto hash = static_cast<uint64_t>(indices[entry]) * 0x9E3779B97F4A7C15; // 2^64 over the golden ratio
    auto slot = static_cast<int64_t>(hash >> 20) & (slots - 1);
    while (table[slot] != -1 && table[slot] != indices[entry])
      slot = (slot + 1) & (slots - 1);
    if (table[slot] != -1)
      status = Status::Duplicate;
    table[slot] = indices[entry];
  }
  releaseArray(allocator, memory);
  return status;
}

Status areDistinct(const Allocator &allocator, const Tensor &target, const void *indices) {
  return target.indexBytes == 4 ? areDistinct(allocator, static_cast<const int32_t *>(indices), target.stored)
                                : areDistinct(allocator, static_cast<const int64_t *>(indices), target.stored);
}

/// Lists the rows of each column, in order. What a tie has is within its extents.
template <typename Index>
SPC_HOT void listRowsOfColumns(const Level &tie, int64_t rows, int64_t columns, Index *pointers, Index *indices) {
  const auto *const begins = static_cast<const Index *>(tie.pointers), *const held = static_cast<Index *>(tie.indices);
  fillWithZeros(pointers, (columns + 1) * static_cast<int64_t>(sizeof(Index)));
  for (int64_t entry = 0; entry < begins[rows]; ++entry)
    ++pointers[held[entry]];
  Index end = 0;
  for (int64_t column = 0; column <= columns; ++column)
    pointers[column] = end = static_cast<Index>(end + pointers[column]);
  for (int64_t row = rows - 1; row >= 0; --row)
    if (begins[row] < begins[row + 1])
      indices[--pointers[held[begins[row]]]] = static_cast<Index>(row);
}

} // namespace

extern "C" int64_t spc_rt_add_product(int64_t sum, int64_t one, int64_t other) {
  if (other >= 0)
    return addMultiple(sum, one, other);
  return one == INT64_MIN || other == INT64_MIN ? INT64_MAX : addMultiple(sum, -one, -other);
}

extern "C" int32_t spc_rt_make_tie(const Allocator *allocator, const Tie *tie, Tensor *target) {
  clearArrays(*target);
  Level &last = target->levels[target->order - 1];
  const TiedRows rows(*target);
  if (rows.areTooMany)
    return static_cast<int32_t>(Status::Memory);
  if (target->indexBytes == 4 && (last.extent > INT32_MAX || rows.count > INT32_MAX))
    return static_cast<int32_t>(Status::IndexType);
  void *pointers = nullptr, *indices = nullptr, *values = nullptr;
  auto status = Status::Memory;
  const bool hasPointers = rows.order > 0 && tie->hasPointers != 0, hasValues = tie->hasValues != 0;
  const bool isLent = tie->lendsIndices != 0 && isContiguous(*tie, rows);
  if ((!hasPointers || allocateArray(*allocator, rows.count + 1, target->pointerBytes, pointers)) &&
      (isLent || allocateArray(*allocator, rows.count, target->indexBytes, indices)) &&
      (!hasValues || allocateArray(*allocator, rows.count, target->valueBytes, values)))
    status = listEntries(*tie, rows, *target, pointers, indices);
  if (status == Status::Ok && tie->isOnce)
    status = areDistinct(*allocator, *target, isLent ? tie->source : indices);
  if (status != Status::Ok) {
    releaseArray(*allocator, pointers);
    releaseArray(*allocator, indices);
    releaseArray(*allocator, values);
    target->stored = 0;
    return static_cast<int32_t>(status);
  }
  for (int64_t entry = 0; entry < target->stored && hasValues; ++entry)
    static_cast<char *>(values)[entry] = 1;
  last.count = target->stored;
  last.pointers = pointers;
  last.indices = isLent ? const_cast<void *>(tie->source) : indices;
  target->values = values;
  return static_cast<int32_t>(Status::Ok);
}

extern "C" int32_t spc_rt_transpose_tie(const Allocator *allocator, const Workers * /*workers*/, const Tensor *source,
                                        Tensor *target, int64_t withValues) {
  clearArrays(*target);
  Level &entries = target->levels[1];
  const Level &tie = source->levels[1];
  const int64_t columns = target->levels[0].extent, count = source->stored, bytes = target->indexBytes;
  if (count > largest(bytes) || entries.extent > largest(bytes))
    return static_cast<int32_t>(Status::IndexType);
  if (!allocateArray(*allocator, columns + 1, bytes, entries.pointers) ||
      !allocateArray(*allocator, count, bytes, entries.indices) ||
      (withValues != 0 && !allocateArray(*allocator, count, target->valueBytes, target->values))) {
    releaseArrays(*allocator, *target);
    return static_cast<int32_t>(Status::Memory);
  }
  if (bytes == 4)
    listRowsOfColumns(tie, entries.extent, columns, static_cast<int32_t *>(entries.pointers),
                      static_cast<int32_t *>(entries.indices));
  else
    listRowsOfColumns(tie, entries.extent, columns, static_cast<int64_t *>(entries.pointers),
                      static_cast<int64_t *>(entries.indices));
  for (int64_t entry = 0; entry < count && withValues != 0; ++entry)
    static_cast<char *>(target->values)[entry] = 1;
  target->stored = entries.count = count;
  return static_cast<int32_t>(Status::Ok);
}

} // namespace spc::runtime
