// Steps without loops of their own as text. Private to this folder.
#pragma once

#include "sema/kernel.h"

#include <string>
#include <vector>

namespace spc::sema {

/// "(a,b)"
std::string listOf(const std::vector<std::string> &names);

/// The names of a tensor's extents, where no two are the same; else none, for which a format has names of its own.
std::vector<std::string> dimensionNames(const Tensor &tensor, const Kernel &kernel);

/// What a step does, in one line.
std::string describeStep(const Copy &copy, const Kernel &kernel);
std::string describeStep(const Conversion &conversion, const Kernel &kernel);
std::string describeStep(const RefreshCopy &refresh, const Kernel &kernel);
std::string describeStep(const Distribution &distribution, const Kernel &kernel);
std::string describeStep(const Placement &placement, const Kernel &kernel);
std::string describeStep(const Ranking &ranking, const Kernel &kernel);

} // namespace spc::sema
