#include "runtime/assembly_state.h"
#include "runtime/walk.h"

namespace spc::runtime {
namespace {

bool isZeroBut(const void *value, int64_t bytes, uint8_t sign) {
  const auto *read = static_cast<const uint8_t *>(value);
  for (int64_t b = 0; b < bytes - 1; ++b)
    if (read[b] != 0)
      return false;
  return (read[bytes - 1] & ~sign) == 0;
}

/// Whether a value is 0 in each of its parts; -0 counts.
bool isZero(ValueKind kind, const void *value, int64_t bytes) {
  switch (kind) {
  case ValueKind::Float:
  case ValueKind::Half:
  case ValueKind::Brain:
    return isZeroBut(value, bytes, 0x80);
  case ValueKind::Complex:
    return isZeroBut(value, bytes / 2, 0x80) && isZeroBut(elementAt(value, 1, bytes / 2), bytes / 2, 0x80);
  default:
    return isZeroBut(value, bytes, 0);
  }
}

} // namespace

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
