// The reduction of results of which each block has a share.
#pragma once

#include "sema/expression.h"
#include "sema/value_type.h"

#include <cstdint>

namespace spc::driver {

/// Reduces `count` elements of `share` into those of `result`, which come first where that matters. Floats are added up
/// in the type; integers wrap. Requires: a reduction of shares (sum, product, minimum, maximum, any, all).
void reduceShare(sema::Reduction reduction, sema::ValueType type, void *result, const void *share, int64_t count);

} // namespace spc::driver
