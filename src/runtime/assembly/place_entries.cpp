#include "runtime/assembly/assembly_state.h"
#include "runtime/levels/locate.h"
#include "runtime/levels/walk.h"
#include "runtime/values.h"

namespace spc::runtime {

/// Looks up the place of each entry on its own.
extern "C" void spc_rt_place_entries(Run *from, int64_t count, const int64_t *coordinates) {
  auto &run = *static_cast<RunState *>(from);
  const AssemblyState &state = *run.state;
  const Assembly &assembly = *state.assembly;
  int64_t at[kMaxOrder];
  for (int64_t place = 0; place < state.rowOrder; ++place)
    at[assembly.dims[place]] = coordinates[place];
  for (int64_t e = 0; e < count; ++e) {
    spreadKey(state, load(run.keys, state.keyBytes, e), at);
    const int64_t position = positionOf(*assembly.target, at);
    if (position < 0)
      return fail(run, Status::Pattern);
    putValue(*assembly.target, run.values, e, assembly.target->values, position, assembly.runs > 1);
  }
}

} // namespace spc::runtime
