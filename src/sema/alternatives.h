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

/// How many steps of a product with a vector take as long as the copy of an entry to another order: 33 of a million
/// entries in 100,000 rows.
inline constexpr double kCopyingCost = 30;

/// How many such steps a function takes that is no arithmetic, as exp.
inline constexpr double kCallingCost = 16;

/// What a statement of an alternative costs, or a copy of an operand that the alternative alone makes.
struct StatementCost {
  std::vector<CostProduct> steps;    ///< of its loops
  std::vector<CostProduct> byFibers; ///< costByFibers(): the loops take the less of the two; empty: the former
  std::vector<CostProduct> copied; ///< entries that are copied, or put in order, each of which takes kCopyingCost steps
  std::vector<CostProduct> beside; ///< rows and searches that may find no entries, and elements that are set first
  std::vector<CostProduct> called; ///< functions, each of which takes kCallingCost steps
  std::optional<TensorId> listed;  ///< the target where it is assembled: it is taken to have an entry for each step
  CostProduct places;              ///< of that, which has no more entries
  bool isSorted = false;           ///< all of these are put in order, too
};

/// The copies and the statements of an alternative, in order. Its cost is the sum of all of it, and of the entries that
/// are listed.
std::vector<StatementCost> costOf(const Kernel &kernel, const Alternative &alternative);

/// That sum; nullopt where it depends on what the sizes do not say.
std::optional<double> evaluate(const std::vector<StatementCost> &costs, const CostSizes &sizes);

/// The number of the alternative that a call with these sizes runs. 0 where there are none, or a cost depends on what
/// the sizes do not say.
size_t alternativeFor(const Kernel &kernel, const CostSizes &sizes);

/// The alternative that a step is of, or in whose place a step of the recomputation is; nullopt for steps that each
/// call runs.
std::optional<size_t> alternativeOf(const Kernel &kernel, size_t step);

/// Whether a step is one of the recomputation.
bool isRecomputed(const Kernel &kernel, size_t step);

/// Whether a call that takes an alternative runs a step, if its results are numbers.
inline bool runs(const Kernel &kernel, size_t step, size_t alternative) {
  return !isRecomputed(kernel, step) && alternativeOf(kernel, step).value_or(alternative) == alternative;
}

} // namespace spc::sema
