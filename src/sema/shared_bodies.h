// Steps of alternatives that another step's body computes: its loops are compiled once.
#pragma once

#include "sema/kernel.h"

#include <map>
#include <optional>

namespace spc::sema {

/// The step whose body computes another one, and what that has in place of its tensors and extents.
struct LentBody {
  size_t step;
  std::map<TensorId, TensorId> tensors;
  std::map<ExtentId, ExtentId> extents;
};

/// The body that a step borrows: of the first step of the kernel that has the same loops over tensors that are stored
/// alike. nullopt for steps with bodies of their own, which all are that each call runs. An object with four plans is
/// hardly larger so than one with the longest of them.
std::optional<LentBody> lentBody(const Kernel &kernel, size_t step);

} // namespace spc::sema
