// Assemblies in two phases: the symbolic one notes the place of each key that a nest meets.
#include "runtime/assembly/assembly_state.h"
#include "runtime/levels/walk.h"
#include "runtime/pack/pack.h"

namespace spc::runtime {
namespace {

constexpr int64_t kFirstRecorded = 1024;
// A plan has a number for each row, also of a target that lists only some.
constexpr int64_t kMostListedRows = 1 << 20, kRowsAKey = 4;

int64_t rowsOf(const AssemblyState &state) {
  const Assembly &assembly = *state.assembly;
  return assembly.rowOrder == 0 ? 1 : assembly.target->levels[0].extent;
}

/// Entries of the packed target in the rows ahead of one. Rows are asked for in ascending order.
class EntriesAhead {
public:
  explicit EntriesAhead(const Assembly &assembly) : target_(*assembly.target), hasRows_(assembly.rowOrder > 0) {}

  int64_t of(int64_t row) {
    if (!hasRows_)
      return row == 0 ? 0 : target_.stored;
    if (target_.stored == 0)
      return 0;
    const Level &root = target_.levels[0];
    while (isListed(root) && listed_ < root.count && listedAt(target_, root, listed_) < row)
      ++listed_;
    const int64_t position = isListed(root) ? listed_ : row;
    const void *const pointers = target_.levels[1].pointers;
    return pointers ? load(pointers, target_.pointerBytes, position) : position;
  }

private:
  const Tensor &target_;
  const bool hasRows_;
  int64_t listed_ = 0; ///< positions of a root that lists rows, ahead of the row that was asked for
};

int64_t recordedIn(const AssemblyState &state) {
  int64_t keys = 0;
  for (int64_t chunk = 0; chunk < state.assembly->chunks; ++chunk)
    keys += runOf(state, chunk, 0).recordedCount;
  return keys;
}

/// Whether a plan's rows take little more memory than its places, or the target has a pointer for each row as well.
bool areRowsFew(const AssemblyState &state) {
  return state.rowOrder == 0 || !isListed(state.assembly->target->levels[0]) ||
         rowsOf(state) <= kRowsAKey * (recordedIn(state) + kFirstRecorded);
}

/// A plan that only checks.
Status planCheck(AssemblyState &state) {
  PlanBlock block(state.allocator);
  if (!block.allocate())
    return Status::Memory;
  PlanHead head = {};
  head.kind = PlanKind::Check;
  block.hand(*state.assembly->planning, *state.assembly->target, head);
  return Status::Ok;
}

Status planPlaces(AssemblyState &state) {
  const Assembly &assembly = *state.assembly;
  const int64_t rows = rowsOf(state);
  const int64_t keys = recordedIn(state);
  PlanBlock block(state.allocator);
  PlanHead head = {};
  head.kind = PlanKind::Places;
  head.rows = block.add(rows + 1, sizeof(PlannedRow));
  head.places = block.add(keys, sizeof(uint16_t));
  if (!block.allocate())
    return Status::Memory;
  auto *row = static_cast<PlannedRow *>(block.at(head.rows));
  int64_t before = 0;
  EntriesAhead entries(assembly);
  for (int64_t r = 0; r <= rows; ++r) {
    row[r] = {before, entries.of(r)};
    before += r < rows ? state.recordedKeys[r] : 0;
  }
  auto *places = static_cast<uint16_t *>(block.at(head.places));
  for (int64_t chunk = 0; chunk < assembly.chunks; ++chunk) {
    const RunState &run = runOf(state, chunk, 0);
    copyElements(places, run.recorded, run.recordedCount, sizeof(uint16_t));
    places += run.recordedCount;
  }
  block.hand(*assembly.planning, *assembly.target, head);
  return Status::Ok;
}

Status startPlan(AssemblyState &state) {
  const Assembly &assembly = *state.assembly;
  if (!hasPlan(assembly.planning))
    return Status::Ok;
  if (assembly.phase == Phase::Numeric) {
    state.plan = openPlan(*assembly.planning, *assembly.target);
    return state.plan ? Status::Ok : Status::Pattern;
  }
  const int64_t rows = rowsOf(state);
  if (assembly.keepsPlaces == 0 || (isListed(assembly.target->levels[0]) && rows > kMostListedRows))
    return Status::Ok;
  void *keys;
  if (!allocateArray(state.allocator, rows + 1, sizeof(int64_t), keys))
    return Status::Memory;
  fillWithZeros(keys, (rows + 1) * static_cast<int64_t>(sizeof(int64_t)));
  state.recordedKeys = static_cast<int64_t *>(keys);
  state.hasDenseWorkspaces = false; // places are numbered by way of a table
  return Status::Ok;
}

Status finishPlan(AssemblyState &state) {
  const Assembly &assembly = *state.assembly;
  if (!hasPlan(assembly.planning) || assembly.phase == Phase::Numeric)
    return Status::Ok;
  bool hasRecorded = false, isRecorded = true;
  for (int64_t chunk = 0; state.recordedKeys && chunk < assembly.chunks; ++chunk) {
    const RunState &run = runOf(state, chunk, 0);
    hasRecorded = hasRecorded || run.planned;
    isRecorded = isRecorded && !run.isUnrecorded;
  }
  const bool isNoted = hasRecorded && isRecorded && areRowsFew(state);
  const Status status = isNoted ? planPlaces(state) : planCheck(state);
  if (status != Status::Ok)
    releaseArrays(state.allocator, *assembly.target);
  return status;
}

} // namespace

extern "C" int32_t spc_rt_plan_start(Assembly *assembly) {
  return static_cast<int32_t>(startPlan(*assembly->state));
}

extern "C" int32_t spc_rt_plan_finish(Assembly *assembly) {
  return static_cast<int32_t>(finishPlan(*assembly->state));
}

uint16_t *reserveRecorded(RunState &run, int64_t more) {
  const int64_t needed = run.recordedCount + more;
  if (needed >= run.recordedCapacity) {
    const int64_t doubled = run.recordedCapacity > 0 ? 2 * run.recordedCapacity : kFirstRecorded;
    const int64_t capacity = doubled > needed ? doubled : needed + 1;
    void *grown, *old = run.recorded;
    if (!allocateArray(run.state->allocator, capacity, sizeof(uint16_t), grown))
      return nullptr;
    copyElements(grown, old, run.recordedCount, sizeof(uint16_t));
    releaseArray(run.state->allocator, old);
    run.recorded = static_cast<uint16_t *>(grown);
    run.recordedCapacity = capacity;
  }
  return run.recorded + run.recordedCount;
}

} // namespace spc::runtime
