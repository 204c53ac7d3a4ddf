// How many entries a product can have. Freestanding.
#pragma once

#include "runtime/runtime.h"

namespace spc::runtime {

/// The number of multiplications in the rows [begin, end) of a product, of each row no more than `width`: no result has
/// more entries there. A number above `most` where there are more than that.
int64_t countProducts(const Factors &factors, int64_t begin, int64_t end, int64_t width, int64_t most);

/// The number of multiplications of all entries of the first factor. A number above `most` where there are more than
/// that, or nothing is known; no more than `most` + 1 entries are looked at.
int64_t countAllProducts(const Factors &factors, int64_t most);

} // namespace spc::runtime
