// Copies of elements that lie apart. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spc::tensor {

/// Copies `count` elements of 1, 2, 4, 8 or 16 bytes; strides are in elements. The arrays do not overlap.
void copyStrided(size_t elementBytes, int64_t count, const char *from, int64_t fromStride, char *to, int64_t toStride);

} // namespace spc::tensor
