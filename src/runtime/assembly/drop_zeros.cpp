#include "runtime/assembly/assembly_state.h"
#include "runtime/levels/walk.h"
#include "runtime/values.h"

namespace spc::runtime {

/// Whether a value that is rounded once all is collected will be 0.
static bool narrowsToZero(const AssemblyState &state, const void *value) {
  if (!state.assembly->narrow)
    return false;
  const float wide = *static_cast<const float *>(value);
  const uint16_t narrow = state.narrowKind == ValueKind::Half ? floatToHalf(wide) : floatToBrain(wide);
  return (narrow & 0x7fffu) == 0;
}

extern "C" int64_t spc_rt_drop_zeros(const Run *from, int64_t count) {
  const auto &run = *static_cast<const RunState *>(from);
  const AssemblyState &state = *run.state;
  const ValueKind kind = state.assembly->target->valueKind;
  int64_t kept = run.rowStart;
  for (int64_t e = run.rowStart; e < count; ++e) {
    const void *value = elementAt(run.values, e, state.valueBytes);
    if (isZero(kind, value, state.valueBytes) || narrowsToZero(state, value))
      continue;
    store(run.keys, state.keyBytes, kept, load(run.keys, state.keyBytes, e));
    copyElement(elementAt(run.values, kept, state.valueBytes), value, state.valueBytes);
    ++kept;
  }
  return kept;
}

} // namespace spc::runtime
