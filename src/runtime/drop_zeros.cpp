#include "runtime/assembly_state.h"
#include "runtime/values.h"
#include "runtime/walk.h"

namespace spc::runtime {

extern "C" int64_t spc_rt_drop_zeros(const Run *from, int64_t count) {
  const auto &run = *static_cast<const RunState *>(from);
  const AssemblyState &state = *run.state;
  const ValueKind kind = state.assembly->target->valueKind;
  int64_t kept = run.rowStart;
  for (int64_t e = run.rowStart; e < count; ++e) {
    const void *value = elementAt(run.values, e, state.valueBytes);
    if (isZero(kind, value, state.valueBytes))
      continue;
    store(run.keys, state.keyBytes, kept, load(run.keys, state.keyBytes, e));
    copyElement(elementAt(run.values, kept, state.valueBytes), value, state.valueBytes);
    ++kept;
  }
  return kept;
}

} // namespace spc::runtime
