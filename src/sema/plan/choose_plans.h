// Which plans of a program are worth compiling. Private to sema's rooms.
#pragma once

#include "sema/kernel.h"
#include "sema/terms/scenario.h"
#include "support/diagnostic.h"

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace spc::sema {

/// A plan, and what is to be said of it where it is compiled alone.
struct Candidate {
  Candidate(Kernel plan, Diagnostics said) : kernel(std::move(plan)), found(std::move(said)) {}
  Candidate(Candidate &&) noexcept = default;
  Candidate &operator=(Candidate &&) = default;

  Kernel kernel;
  Diagnostics found;
  Scenario scenario = {}; ///< for which it is planned
};

/// Whether a plan has nothing said of it beside what is said of the usual one, but for copies of operands: where plans
/// are chosen among, a call makes these for a plan that is cheaper with them.
bool isAsQuiet(const Diagnostics &plan, const Diagnostics &usual);

/// Whether a plan that asks where sums have entries takes clearly fewer steps, at the usual sizes, than one that takes
/// such sums for 0 and counts the NaNs in what it leaves. `given`: how many tensors the program has.
bool asksForLess(const Kernel &careful, const Kernel &trusting, size_t given);

/// Whether a plan takes clearly fewer steps than another one at the usual sizes, and gives up no phases for them.
bool takesFewerSteps(const Kernel &plan, const Kernel &other);

/// A kernel, planned for the usual sizes, and other plans, each of which takes less than a tenth of the steps of those
/// before it at some sizes; kMostAlternatives at most, and one where calls may be made in phases, which choose alike
/// so. They agree (join_plans.h). `planned` plans the program for a scenario; `given`: how many tensors the program
/// has.
std::vector<Candidate> plansWorthwhile(Candidate usual, const std::vector<ContractedProduct> &products, size_t given,
                                       const std::function<std::optional<Candidate>(const Scenario &)> &planned);

} // namespace spc::sema
