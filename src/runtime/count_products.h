// How many entries a product can have. Freestanding.
#pragma once

#include "runtime/runtime.h"

namespace spc::runtime {

/// The number of multiplications in the first `rows` rows of a product, of each row no more than `width`: no result has
/// more entries. A number above `most` where there are more than that.
int64_t countProducts(const Factors &factors, int64_t rows, int64_t width, int64_t most);

} // namespace spc::runtime
