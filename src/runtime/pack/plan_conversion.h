// The numeric phase of a conversion, by a plan. Freestanding.
#pragma once

#include "runtime/runtime.h"

namespace spc::runtime {

/// Sets the values of `target` from those of `source`, whose positions start at 0. Ok; Pattern: the plan is of other
/// structures.
Status convertPlanned(const Workers &workers, const Tensor &source, Tensor &target, bool dropsZeros,
                      const Planning &planning);

} // namespace spc::runtime
