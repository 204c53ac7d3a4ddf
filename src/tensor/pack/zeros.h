// Finds what is not padding among many zeros. Private to this folder.
#pragma once

#include "sema/value_type.h"

#include <cstdint>

namespace spc::tensor {

/// The first position from `begin` to `end` at which an array of values holds none that is 0, of whatever sign; `end`
/// where there is none.
int64_t firstNonZero(const void *values, sema::ValueType type, int64_t begin, int64_t end);

} // namespace spc::tensor
