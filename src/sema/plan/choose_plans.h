// Which plans of a program are worth compiling. Private to sema's rooms.
#pragma once

#include "sema/kernel.h"
#include "sema/terms/scenario.h"

#include <functional>
#include <optional>
#include <vector>

namespace spc::sema {

/// A kernel, planned for the usual sizes, and other plans, each of which takes less than a tenth of the steps of those
/// before it at some sizes; kMostAlternatives at most, and one where calls may be made in phases, which choose alike
/// so. They agree (join_plans.h). `planned` plans the program for a scenario; `given`: how many tensors the program
/// has.
std::vector<Kernel> plansWorthwhile(Kernel usual, const std::vector<ContractedProduct> &products, size_t given,
                                    const std::function<std::optional<Kernel>(const Scenario &)> &planned);

} // namespace spc::sema
