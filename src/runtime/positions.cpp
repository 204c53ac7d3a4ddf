#include "runtime/memory.h"

namespace spc::runtime {

extern "C" void *spc_rt_take_positions(Positions *positions) {
  if (positions->extent == 0)
    return nullptr;
  for (void *&place : positions->pool)
    if (__atomic_load_n(&place, __ATOMIC_RELAXED))
      if (void *array = __atomic_exchange_n(&place, nullptr, __ATOMIC_ACQUIRE))
        return array;
  const int64_t bytes = positions->extent * static_cast<int64_t>(sizeof(int32_t));
  // A refusal is no failure: rows are merged then.
  void *array = positions->allocator->allocate(positions->allocator->user, bytes);
  if (array)
    fillWithZeros(array, bytes);
  return array;
}

extern "C" void spc_rt_give_positions(Positions *positions, void *array) {
  if (!array)
    return;
  for (void *&place : positions->pool) {
    void *expected = nullptr;
    if (__atomic_compare_exchange_n(&place, &expected, array, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      return;
  }
  positions->allocator->release(positions->allocator->user, array);
}

extern "C" void spc_rt_release_positions(Positions *positions) {
  for (void *array : positions->pool)
    if (array)
      positions->allocator->release(positions->allocator->user, array);
}

} // namespace spc::runtime
