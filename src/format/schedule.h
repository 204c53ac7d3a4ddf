// A format file's "schedule" for the loops of the kernel that the file is bound to.
#pragma once

#include "support/diagnostic.h"
#include "support/source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spc::format {

/// A value and the place in the file that gives it. Places do not count in comparisons.
template <typename T> struct Given {
  T value{};
  Span where;

  bool operator==(const Given &other) const { return value == other.value; }
};

/// Gustavson's accumulator of an assembled output: the runtime's choice by size, or one of its two kinds.
enum class WorkspaceKind { Auto, Dense, Hash };

/// The keys of a "schedule"; what is not given is the compiler's choice. Ranges are checked, variables are not.
struct Schedule {
  std::optional<Given<int64_t>> tile;     ///< elements of the innermost dense index held in registers, 0 to 1024
  std::optional<Given<int64_t>> unroll;   ///< accumulators of a sparse dot product, 1 to 16
  std::optional<Given<int64_t>> prefetch; ///< entries ahead of which operand rows are fetched, 0 to 64
  std::optional<Given<int64_t>> chunk;    ///< nonzeros and rows handed to a thread at once, 1 to 2^30
  std::optional<Given<WorkspaceKind>> workspace;
  std::optional<Given<std::vector<Given<std::string>>>> order; ///< index variables, outermost first, none twice
  std::optional<Given<std::string>> parallel;                  ///< an index variable, or "none"
};

/// Takes the keys of `from` into `schedule`, in place of those that it has.
void replaceKeys(Schedule &schedule, const Schedule &from);

/// Takes the keys of `from` into `schedule`. Reports keys to which both give a value, and not the same one.
void mergeKeys(Schedule &schedule, const Schedule &from, Diagnostics &diagnostics);

} // namespace spc::format
