#include "tensor/files/strided_copy.h"

#include <cstring>

namespace spc::tensor {

namespace {

template <int64_t kBytes>
void copyEach(int64_t count, const char *from, int64_t fromStride, char *to, int64_t toStride) {
  for (int64_t k = 0; k < count; ++k)
    std::memcpy(to + k * toStride * kBytes, from + k * fromStride * kBytes, kBytes);
}

} // namespace

void copyStrided(size_t elementBytes, int64_t count, const char *from, int64_t fromStride, char *to, int64_t toStride) {
  switch (elementBytes) {
  case 1:
    return copyEach<1>(count, from, fromStride, to, toStride);
  case 2:
    return copyEach<2>(count, from, fromStride, to, toStride);
  case 4:
    return copyEach<4>(count, from, fromStride, to, toStride);
  case 8:
    return copyEach<8>(count, from, fromStride, to, toStride);
  default:
    return copyEach<16>(count, from, fromStride, to, toStride);
  }
}

} // namespace spc::tensor
