// Where a tensor has a place. Freestanding.
#pragma once

#include "runtime/runtime.h"

namespace spc::runtime {

/// The position among `target`'s values of the place at `coordinates` (by dimension), or -1 where it stores none.
/// Searches sorted lists in logarithmic time; a place that is not found that way is looked for in linear time, as lists
/// need not be sorted.
int64_t positionOf(const Tensor &target, const int64_t *coordinates);

} // namespace spc::runtime
