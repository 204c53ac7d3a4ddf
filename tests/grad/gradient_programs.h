// Random kernels of floats that can be differentiated: mostly smooth ones, in which every rule occurs.
#pragma once

#include "grad/gradient_check.h"

namespace spc::testing {

/// A kernel of one to four statements; the same for the same seed, on every machine.
GradientCase randomGradientCase(uint64_t seed);

} // namespace spc::testing
