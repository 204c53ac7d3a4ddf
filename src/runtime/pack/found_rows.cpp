// Copies of operands of which loops look rows up. Where few of many rows have entries, those alone are listed.
#include "runtime/levels/walk.h"
#include "runtime/memory.h"
#include "runtime/pack/pack.h"
#include "runtime/pack/row_table.h"

namespace spc::runtime {
namespace {

/// The row that a root lists at a position.
int64_t listedRow(const Tensor &tensor, int64_t position) {
  const Level &root = tensor.levels[0];
  return load(root.indices, tensor.indexBytes, position * root.stride + root.offset);
}

/// Makes a table of the rows that the root of `list` lists, half of whose slots are free.
bool makeTable(const Allocator &allocator, const Tensor &list, RowTable &table) {
  const int64_t rows = list.levels[0].count;
  int64_t bits = 1;
  while (int64_t{1} << (bits - 1) < rows)
    ++bits;
  table.capacity = int64_t{1} << bits;
  table.shift = 64 - bits;
  table.rows = rows;
  void *slots;
  if (!allocateArray(allocator, table.capacity, 2 * sizeof(int64_t), slots))
    return false;
  fillWithZeros(slots, table.capacity * 2 * static_cast<int64_t>(sizeof(int64_t)));
  table.slots = static_cast<int64_t *>(slots);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t coordinate = listedRow(list, row), slot = probe(table, coordinate);
    table.slots[2 * slot] = coordinate + 1;
    table.slots[2 * slot + 1] = row;
  }
  return true;
}

/// The pointers of `list`, where each row's segment ends, at 0 where there are none.
int64_t endOf(const Tensor &list, int64_t position) {
  const void *pointers = list.levels[1].pointers;
  return pointers ? load(pointers, list.pointerBytes, position) : 0;
}

/// The pointers of listed rows, and of the empty one behind them.
bool copyPointers(const Allocator &allocator, const Tensor &list, void *&pointers) {
  const int64_t rows = list.levels[0].count;
  if (!allocateArray(allocator, rows + 2, list.pointerBytes, pointers))
    return false;
  for (int64_t row = 0; row <= rows; ++row)
    store(pointers, list.pointerBytes, row, endOf(list, row));
  store(pointers, list.pointerBytes, rows + 1, endOf(list, rows));
  return true;
}

/// The pointers of all rows. Ok; Memory; IndexRange.
SPC_HOT Status spreadPointers(const Allocator &allocator, const Tensor &list, void *&pointers) {
  const int64_t listed = list.levels[0].count, rows = list.levels[0].extent, bytes = list.pointerBytes;
  if (!allocateArray(allocator, rows + 1, bytes, pointers))
    return Status::Memory;
  int64_t next = 0;
  for (int64_t position = 0; position < listed; ++position) {
    const int64_t row = listedRow(list, position), begin = endOf(list, position);
    if (row < next || row >= rows) {
      releaseArray(allocator, pointers);
      return Status::IndexRange;
    }
    for (; next <= row; ++next)
      store(pointers, bytes, next, begin);
  }
  for (const int64_t end = endOf(list, listed); next <= rows; ++next)
    store(pointers, bytes, next, end);
  return Status::Ok;
}

/// Makes a packed target with a compressed root one whose listed rows are looked up.
Status listRows(const Allocator &allocator, Tensor &target, RowTable &table) {
  Level &root = target.levels[0], &below = target.levels[1];
  void *pointers;
  if (!copyPointers(allocator, target, pointers))
    return Status::Memory;
  releaseArray(allocator, below.pointers);
  below.pointers = pointers;
  if (!makeTable(allocator, target, table))
    return Status::Memory;
  releaseArray(allocator, root.indices);
  root.count = 0;
  return Status::Ok;
}

} // namespace

extern "C" int32_t spc_rt_convert_found(const Allocator *allocator, const Workers *workers, const Tensor *source,
                                        Tensor *target, int64_t withValues) {
  Level &root = target->levels[0];
  RowTable &table = *root.table;
  table.slots = nullptr;
  if (!listsFoundRows(root.extent, source->stored))
    return table.convert(allocator, workers, source, target, withValues);
  root.kind = LevelKind::Compressed;
  const auto convert = table.dropsZeros != 0 ? spc_rt_convert_entries : spc_rt_convert_sorted;
  auto status = static_cast<Status>(convert(allocator, workers, source, target, withValues));
  if (status == Status::Ok && (status = listRows(*allocator, *target, table)) != Status::Ok)
    releaseArrays(*allocator, *target);
  root.kind = LevelKind::Dense;
  return static_cast<int32_t>(status);
}

extern "C" int32_t spc_rt_find_rows(const Allocator *allocator, const Tensor *source, Tensor *target) {
  RowTable &table = *target->levels[0].table;
  table.slots = nullptr;
  clearArrays(*target);
  void *pointers = nullptr;
  Status status = Status::Ok;
  if (!listsFoundRows(source->levels[0].extent, source->stored))
    status = spreadPointers(*allocator, *source, pointers);
  else if (!copyPointers(*allocator, *source, pointers) || !makeTable(*allocator, *source, table))
    status = Status::Memory;
  if (status != Status::Ok) {
    releaseArray(*allocator, pointers);
    return static_cast<int32_t>(status);
  }
  for (int64_t k = 1; k < target->order; ++k) {
    target->levels[k].count = source->levels[k].count;
    target->levels[k].indices = source->levels[k].indices;
    target->levels[k].pointers = source->levels[k].pointers;
  }
  target->levels[1].pointers = pointers;
  target->stored = source->stored;
  target->values = source->values;
  return static_cast<int32_t>(Status::Ok);
}

extern "C" SPC_HOT int64_t spc_rt_find_row(const RowTable *table, int64_t coordinate) {
  return rowAt(table, coordinate);
}

} // namespace spc::runtime
