#include "sema/verify.h"

#include "sema/alternatives.h"
#include "sema/verify/verification.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kBrokenPlan{"internal-error", Severity::Internal};

/// What a schedule may ask for.
bool scheduleHolds(Verification &verification) {
  const Kernel &kernel = verification.kernel;
  const Schedule &schedule = kernel.schedule;
  for (const std::optional<int64_t> &number : {schedule.tile, schedule.unroll, schedule.prefetch, schedule.chunk})
    if (!verification.holds(number.value_or(0) >= 0, "the schedule has a negative number"))
      return false;
  if (!schedule.parallel || *schedule.parallel == kNotParallel)
    return true;
  return verification.holds(std::any_of(kernel.steps.begin(), kernel.steps.end(),
                                        [&](const Step &step) { return hasOutermostLoop(step, *schedule.parallel); }),
                            "the schedule wants a loop in chunks that is no term's outermost one");
}

/// The recomputation follows the alternatives, and what it asks is a count.
bool recomputationHolds(Verification &verification) {
  const Kernel &kernel = verification.kernel;
  if (!kernel.recomputation)
    return true;
  const Recomputation &again = *kernel.recomputation;
  return verification.holds(again.begin < again.end && again.end <= kernel.steps.size(),
                            "the recomputation has no steps") &&
         verification.holds(kernel.alternatives.empty() || kernel.alternatives.back().end == again.begin,
                            "the recomputation does not follow the alternatives") &&
         verification.holds(again.alternatives.empty() || (again.alternatives.size() == kernel.alternatives.size() &&
                                                           again.alternatives.front().begin == again.begin &&
                                                           again.alternatives.back().end == again.end),
                            "the recomputation has other alternatives than the kernel") &&
         verification.holds(kernel.tensors.has(again.count) && kernel.tensors[again.count].order() == 0 &&
                                kernel.tensors[again.count].type == ValueType::I64,
                            "the recomputation asks what is no count");
}

/// The alternatives follow each other, and temporaries of one are used by its steps alone.
bool alternativesHold(Verification &verification) {
  const Kernel &kernel = verification.kernel;
  const std::vector<Alternative> &all = kernel.alternatives;
  if (!verification.holds(all.size() != 1 && all.size() <= kMostAlternatives,
                          "the kernel has one alternative, or many"))
    return false;
  for (size_t k = 0; k < all.size(); ++k)
    if (!verification.holds(all[k].begin <= all[k].end && all[k].end <= kernel.steps.size() &&
                                (k == 0 || all[k].begin == all[k - 1].end),
                            "alternatives do not follow each other"))
      return false;
  for (size_t k = 0; k < kernel.steps.size(); ++k) {
    const auto *statement = std::get_if<Statement>(&kernel.steps[k]);
    const std::optional<size_t> alternative = alternativeOf(kernel, k);
    const auto isAnothers = [&](TensorId id) {
      const Tensor &tensor = kernel.tensors[id];
      const bool isOfSome = tensor.alternative || tensor.isOfRecomputation;
      return (tensor.alternative && tensor.alternative != alternative) ||
             (isOfSome && tensor.isOfRecomputation != isRecomputed(kernel, k));
    };
    verification.step = k;
    bool isOwn = !statement || !isAnothers(statement->target);
    for (size_t t = 0; statement && t < statement->terms.size(); ++t)
      for (const Operand &operand : statement->terms[t].operands)
        isOwn = isOwn && !isAnothers(operand.tensor);
    if (!verification.holds(isOwn, "a temporary of another alternative is used"))
      return false;
  }
  verification.step.reset();
  return true;
}

} // namespace

std::string Verification::place() const {
  std::string place;
  if (step)
    place += "step " + std::to_string(*step + 1) + ", ";
  if (term)
    place += "term " + std::to_string(*term + 1) + ", ";
  if (operand)
    place += "operand " + std::to_string(operand->index() + 1) + ", ";
  if (tensor)
    place += "tensor '" + (kernel.tensors.has(*tensor) ? kernel.tensors[*tensor].name : "") + "', ";
  if (!place.empty())
    place.replace(place.size() - 2, 2, ": ");
  return place;
}

bool isPermutation(const std::vector<int> &dims, int order) {
  if (static_cast<int>(dims.size()) != order)
    return false;
  for (int dim = 0; dim < order; ++dim)
    if (std::find(dims.begin(), dims.end(), dim) == dims.end())
      return false;
  return true;
}

std::optional<std::string> brokenInvariant(const Kernel &kernel) {
  Verification verification(kernel);
  // Each of these relies on those before it.
  if (tensorsHold(verification) && stepsHold(verification) && alternativesHold(verification) &&
      recomputationHolds(verification) && valuesHold(verification) && sweepsHold(verification))
    scheduleHolds(verification);
  return verification.broken();
}

void verifyPlan(const Kernel &kernel, Diagnostics &diagnostics) {
  if (const std::optional<std::string> broken = brokenInvariant(kernel))
    diagnostics.report(kBrokenPlan, {}, "the planned kernel is broken: " + *broken)
        .advise("this is a bug in spc; please report it with the kernel");
}

} // namespace spc::sema
