// Which of a kernel's alternatives a call runs: the sizes that it is given decide, so that the same sizes always take
// the same steps.
#pragma once

#include "sema/cost.h"
#include "sema/kernel.h"

#include <optional>
#include <vector>

namespace spc::sema {

/// Alternatives of a kernel at most.
inline constexpr size_t kMostAlternatives = 4;

/// How many times as many steps the first alternative may take as another one before that is taken: it is the one of
/// which the sizes that are usual take the fewest, and steps are no times.
inline constexpr double kFirstMayCost = 1.2;

/// The steps of an alternative: those of its statements, those to rows that may have no entries, and one for each
/// element that is set first.
std::vector<CostProduct> costOf(const Kernel &kernel, const Alternative &alternative);

/// The number of the alternative that a call with these sizes runs. 0 where there are none, or a cost depends on what
/// the sizes do not say.
size_t alternativeFor(const Kernel &kernel, const CostSizes &sizes);

/// The alternative that a step is of; nullopt for steps that each call runs.
std::optional<size_t> alternativeOf(const Kernel &kernel, size_t step);

/// Whether a step is one of the recomputation.
bool isRecomputed(const Kernel &kernel, size_t step);

/// Whether a call that takes an alternative runs a step, if its results are numbers.
inline bool runs(const Kernel &kernel, size_t step, size_t alternative) {
  return !isRecomputed(kernel, step) && alternativeOf(kernel, step).value_or(alternative) == alternative;
}

} // namespace spc::sema
