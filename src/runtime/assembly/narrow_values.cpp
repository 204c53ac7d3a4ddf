#include "runtime/assembly/assembly_state.h"
#include "runtime/memory.h"
#include "runtime/pack/pack.h"
#include "runtime/values.h"
#include "runtime/workers.h"

namespace spc::runtime {
namespace {

constexpr int64_t kNarrowedAtOnce = 1 << 15;

struct Narrowing {
  ValueKind kind;
  int64_t count;
  const float *from;
  uint16_t *to;
};

void narrowBlock(void *closure, int64_t index) {
  const auto &narrowing = *static_cast<const Narrowing *>(closure);
  const int64_t begin = index * kNarrowedAtOnce, left = narrowing.count - begin;
  const int64_t end = begin + (left < kNarrowedAtOnce ? left : kNarrowedAtOnce);
  for (int64_t e = begin; e < end; ++e)
    narrowing.to[e] =
        narrowing.kind == ValueKind::Half ? floatToHalf(narrowing.from[e]) : floatToBrain(narrowing.from[e]);
}

} // namespace

extern "C" int32_t spc_rt_narrow_values(Assembly *assembly) {
  AssemblyState &state = *assembly->state;
  Tensor &target = *assembly->target;
  void *narrow = state.narrowValues;
  if (!narrow && !allocateArray(state.allocator, target.stored, sizeof(uint16_t), narrow)) {
    if (!state.ownsValues)
      releaseArrays(state.allocator, target);
    return static_cast<int32_t>(Status::Memory);
  }
  Narrowing narrowing{state.narrowKind, target.stored, static_cast<const float *>(target.values),
                      static_cast<uint16_t *>(narrow)};
  runTasks(assembly->workers, (target.stored + kNarrowedAtOnce - 1) / kNarrowedAtOnce, narrowBlock, &narrowing);
  releaseArray(state.allocator, target.values);
  target.values = narrow;
  target.valueKind = state.narrowKind;
  target.valueBytes = sizeof(uint16_t);
  return static_cast<int32_t>(Status::Ok);
}

} // namespace spc::runtime
