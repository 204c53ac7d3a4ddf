// Finding rows by their coordinates. Freestanding.
#pragma once

#include "runtime/runtime.h"

namespace spc::runtime {

/// The slot of a row, or the free one where it belongs. Requires: there are slots.
inline int64_t probe(const RowTable &table, int64_t coordinate) {
  const auto hash = static_cast<uint64_t>(coordinate) * 0x9e3779b97f4a7c15u;
  auto slot = static_cast<int64_t>(hash >> table.shift);
  while (table.slots[2 * slot] != 0 && table.slots[2 * slot] != coordinate + 1)
    slot = (slot + 1) & (table.capacity - 1);
  return slot;
}

/// The position of a row; `table` may be null.
inline int64_t rowAt(const RowTable *table, int64_t coordinate) {
  if (!table || !table->slots)
    return coordinate;
  const int64_t slot = probe(*table, coordinate);
  return table->slots[2 * slot] != 0 ? table->slots[2 * slot + 1] : table->rows;
}

} // namespace spc::runtime
