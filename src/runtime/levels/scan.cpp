#include "runtime/levels/walk.h"

namespace spc::runtime {

extern "C" int32_t spc_rt_scan(const void *lengths, void *pointers, int64_t bytes, int64_t count) {
  int64_t sum = 0;
  store(pointers, bytes, 0, 0);
  for (int64_t p = 0; p < count; ++p) {
    const int64_t length = load(lengths, bytes, p);
    if (length < 0)
      return static_cast<int32_t>(Status::Pointers);
    if (length > largest(bytes) - sum)
      return static_cast<int32_t>(Status::IndexType);
    sum += length;
    store(pointers, bytes, p + 1, sum);
  }
  return static_cast<int32_t>(Status::Ok);
}

extern "C" void spc_rt_unscan(void *pointers, int64_t bytes, int64_t count) {
  for (int64_t p = 0; p < count; ++p)
    store(pointers, bytes, p, load(pointers, bytes, p + 1) - load(pointers, bytes, p));
}

} // namespace spc::runtime
