// How many entries each level of a tensor has, in code of the entry.
#pragma once

#include "entry/tensors.h"

namespace spc::entry {

/// The extent that the coordinate of level k's parent runs over; 1 for the root.
mlir::Value parentExtent(Entry &entry, const sema::Tensor &tensor, size_t k);

/// The number of entries that each level has, from the outside in; the first is the root's one parent. Reads sizes,
/// widths, counts and, of each pointers array that is not NULL, the last number. Below a level whose lengths have not
/// been added up yet (`view.pointers`) numbers are unknown. Leaves with SPC_ERROR_COUNT where a number exceeds what
/// memory can hold. Requires: sizes, widths and counts are known not to be negative, closed forms to stay inside their
/// extents.
std::vector<LevelEntries> countEntries(Entry &entry, const sema::Tensor &tensor, const TensorView &view);

/// Leaves with SPC_ERROR_COUNT where a tensor's stored values are not those of `entries`, as far as that is known.
void checkStoredCount(Entry &entry, const TensorView &view, const std::vector<LevelEntries> &entries);

/// Leaves with SPC_ERROR_SHAPE where a closed form of some level gives a length or a start outside of the level's
/// extent for the actual sizes, or sizes are so large (from 2^31 on) that its sums could overflow.
void checkClosedForms(Entry &entry, const sema::Tensor &tensor);

} // namespace spc::entry
