// Generated code finds each field where the C layout of its struct's slots has it. Compiled for each target.
#include "runtime/runtime.h"

#include <stddef.h>

namespace spc::runtime {
namespace {

constexpr uint64_t roundUp(uint64_t bytes, uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// The offset of a slot of T; of slotCount<T>: the bytes of all.
template <typename T> constexpr uint64_t slotOffset(unsigned slot) {
  uint64_t end = 0, widest = 1;
  for (unsigned k = 0; k < slotCount<T>; ++k) {
    const uint64_t bytes = slotKind<T>(k) == Scalar::Pointer ? sizeof(void *) : sizeof(int64_t);
    end = roundUp(end, bytes);
    if (k == slot)
      return end;
    end += bytes;
    widest = bytes > widest ? bytes : widest;
  }
  return roundUp(end, widest);
}

#define SPC_FIELD(STRUCT, TYPE, NAME, ...)                                                                             \
  static_assert(offsetof(STRUCT, NAME) == slotOffset<STRUCT>(STRUCT##Slot::NAME));
#define SPC_ARRAY(STRUCT, TYPE, NAME, COUNT) SPC_FIELD(STRUCT, TYPE, NAME)
#define SPC_END(STRUCT) static_assert(sizeof(STRUCT) == slotOffset<STRUCT>(slotCount<STRUCT>));
#include "runtime/contract.def"

} // namespace
} // namespace spc::runtime
