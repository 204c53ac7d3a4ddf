// How many entries each level of a tensor has, in code of the entry.
#pragma once

#include "entry/tensors.h"

namespace spc::entry {

/// The extent that the coordinate of level k's parent runs over; 1 for the root.
mlir::Value parentExtent(Entry &entry, const sema::Tensor &tensor, size_t k);

/// The number of entries that each level has, from the outside in; the first is the root's one parent. Sizes, widths
/// and counts say it: no array is read. Leaves with SPC_ERROR_COUNT where a number exceeds what memory can hold.
/// `argument`: what passes the structure; null of what is assembled. Requires: sizes, widths and counts are known not
/// to be negative, closed forms to stay inside their extents.
std::vector<mlir::Value> countEntries(Entry &entry, const sema::Tensor &tensor, const TensorView &view,
                                      const TensorArgument *argument = nullptr);

/// Leaves with SPC_ERROR_COUNT where the pointers of an argument's level k, in `view` if there are any, do not end at
/// the number of its entries.
void checkLastPointer(Entry &entry, const TensorArgument &argument, const TensorView &view, size_t k);

/// The field that says how many entries an argument's level k has; of the stored values where it has none of its own.
Place countPlace(const Entry &entry, const TensorArgument &argument, size_t k);

/// Leaves with SPC_ERROR_SHAPE where a closed form of some level gives a length or a start outside of the level's
/// extent for the actual sizes, or sizes are so large (from 2^31 on) that its sums could overflow.
void checkClosedForms(Entry &entry, const sema::Tensor &tensor, const Place &place);

} // namespace spc::entry
