#include "runtime/assembly/assembly_state.h"
#include "runtime/hot.h"
#include "runtime/levels/walk.h"
#include "runtime/pack/pack.h"

namespace spc::runtime {
namespace {

template <typename T> SPC_HOT void lengthsToPointers(void *array, int64_t count) {
  auto *pointers = static_cast<T *>(array);
  T begin = 0;
  for (int64_t row = 0; row < count; ++row) {
    const T length = pointers[row];
    pointers[row] = begin;
    begin = static_cast<T>(begin + length);
  }
  pointers[count] = begin;
}

void lengthsToPointers(void *array, int64_t bytes, int64_t count) {
  switch (bytes) {
  case 1:
    return lengthsToPointers<uint8_t>(array, count);
  case 2:
    return lengthsToPointers<uint16_t>(array, count);
  case 4:
    return lengthsToPointers<int32_t>(array, count);
  default:
    return lengthsToPointers<int64_t>(array, count);
  }
}

} // namespace

extern "C" int32_t spc_rt_pack_matrix(Assembly *assembly) {
  AssemblyState &state = *assembly->state;
  Tensor &target = *assembly->target;
  Level &rows = target.levels[0], &entries = target.levels[1];
  const int64_t total = sumTotals(state);
  clearArrays(target);
  if (total > largest(target.pointerBytes))
    return static_cast<int32_t>(Status::IndexType);
  if (!joinEntries(state, total, &entries.indices, &target.values)) {
    releaseArrays(state.allocator, target);
    return static_cast<int32_t>(Status::Memory);
  }
  target.stored = entries.count = total;
  entries.pointers = state.lengths;
  state.lengths = nullptr;
  lengthsToPointers(entries.pointers, target.pointerBytes, rows.extent);
  return static_cast<int32_t>(Status::Ok);
}

} // namespace spc::runtime
