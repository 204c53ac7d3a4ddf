// The context's parallel-for, and whether it is worth its cost.
#pragma once

#include "entry/tensors.h"

namespace spc::entry {

/// Next to so many nanoseconds taking a task and finding its rows is little.
inline constexpr int64_t kTaskNanoseconds = int64_t{1} << 12;
/// Tasks that are enough for dynamic scheduling to even out what the estimate misses.
inline constexpr int64_t kMaxTasks = 128;

/// Whether `time`, in nanoseconds on one core, is worth a call of the parallel-for. Where it is not, the cost that the
/// context notes becomes less, so that it is measured anew some time.
mlir::Value pays(Entry &entry, mlir::Value time);

/// The context's parallel-for where there are several tasks and `isWorth`, which may be null, says so; else NULL.
mlir::Value findParallelFor(Entry &entry, mlir::Value several, const std::function<mlir::Value()> &isWorth);

} // namespace spc::entry
