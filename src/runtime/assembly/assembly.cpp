#include "runtime/assembly/assembly_state.h"
#include "runtime/assembly/count_products.h"
#include "runtime/levels/walk.h"

namespace spc::runtime {
namespace {

/// In larger workspaces keys that lie anywhere miss the caches, and hash tables win.
constexpr int64_t kWorkspaceBytes = int64_t{16} << 20;
/// Up to here an empty hash table is no sooner there.
constexpr int64_t kSmallWorkspace = int64_t{1} << 14;
/// A product takes as much longer in a hash table as it takes to wipe so many bytes: some 20 ns.
constexpr int64_t kBytesOfProduct = 1024;
/// Products that are counted in any case, so that room is made for no more entries.
constexpr int64_t kCounted = 512;
constexpr int64_t kZeroedAtOnce = int64_t{1} << 17;

/// Sets the extents and the number of keys. IndexType where a key or a coordinate fits no index.
Status measureKeys(AssemblyState &state) {
  const Assembly &assembly = *state.assembly;
  const Tensor &target = *assembly.target;
  for (int64_t k = 0; k < target.order; ++k) {
    const Level &level = target.levels[k];
    state.extents[level.dimension] = level.extent;
    if (level.part == Part::Difference)
      state.extents[level.minus] = level.minusExtent;
  }
  state.keySpace = 1;
  for (int64_t place = assembly.rowOrder; place < assembly.order; ++place)
    if (__builtin_mul_overflow(state.keySpace, state.extents[assembly.dims[place]], &state.keySpace))
      return Status::IndexType;
  if (state.keySpace - 1 > largest(state.keyBytes))
    return Status::IndexType;
  if (assembly.list >= 0)
    for (int64_t k = assembly.dense; k < target.order; ++k)
      if (target.levels[k].extent - 1 > largest(target.indexBytes))
        return Status::IndexType;
  return Status::Ok;
}

/// The bytes of a dense workspace; INT64_MAX where no memory holds them.
int64_t workspaceBytes(const AssemblyState &state) {
  const int64_t bitBytes = state.keySpace / 8;
  if (state.valueBytes > 0 && state.keySpace > (INT64_MAX - bitBytes) / state.valueBytes)
    return INT64_MAX;
  return bitBytes + state.keySpace * state.valueBytes;
}

/// Notes how many products there may be: exactly, where these are so few that it matters.
void measureWork(AssemblyState &state, int64_t few) {
  const Assembly &assembly = *state.assembly;
  const int64_t most = few > kCounted ? few : kCounted;
  state.products = assembly.mostProducts;
  if (state.products <= most)
    return;
  const int64_t products = countAllProducts(assembly.factors, most);
  if (products <= most)
    state.products = products;
}

/// A dense workspace is wiped once, at the least, which has to be little next to what is done in it.
bool hasDenseWorkspaces(const AssemblyState &state, int64_t bytes, int64_t few) {
  if (state.assembly->workspaceBytes > 0)
    return bytes <= state.assembly->workspaceBytes;
  return bytes <= kWorkspaceBytes && (bytes <= kSmallWorkspace || state.products > few);
}

bool allocateLengths(AssemblyState &state) {
  const Tensor &target = *state.assembly->target;
  if (!state.assembly->notesLengths)
    return true;
  const int64_t rows = target.levels[0].extent;
  if (!allocatePointers(state.allocator, rows, target.pointerBytes, state.lengths))
    return false;
  fillWithZeros(state.lengths, (rows + 1) * target.pointerBytes);
  return true;
}

void zeroBlock(void *closure, int64_t index) {
  const Tensor &target = *static_cast<const Tensor *>(closure);
  const int64_t begin = index * kZeroedAtOnce, left = target.stored - begin;
  fillWithZeros(elementAt(target.values, begin, target.valueBytes),
                (left < kZeroedAtOnce ? left : kZeroedAtOnce) * target.valueBytes);
}

/// Provides the numeric phase's values, all 0.
bool prepareValues(AssemblyState &state) {
  Tensor &target = *state.assembly->target;
  if (state.assembly->phase != Phase::Numeric)
    return true;
  if (!target.values) {
    if (!allocateArray(state.allocator, target.stored, target.valueBytes, target.values))
      return false;
    state.ownsValues = true;
  }
  if (!state.plan || state.plan->kind != PlanKind::Places) // whose rows begin with zeros
    runTasks(state.assembly->workers, (target.stored + kZeroedAtOnce - 1) / kZeroedAtOnce, zeroBlock, &target);
  return true;
}

/// Makes values be collected as float.
void widen(AssemblyState &state) {
  Tensor &target = *state.assembly->target;
  state.narrowKind = target.valueKind;
  state.narrowValues = target.values;
  target.valueKind = ValueKind::Float;
  target.valueBytes = sizeof(float);
  target.values = nullptr;
}

AssemblyState *newState(Assembly &assembly) {
  const int64_t runs = assembly.chunks * assembly.runs;
  Layout layout;
  const int64_t stateOffset = layout.add(1, sizeof(AssemblyState));
  const int64_t runOffset = layout.add(runs, sizeof(RunState));
  Block block(*assembly.allocator);
  if (!block.allocate(layout))
    return nullptr;
  auto *state = reinterpret_cast<AssemblyState *>(block.at(stateOffset));
  *state = {};
  state->assembly = &assembly;
  state->allocator = *assembly.allocator;
  state->rowOrder = assembly.rowOrder;
  state->keyBytes = assembly.keyBytes;
  if (assembly.narrow)
    widen(*state);
  state->valueBytes = assembly.phase == Phase::Symbolic ? 0 : assembly.target->valueBytes;
  state->pointerBytes = assembly.target->pointerBytes;
  state->runStates = reinterpret_cast<RunState *>(block.at(runOffset));
  for (int64_t r = 0; r < runs; ++r) {
    state->runStates[r] = {};
    state->runStates[r].state = state;
  }
  block.keep();
  return state;
}

void releaseRun(RunState &run) {
  releaseEntries(run);
  void *recorded = run.recorded, *sorting = run.sorting;
  releaseArray(run.state->allocator, recorded);
  releaseArray(run.state->allocator, sorting);
}

void releaseState(AssemblyState &state) {
  const Allocator allocator = state.allocator;
  for (int64_t r = 0; r < state.assembly->chunks * state.assembly->runs; ++r)
    releaseRun(state.runStates[r]);
  for (Workspace *workspace : state.pool)
    if (workspace)
      releaseWorkspace(state, workspace);
  releaseSlabs(state);
  releaseArray(allocator, state.lengths);
  void *recordedKeys = state.recordedKeys;
  releaseArray(allocator, recordedKeys);
  releaseArray(allocator, state.gathering.keys);
  releaseArray(allocator, state.gathering.values);
  allocator.release(allocator.user, &state);
}

Status pack(AssemblyState &state) {
  Assembly &assembly = *state.assembly;
  for (int64_t r = 0; r < assembly.chunks * assembly.runs; ++r)
    if (const Status status = state.runStates[r].status; status != Status::Ok)
      return status;
  return assembly.pack ? static_cast<Status>(assembly.pack(&assembly)) : Status::Ok;
}

} // namespace

extern "C" int32_t spc_rt_assembly_start(Assembly *assembly) {
  assembly->state = newState(*assembly);
  if (!assembly->state)
    return static_cast<int32_t>(Status::Memory);
  AssemblyState &state = *assembly->state;
  Status status = measureKeys(state);
  if (status == Status::Ok) {
    const int64_t bytes = workspaceBytes(state), few = bytes / kBytesOfProduct;
    measureWork(state, few);
    state.hasDenseWorkspaces = hasDenseWorkspaces(state, bytes, few);
    status = assembly->startPlan ? static_cast<Status>(assembly->startPlan(assembly)) : Status::Ok;
  }
  if (status == Status::Ok) {
    if (allocateLengths(state) && prepareValues(state))
      expectEntries(state);
    else
      status = Status::Memory;
  }
  if (status != Status::Ok) {
    releaseState(state);
    assembly->state = nullptr;
  }
  return static_cast<int32_t>(status);
}

extern "C" Run *spc_rt_run_begin(Assembly *assembly, int64_t chunk, int64_t number, Form form) {
  AssemblyState &state = *assembly->state;
  RunState &run = runOf(state, chunk, number);
  const bool hasPlaces = form == Form::Workspace && state.plan && state.plan->kind == PlanKind::Places;
  if (hasPlaces) {
    run.values = assembly->target->values;
    run.planned = static_cast<const PlannedRow *>(arrayOf(*state.plan, state.plan->rows));
    run.places = static_cast<const uint16_t *>(arrayOf(*state.plan, state.plan->places));
    return &run;
  }
  if (!openChunk(run, chunk)) {
    fail(run, Status::Memory);
    return nullptr;
  }
  if (form == Form::Append)
    return &run;
  Workspace *workspace = takeWorkspace(state);
  if (!workspace) {
    fail(run, Status::Memory);
    return nullptr;
  }
  run.workspace = workspace;
  if (state.recordedKeys)
    run.planned = reinterpret_cast<const PlannedRow *>(state.recordedKeys); // no more than a sign
  run.bits = workspace->bits;
  run.summary = workspace->summary;
  run.slots = workspace->slots;
  return &run;
}

extern "C" void spc_rt_run_end(Run *ended, int64_t count) {
  auto &run = *static_cast<RunState *>(ended);
  AssemblyState &state = *run.state;
  if (run.places)
    return; // all is in its place
  if (run.workspace)
    giveWorkspace(state, run.workspace);
  run.workspace = nullptr;
  run.last->count = count;
  run.total = run.before + count;
  endBorrowed(run);
  const Assembly &assembly = *state.assembly;
  const int64_t number = &run - state.runStates, chunk = number / assembly.runs;
  if (!assembly.pack || run.total == 0)
    releaseEntries(run);
  else if (assembly.merge)
    for (int64_t r = 0; r < assembly.runs; ++r)
      if (RunState &other = runOf(state, chunk, r); &other != &run && other.total > 0)
        assembly.merge(&run, &other);
  if (number % assembly.runs == assembly.runs - 1)
    endChunk(state, chunk);
}

extern "C" int32_t spc_rt_assembly_finish(Assembly *assembly) {
  AssemblyState &state = *assembly->state;
  Status status = pack(state);
  if (status == Status::Ok && assembly->narrow)
    status = static_cast<Status>(assembly->narrow(assembly));
  if (status == Status::Ok && assembly->finishPlan)
    status = static_cast<Status>(assembly->finishPlan(assembly));
  if (status != Status::Ok && state.ownsValues)
    releaseArray(state.allocator, assembly->target->values);
  releaseState(state);
  assembly->state = nullptr;
  return static_cast<int32_t>(status);
}

} // namespace spc::runtime
